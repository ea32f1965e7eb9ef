"""One request over HTTP/1.1 within one total deadline, straight from sockets.

Written by hand because the ready-made clients limit each read, not their sum, and cost more to load than a prompt
may take. What parses the answer is loaded only once the request is sent, while the server is thinking.
"""

from __future__ import annotations

import io
import os
import re
import socket

from memsift.deadline import Deadline
from memsift.remote import place as places
from memsift.remote import proxy as proxies
from memsift.remote.place import Place

_LONGEST_HEAD = 65_536
_MOST_ADDRESSES = 6
_MORE_AUTHORITIES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
_USUAL_AUTHORITIES = "/etc/ssl/cert.pem"


class NoAnswer(Exception):
    """There is no complete answer; the message is one plain sentence without any secret."""


class Response:
    """What the server answered: any status, redirects included; header names are in lower case."""

    __slots__ = ("status", "reason", "headers", "body")

    def __init__(self, status: int, reason: str, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = body


def post(url: str, headers: dict[str, str], body: bytes, deadline: Deadline, limit: int = 2_000_000) -> Response:
    """Send `body` and read the whole answer, of at most `limit` bytes. Raises NoAnswer."""
    return send("POST", url, headers, body, deadline, limit)


def send(method: str, url: str, headers: dict[str, str], body: bytes, deadline: Deadline,
         limit: int = 2_000_000) -> Response:
    """One request of any method but HEAD, and its answer, of at most `limit` bytes. Raises NoAnswer.

    Looking up the name, connecting, sending and every byte read share the deadline. A redirect is an answer like
    any other: nothing is ever sent to a second place.
    """
    try:
        place = places.service(url)
        proxy = proxies.find(place)
        request = _request(method, place, proxy, headers, body)
    except ValueError as error:
        raise NoAnswer(str(error)) from None
    try:
        connection = _connect(place, proxy, deadline)
        try:
            _send(connection, request, deadline)
            return _receive(connection, place, deadline, limit)
        finally:
            connection.close()
    except socket.timeout:
        total = deadline.at - deadline.started
        raise NoAnswer("%s gave no answer within %.1f s" % (_way(place, proxy), total)) from None
    except OSError as error:
        raise NoAnswer("the connection to %s failed: %s" % (_way(place, proxy), _reason(error))) from None


def _way(place: Place, proxy: Place | None) -> str:
    return "%s through the proxy %s" % (place.authority, proxy.authority) if proxy else place.authority


def _reason(error: OSError) -> str:
    untrusted = getattr(error, "verify_message", "")  # of a class that is not loaded without TLS
    if untrusted:
        return "its certificate is not trusted, %s; SSL_CERT_FILE can name a private authority's" % untrusted
    return error.strerror or str(error) or type(error).__name__


def _request(method: str, place: Place, proxy: Place | None, headers: dict[str, str], body: bytes) -> bytes:
    """The whole request, in which nothing can begin a line of its own. Raises ValueError with a sentence."""
    lines = {"Host": place.header, "Connection": "close", "Accept-Encoding": "identity"}
    if body or method == "POST":
        lines["Content-Length"] = str(len(body))
    target = place.path
    if proxy and not place.is_tls:
        target = "http://%s%s" % (place.header, place.path)
        lines.update(proxies.authorization(proxy))
    lines.update(headers)
    return _head("%s %s HTTP/1.1" % (method, target), lines) + body


def _head(first: str, lines: dict[str, str]) -> bytes:
    for name, value in lines.items():
        if not name.isascii() or not name.replace("-", "").isalnum():
            raise ValueError("a request cannot have a header of that name")
        if not value.isascii() or not value.isprintable():
            raise ValueError("the header %s holds a character that cannot be sent" % name)
    text = "\r\n".join([first] + ["%s: %s" % line for line in lines.items()])
    return (text + "\r\n\r\n").encode("ascii")


def _connect(place: Place, proxy: Place | None, deadline: Deadline) -> socket.socket:
    """A connection on which the service itself can be spoken to."""
    call = _Call(proxy or place, deadline)
    context = _trust() if place.is_tls else None  # meanwhile: it takes as long as a near server's answer
    connection = call.wait()
    try:
        if proxy and context:
            _tunnel(connection, place, proxy, deadline)
        if context:
            connection = context.wrap_socket(connection, server_hostname=place.host.encode("ascii"),
                                             do_handshake_on_connect=False)
            connection.settimeout(_left(deadline))
            connection.do_handshake()
    except (OSError, NoAnswer):
        connection.close()
        raise
    return connection


class _Call:
    """Looks up a place and connects, in a thread where it has a name: nothing bounds how long a look-up takes."""

    def __init__(self, place: Place, deadline: Deadline) -> None:
        self._place = place
        self._deadline = deadline
        self._connection = None
        self._error = None
        self._thread = None
        if place.literal:
            self._run()
        else:
            import threading
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def wait(self) -> socket.socket:
        """The connection. Raises OSError."""
        if self._thread:
            self._thread.join(self._deadline.remaining())
        if self._connection is None:
            raise self._error or socket.timeout()
        return self._connection

    def _run(self) -> None:
        try:
            self._connection = _dial(_addresses(self._place), self._deadline)
        except OSError as error:
            self._error = error


def _addresses(place: Place) -> list[tuple]:
    """Family and address of every way to a place, the two families by turns: one of them may lead nowhere."""
    if place.is_localhost:
        return [(socket.AF_INET, (place.literal, place.port)), (socket.AF_INET6, ("::1", place.port))]
    if place.literal:
        return [(socket.AF_INET6 if ":" in place.literal else socket.AF_INET, (place.literal, place.port))]
    name = place.host.encode("ascii")  # as bytes, for which no codec for foreign alphabets is loaded
    found = socket.getaddrinfo(name, place.port, 0, socket.SOCK_STREAM)
    ranked, seen = [], {}
    for family, _, _, _, address in found:
        seen[family] = seen.get(family, 0) + 1
        ranked.append((seen[family], len(ranked), family, address))
    return [entry[2:] for entry in sorted(ranked)[:_MOST_ADDRESSES]]


def _dial(addresses: list[tuple], deadline: Deadline) -> socket.socket:
    """A connection to the first address that takes one; none may use up the time of those after it."""
    problem = OSError("it has no address")
    for position, (family, address) in enumerate(addresses):
        try:
            return _dial_one(family, address, _left(deadline) / (len(addresses) - position))
        except OSError as error:
            problem = error
    raise problem


def _dial_one(family: int, address: tuple, seconds: float) -> socket.socket:
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(seconds)
        connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


def _trust():
    """The certificates that this machine trusts, and those that the usual variables add."""
    import ssl
    context = ssl.create_default_context()  # reads SSL_CERT_FILE and SSL_CERT_DIR itself
    context.set_alpn_protocols(["http/1.1"])
    more = [os.environ.get(name, "") for name in _MORE_AUTHORITIES]
    paths = ssl.get_default_verify_paths()
    if not paths.cafile and not paths.capath and "SSL_CERT_FILE" not in os.environ:
        more.append(_USUAL_AUTHORITIES)  # an interpreter that was installed without any
    for path in more:
        try:
            if os.path.isdir(path):
                context.load_verify_locations(capath=path)
            elif os.path.isfile(path):
                context.load_verify_locations(cafile=path)
        except OSError:
            continue  # the handshake will tell whether it was needed
    return context


def _tunnel(connection: socket.socket, place: Place, proxy: Place, deadline: Deadline) -> None:
    """Have the proxy pass everything on to the service."""
    lines = {"Host": place.authority}
    lines.update(proxies.authorization(proxy))
    _send(connection, _head("CONNECT %s HTTP/1.1" % place.authority, lines), deadline)
    head = b""
    while b"\r\n\r\n" not in head:
        connection.settimeout(_left(deadline))
        piece = connection.recv(4096)
        head += piece
        if not piece or len(head) > _LONGEST_HEAD:
            raise NoAnswer("the proxy %s broke off" % proxy.authority)
    status = re.match(rb"HTTP/1\.[01] ([0-9]{3})", head)
    if not status or not status.group(1).startswith(b"2"):
        said = "with status %s" % status.group(1).decode("ascii") if status else "in a way of its own"
        raise NoAnswer("the proxy %s refused a connection to %s %s" % (proxy.authority, place.authority, said))


def _send(connection: socket.socket, data: bytes, deadline: Deadline) -> None:
    unsent = memoryview(data)
    while unsent:
        connection.settimeout(_left(deadline))
        try:
            unsent = unsent[connection.send(unsent):]
        except (BrokenPipeError, ConnectionResetError):
            return  # it may have answered already, without reading all of this


def _receive(connection: socket.socket, place: Place, deadline: Deadline, limit: int) -> Response:
    import http.client  # takes longer to load than all that came before
    answer = http.client.HTTPResponse(_Incoming(connection, place, deadline, limit), method="POST")
    try:
        answer.begin()
        headers = {name.lower(): str(value) for name, value in answer.getheaders()}
        return Response(answer.status, answer.reason, headers, _read_body(answer, headers, place, limit))
    except (http.client.RemoteDisconnected, http.client.IncompleteRead):
        raise _broken_off(place) from None
    except (http.client.HTTPException, ValueError):
        raise NoAnswer("what %s sent is no HTTP answer" % place.authority) from None
    finally:
        answer.close()


def _read_body(answer: object, headers: dict[str, str], place: Place, limit: int) -> bytes:
    if headers.get("content-encoding", "identity").lower() not in ("", "identity"):
        raise NoAnswer("%s sent a compressed answer, which was not asked for" % place.authority)
    if (answer.length or 0) > limit:
        raise _too_long(place, limit)
    body = answer.read(limit + 1)
    if len(body) > limit:
        raise _too_long(place, limit)
    if answer.length:
        raise _broken_off(place)
    return body


def _too_long(place: Place, limit: int) -> NoAnswer:
    return NoAnswer("the answer of %s is longer than %d bytes" % (place.authority, limit))


def _broken_off(place: Place) -> NoAnswer:
    return NoAnswer("%s closed the connection before its answer was complete" % place.authority)


class _Incoming(io.RawIOBase):
    """The bytes from a connection, each read within what is left of the deadline, and never too many."""

    def __init__(self, connection: socket.socket, place: Place, deadline: Deadline, limit: int) -> None:
        super().__init__()
        self._connection = connection
        self._place = place
        self._deadline = deadline
        self._limit = limit
        self._room = limit + _LONGEST_HEAD

    def makefile(self, *_: object) -> io.BufferedReader:
        """What the parser of answers calls on a socket."""
        return io.BufferedReader(self, 65_536)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:
        self._connection.settimeout(_left(self._deadline))
        count = self._connection.recv_into(buffer)
        self._room -= count
        if self._room < 0:
            raise _too_long(self._place, self._limit)
        return count


def _left(deadline: Deadline) -> float:
    """Seconds left. Raises socket.timeout when there are none, since 0 would mean not to wait at all."""
    seconds = deadline.remaining()
    if not seconds:
        raise socket.timeout()
    return seconds
