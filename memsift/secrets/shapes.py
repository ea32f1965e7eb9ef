"""Secrets that show by their spelling alone: vendors' keys and tokens, web tokens, password hashes.

A row: what such a secret starts with, and a pattern for the rest. A start that ordinary words contain too
("sk-" in "task-list") is guarded: no letter or digit may stand before it.
"""

from __future__ import annotations

import re

# The least that any row matches. Longer runs of letters alone are nobody's key.
SHORTEST = 16
_LONGEST_OF_LETTERS = 200

_DIGIT = r"(?=[A-Za-z_\-]{0,32}\d)"
_NOT_PLAIN = r"(?=[a-z_\-]{0,24}[A-Z0-9])"
_RUN = r"[A-Za-z0-9_\-]"

UNGUARDED = (
    # Often followed by the secret that belongs to it.
    ("AKIA", r"[A-Z0-9]{12,}(?:[\s,;:|/\"']{1,4}(?=[a-z+/]{0,40}[A-Z0-9])[\w/+]{40}(?![\w/+]))?"),
    ("ASIA", r"[A-Z0-9]{12,}"),
    ("AIza", _RUN + r"{30,}"),
    ("ya29.", r"[\w.\-]{16,}"),
    ("GOCSPX-", _RUN + r"{16,}"),
    ("ghp_", r"[A-Za-z0-9]{16,}"),
    ("gho_", r"[A-Za-z0-9]{16,}"),
    ("ghu_", r"[A-Za-z0-9]{16,}"),
    ("ghs_", r"[A-Za-z0-9]{16,}"),
    ("ghr_", r"[A-Za-z0-9]{16,}"),
    ("github_pat_", r"\w{16,}"),
    ("glpat-", r"[\w\-.]{10,}"),
    ("glptt-", _RUN + r"{16,}"),
    ("gldt-", _RUN + r"{16,}"),
    ("glrt-", r"[\w\-.]{16,}"),
    ("glcbt-", _RUN + r"{16,}"),
    ("gloas-", _RUN + r"{16,}"),
    ("glsoat-", _RUN + r"{16,}"),
    ("glimt-", _RUN + r"{16,}"),
    ("glagent-", _RUN + r"{16,}"),
    ("glft-", _RUN + r"{16,}"),
    ("glffct-", _RUN + r"{16,}"),
    ("whsec_", r"[\w+/=]{10,}"),
    ("dckr_pat_", _RUN + r"{16,}"),
    ("dckr_oat_", _RUN + r"{16,}"),
    ("dop_v1_", r"[0-9a-f]{20,}"),
    ("doo_v1_", r"[0-9a-f]{20,}"),
    ("dor_v1_", r"[0-9a-f]{20,}"),
    ("shpat_", r"[0-9a-fA-F]{20,}"),
    ("shpca_", r"[0-9a-fA-F]{20,}"),
    ("shppa_", r"[0-9a-fA-F]{20,}"),
    ("shpss_", r"[0-9a-fA-F]{20,}"),
    ("sq0atp-", _RUN + r"{16,}"),
    ("sq0csp-", _RUN + r"{16,}"),
    ("HRKU-", _RUN + r"{20,}"),
    ("lin_api_", r"\w{16,}"),
    ("lin_oauth_", r"\w{16,}"),
    ("sb_secret_", _RUN + r"{16,}"),
    ("vercel_blob_rw_", r"\w{16,}"),
    ("glsa_", r"\w{16,}"),
    ("glc_eyJ", r"[\w+/=]{16,}"),
    ("sntrys_", r"[\w+/=\-]{16,}"),
    ("sntryu_", r"[0-9a-f]{16,}"),
    ("NRAK-", r"[A-Z0-9]{16,}"),
    ("eyJ", r"[\w\-]{17,}={0,2}(?:\.[\w\-]*){0,6}"),
    ("AGE-SECRET-KEY-1", r"[A-Z0-9]{20,}"),
    ("ATATT3", r"[\w\-=]{20,}"),
    ("ATCTT3", r"[\w\-=]{20,}"),
    ("figd_", _RUN + r"{16,}"),
    ("hvs.", _RUN + r"{16,}"),
    ("hvb.", _RUN + r"{16,}"),
    (".atlasv1.", _RUN + r"{20,}"),
    ("pscale_", r"(?:tkn|pw|oauth)_[\w\-.]{16,}"),
    ("rubygems_", r"[0-9a-f]{20,}"),
    ("PMAK-", r"[0-9a-f\-]{20,}"),
    ("pplx-", r"[A-Za-z0-9]{20,}"),
    ("lsv2_", r"(?:pt|sk)_\w{16,}"),
    ("tvly-", _DIGIT + _RUN + r"{16,}"),
    ("CCIPAT_", r"\w{16,}"),
    ("CCIPRJ_", r"\w{16,}"),
    ("tskey-", r"[a-z]{2,10}-[\w\-]{10,}"),
    ("xkeysib-", _RUN + r"{20,}"),
    ("xsmtpsib-", _RUN + r"{20,}"),
    ("fm2_", r"[\w+/=]{30,}"),
    ("$2a$", r"\d\d\$[./A-Za-z0-9]{40,}"),
    ("$2b$", r"\d\d\$[./A-Za-z0-9]{40,}"),
    ("$2y$", r"\d\d\$[./A-Za-z0-9]{40,}"),
    ("$apr1$", r"[./$A-Za-z0-9]{16,}"),
    ("$argon2", r"[id]{1,2}\$[\w$=,+/.\-]{30,}"),
    ("LS0tLS1CRUdJTi", r"(?!BDRVJUSUZJQ0FURS)[A-Za-z0-9+/=]{30,}"),
)

