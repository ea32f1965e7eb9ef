"""The body of a form with files, as HTTP clients send it (RFC 7578)."""

from __future__ import annotations

import os


def encode(fields: list[tuple[str, str]], files: list[tuple[str, str, str]]) -> tuple[str, bytes]:
    """The content type and the body. `files`: field, file name and text of each, sent as Markdown."""
    boundary = "memsift" + os.urandom(16).hex()
    parts = []
    for name, value in fields:
        parts.append(('Content-Disposition: form-data; name="%s"' % _quotable(name), value))
    for name, file_name, text in files:
        head = 'Content-Disposition: form-data; name="%s"; filename="%s"' % (_quotable(name), _quotable(file_name))
        parts.append((head + "\r\nContent-Type: text/markdown; charset=utf-8", text))
    pieces = ["--%s\r\n%s\r\n\r\n%s\r\n" % (boundary, head, text) for head, text in parts]
    body = "".join(pieces) + "--%s--\r\n" % boundary
    return "multipart/form-data; boundary=" + boundary, body.encode("utf-8", "replace")


def _quotable(name: str) -> str:
    """A name that cannot end its quotes or its line."""
    return "".join("_" if character in '"\\' or not character.isprintable() else character for character in name)
