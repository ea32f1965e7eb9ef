"""Words that stand where a secret could and are none."""

from __future__ import annotations

# Types, literals, and what is said of secrets in one word; some have digits.
TYPES = frozenset(
    "none null nil true false undefined void nan str string int integer number bool boolean bytes buffer any "
    "object text char varchar uuid optional required secret token yes no on off n/a na tbd todo empty "
    "missing unset default auto disabled enabled hidden masked encrypted hashed plaintext env vault keychain "
    "keyring stdin prompt oauth oauth2 basic bearer digest jwt sso saml ldap md5 sha1 sha256 sha512 bcrypt "
    "argon2 argon2id argon2i scrypt pbkdf2 base64 utf8 utf-8 hs256 rs256 es256 aes aes256 totp 2fa mfa "
    "include same-origin omit inherit native public private internal external current-password new-password "
    "one-time-code password passwd secretstr redacted".split())

# What examples are made of: "your-api-key-here", "Enter your password".
PLACEHOLDERS = frozenset(
    "your my the a an some this api app new old current access auth refresh bearer client server account "
    "service user private public insert replace put enter paste type choose change with here value "
    "placeholder hidden masked redacted secret token key keys password passwd pwd passphrase passwort "
    "kennwort credential credentials confirm confirmation forgot reset wrong invalid show hide name id field "
    "input mot de passe contraseña".split())

# What variables that hold a secret are called after.
NAMING = frozenset(
    "password passwd pwd pw pass passwort secret token key credential credentials auth".split())

# What may follow "password:" or "the password is".
ORDINARY = frozenset(
    "the a an must should can cannot may is are was were will has have had be not never always only please "
    "see and or of to for from in on at by with without if when via per it its this that these those too "
    "also still now then again wrong right correct incorrect invalid valid mandatory shared stored kept "
    "rotated rotating expired expires unknown known weak strong short long same different safe unsafe secure "
    "insecure plain clear sent set used unused gone lost forgotten random generated generator manager "
    "rotation reset field fields length policy change changes check checks minimum maximum sensitive "
    "necessary needed there here mine yours ours theirs case-sensitive read-only write-only return raise "
    "break continue yield await throw self option options flag flags argument arguments parameter le la les "
    "un une des du de est sont pas plus jamais doit faut obligatoire incorrect oublié valide vide partagé "
    "der die das ein eine ist sind nicht nie muss soll falsch richtig leer abgelaufen ungültig vergessen "
    "geheim egal el los las una es son no nunca debe incorrecta válida vacía obligatoria y ou und oder con "
    "mit avec".split())

# How such words end, too many to list.
ENDINGS = tuple(
    "ed ing able ible ly ful less ous ive tion ment ness ity ary ory".split())