GUARDED = (
    ("sk-", _NOT_PLAIN + _RUN + r"{16,}"),
    ("sk_", r"(?:live|test|prod)_\w{8,}|(?<=sk_)[0-9a-f]{40,}"),
    ("rk_", r"(?:live|test|prod)_\w{8,}"),
    ("1//0", _RUN + r"{30,}"),
    ("xox", r"[a-z](?:\.xox[a-z])?-[\w\-]{10,}"),
    ("xapp-", r"\d-[\w\-]{10,}"),
    ("xwfp-", r"[\w\-]{12,}"),
    ("SK", r"[0-9a-f]{32}(?![0-9a-zA-Z])"),
    ("AC", r"[0-9a-f]{32}(?![0-9a-zA-Z])"),
    ("SG.", r"[\w\-]{10,}\.[\w\-]{10,}"),
    ("key-", r"(?=[a-z]{0,32}\d)[0-9a-z]{32}(?![0-9a-zA-Z])"),
    ("npm_", r"[A-Za-z0-9]{30,}"),
    ("pypi-", _NOT_PLAIN + _RUN + r"{16,}"),
    ("hf_", r"[A-Za-z0-9]{20,}"),
    ("EAAA", _RUN + r"{50,120}(?![\w\-+/=])"),
    ("dapi", r"[0-9a-f]{30,}(?:-\d)?"),
    ("ntn_", r"[A-Za-z0-9]{20,}"),
    ("secret_", r"(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{30,}"),
    ("sbp_", r"[0-9a-f]{20,}"),
    ("vcp_", r"[A-Za-z0-9]{20,}"),
    ("v1.0-", r"[0-9a-f]{24}-[0-9a-f]{60,}"),
    ("ATBB", r"[A-Za-z0-9]{24,}"),
    ("sl.", r"(?:u\.)?[\w\-]{60,}"),
    ("dp.", r"(?:pt|st|sa|ct|scim|audit)\.[\w.\-]{16,}"),
    ("pul-", r"[0-9a-f]{30,}"),
    ("phx_", r"[A-Za-z0-9]{20,}"),
    ("gsk_", r"[A-Za-z0-9]{20,}"),
    ("xai-", r"(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{20,}"),
    ("r8_", r"[A-Za-z0-9]{20,}"),
    ("re_", r"(?=[A-Za-z]{0,8}\w{0,24}\d)[A-Za-z0-9]{8}_[A-Za-z0-9]{16,}"),
    ("nfp_", r"[A-Za-z0-9]{20,}"),
    ("rnd_", r"[A-Za-z0-9]{20,}"),
    ("bkua_", r"[0-9a-f]{20,}"),
    ("sqp_", r"[0-9a-f]{20,}"),
    ("squ_", r"[0-9a-f]{20,}"),
    ("sqa_", r"[0-9a-f]{20,}"),
    ("pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{40,}"),
    ("mfa.", r"[\w\-]{60,}"),
    ("AKCp", r"[A-Za-z0-9]{40,}"),
    ("ops_eyJ", r"[\w\-=]{20,}"),
    ("oy2", r"[a-z0-9]{43}(?![0-9a-zA-Z])"),
    ("access-", r"(?:sandbox|development|production)-[0-9a-f\-]{30,}"),
    ("$1$", r"[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}"),
    ("$5$", r"[./$=A-Za-z0-9]{40,}"),
    ("$6$", r"[./$=A-Za-z0-9]{60,}"),
)

