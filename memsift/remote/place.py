"""Where a URL leads: read strictly, since a request's first lines are made of it."""

from __future__ import annotations

import re
import socket

_URL = (r"(?i:(https?)://)(?:([^/?#\\]*)@)?"  # the scheme, and whatever claims to be user:password
        r"(\[[0-9a-fA-F:.]+\]|[0-9A-Za-z_][0-9A-Za-z._-]*)(?::([0-9]{1,5}))?([/?][^#]*)?")
_PORTS = {"http": 80, "https": 443}
_UNSPECIFIED = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # where a server listens, copied as where it is


class Place:
    """A host and what to ask of it. `literal` is its numeric address, "" for a name that has to be looked up."""

    __slots__ = ("scheme", "user", "host", "port", "path", "literal", "is_localhost")

    def __init__(self, scheme: str, user: str | None, host: str, port: int, path: str) -> None:
        self.scheme = scheme
        self.user = user
        self.host = host
        self.port = port
        self.path = path
        self.is_localhost = ("." + host.rstrip(".")).endswith(".localhost")
        self.literal = "127.0.0.1" if self.is_localhost else _literal(host)

    @property
    def is_tls(self) -> bool:
        return self.scheme == "https"

    @property
    def is_loopback(self) -> bool:
        """Whether it is this machine, which no proxy can reach for us."""
        return self.literal.startswith("127.") or self.literal == "::1"

    @property
    def authority(self) -> str:
        """host:port, for CONNECT and for messages."""
        return "%s:%d" % (self._bracketed(), self.port)

    @property
    def header(self) -> str:
        """What the Host header says: the port only where it is not the usual one."""
        return self._bracketed() if self.port == _PORTS[self.scheme] else self.authority

    def _bracketed(self) -> str:
        return "[%s]" % self.host if ":" in self.host else self.host


def parse(url: str) -> Place | None:
    """The place of a complete http or https URL; None for anything else."""
    found = re.fullmatch(_URL, url) if url.isascii() and url.isprintable() and " " not in url else None
    if not found:
        return None
    scheme, user, host, port, path = found.groups()
    scheme, path = scheme.lower(), path or "/"
    port = int(port or _PORTS[scheme])
    if not 0 < port < 65_536:
        return None
    return Place(scheme, user, host.strip("[]").lower(), port, path if path[0] == "/" else "/" + path)


def service(url: str) -> Place:
    """The place of a service. Raises ValueError with a sentence for the user, which does not repeat the URL."""
    place = parse(url)
    if place is None:
        raise ValueError("the service's address must be a complete URL that begins with http:// or https://")
    if place.user is not None:
        raise ValueError("the service's address must not hold a user or a password: the key has a setting of its own")
    return place


def _literal(host: str) -> str:
    try:
        if ":" in host:
            address = socket.inet_ntop(socket.AF_INET6, socket.inet_pton(socket.AF_INET6, host))
        else:
            address = socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return ""
    return _UNSPECIFIED.get(address, address)
