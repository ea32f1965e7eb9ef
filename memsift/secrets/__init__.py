"""What a secret looks like and where one stands: the patterns behind memsift.redact, which alone uses them."""