# Known by something in their middle: that, what must stand around it, how far before it the secret begins.
CENTRED = (
    (":AA", r"(?<=\d{6}:AA)[\w\-]{28,}", 0),
    ("Q~", r"(?<=[\w.~\-]{3}Q~)[\w.~\-]{20,}", 3),
    ("-us", r"(?<=[0-9a-f]{32}-us)\d{1,2}(?!\w)", 32),
    ("NRAL", r"(?<=[0-9a-f]{36}NRAL)", 36),
    ("_live_", r"(?<=[a-z]_live_)(?<!pk_live_)(?=[A-Za-z]{0,24}\d)[A-Za-z0-9]{12,}", 0),
    ("_test_", r"(?<=[a-z]_test_)(?<!pk_test_)(?=[A-Za-z]{0,24}\d[A-Za-z0-9]{0,24}[A-Za-z])"
               r"(?=\w{0,24}\d\w{0,24}\d)[A-Za-z0-9]{14,}", 0),
    (".", r"(?:(?<=[MNO][\w\-]{23}\.)|(?<=[MNO][\w\-]{24}\.)|(?<=[MNO][\w\-]{25}\.))"
          r"[\w\-]{6}\.[\w\-]{27,}", 24),
    ("hooks.slack.com/", r"(?:services|workflows|triggers)/[\w/\-]{16,}", -16),
    ("api/webhooks/", r"\d{6,}/[\w\-]{20,}", -13),
    ("webhook.office.com/", r"[\w/@.\-]{30,}", -19),
    ("hooks.zapier.com/", r"hooks/catch/[\w/]{8,}", -17),
)


def find(text: str, marker: str) -> list[tuple[int, int]]:
    """Where in `text` the secrets that have one of these shapes begin and end, in no order."""
    spans = []
    for pattern, before in _patterns_for(_long_words(text.replace(marker, " "))):
        spans += [(match.start() - before, match.end()) for match in re.finditer(pattern, text)]
    return spans


def _long_words(text: str) -> str:
    """The words of `text` that are long enough to be, or to hold, one of these secrets."""
    return "\n".join([word for word in text.split() if len(word) >= SHORTEST
                      and (len(word) < _LONGEST_OF_LETTERS or not word.isalpha())])


def _patterns_for(words: str) -> list[tuple[str, int]]:
    """The patterns of the rows whose start occurs in `words`; most texts have none."""
    found = [(re.escape(start) + rest, 0) for start, rest in UNGUARDED if start in words]
    found += [(_guarded(start, rest), 0) for start, rest in GUARDED if start in words]
    return found + [(re.escape(centre) + rest, before) for centre, rest, before in CENTRED if centre in words]


def _guarded(start: str, rest: str) -> str:
    """The start, then what stood before it: nothing of a word, or an escape ("\\n", "%3D", "\\u003d")."""
    spelled = re.escape(start)
    before = (r"(?:(?<![A-Za-z0-9]{0})|(?<=\\[nrtbf]{0})|(?<=%[0-9A-Fa-f][0-9A-Fa-f]{0})|"
              r"(?<=\\u[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]{0}))")
    return spelled + before.replace("{0}", spelled) + "(?:" + rest + ")"
