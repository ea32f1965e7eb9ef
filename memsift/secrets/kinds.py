"""What a name promises of its value, and how the value is tied to it."""

# A person's secret (any word may be one), a machine's secret, a secret if it was chosen like a password, a
# secret if it looks random, and nothing.
PASSWORD, STRONG, CHOSEN, RANDOM, NOTHING = "password", "strong", "chosen", "random", ""

# In quotes; NAME=value of an environment; name=value or an option of a command; "name: value" and, without
# quotes, "name = value"; in a sentence.
QUOTED, ENVIRONMENT, TIGHT = "quoted", "environment", "tight"
LOOSE, SPACED, PROSE = "loose", "spaced", "prose"
