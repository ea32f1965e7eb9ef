"""A server on 127.0.0.1 that behaves as a test scripts it: well, late, endlessly, or not like HTTP at all.

    with ScriptedHttp(answers({"answers": {}})) as server:
        ...  # post to server.url, then look at server.requests

Each request is met by the next act of the script; the last act is repeated. An act is called with the connection
and the request; all that wait end when the server stops.
"""

import base64
import gzip
import json
import os
import socket
import ssl
import tempfile
import threading

REMOTE = "judge.acme-shop.example"  # a name that the certificate holds, beside localhost and 127.0.0.1
_DASHES = "-" * 5
_KEY = (
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPPA9T1LIWFk5Ur7bWktKEO7Atyg0K56ADo+WAL6bWD6hRANCAAR5"
    "MF/xGeXraJ9/Dsljv+TRB7lMB3KE3TnfRI8I65uqHHpF4aQUUhDY7J2rgHhPyVJGizs/JfGIyNuzZo1L0NvO")
_CERTIFICATE = (
    "MIIBmzCCAUCgAwIBAgIBATAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA5hY21lLXNob3AgdGVzdDAgFw0yMDAxMDEwMDAwMDBaGA8y"
    "MTIwMDEwMTAwMDAwMFowGTEXMBUGA1UEAwwOYWNtZS1zaG9wIHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR5MF/xGeXr"
    "aJ9/Dsljv+TRB7lMB3KE3TnfRI8I65uqHHpF4aQUUhDY7J2rgHhPyVJGizs/JfGIyNuzZo1L0NvOo3cwdTAdBgNVHQ4EFgQUVtoO"
    "Iadjhi7reRlwM9TTBMVXPqIwMwYDVR0RBCwwKoIXanVkZ2UuYWNtZS1zaG9wLmV4YW1wbGWCCWxvY2FsaG9zdIcEfwAAATAOBgNV"
    "HQ8BAf8EBAMCAoQwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAjD2FxnI6lX4h+syP8aZVEya+iiuVbPGRtJSL"
    "l8HvHLkCIQC6kE6aRQN4No5md6AgxI1DoyTXGUfdPMLCaYZ0CWD7jA==")


class Request:
    """One request: its first line, its headers by lower-case name, and its body."""

    def __init__(self, line, headers, body):
        self.line = line
        self.headers = headers
        self.body = body

    def json(self):
        return json.loads(self.body)


class ScriptedHttp:
    """A context manager: the server runs inside, and `requests` holds what it got. With `tls` it speaks https."""

    def __init__(self, *script, tls=False):
        self.script = list(script)
        self.requests = []
        self.connections = 0
        self.over = threading.Event()
        self._context = _tls_context() if tls else None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._threads = []
        self._open = set()
        self.port = self._listener.getsockname()[1]
        self.url = "%s://127.0.0.1:%d/v1/systemone" % ("https" if tls else "http", self.port)

    def __enter__(self):
        self._start(self._accept)
        return self

    def __exit__(self, *_):
        self.over.set()
        with self._lock:
            for connection in self._open:
                _shut(connection)
        _shut(self._listener)
        for thread in self._threads:
            thread.join(10)
        self._listener.close()

    def _start(self, target, *arguments):
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self):
        while not self.over.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._start(self._serve, connection)

    def _serve(self, connection):
        with self._lock:
            self._open.add(connection)
        try:
            self._meet(self._context.wrap_socket(connection, server_side=True) if self._context else connection)
        except (OSError, ValueError):
            pass  # the client went away, which is what many tests want
        finally:
            with self._lock:
                self._open.discard(connection)
            connection.close()

    def _meet(self, connection):
        with connection:
            request = self.read(connection)
            if request:
                self._next()(Connection(connection, self), request)

    def read(self, connection):
        """The next request of a connection, put on record; None where there is none."""
        with connection.makefile("rb") as file:
            line = file.readline().decode("latin-1").strip()
            if not line:
                return None
            headers = dict(_header(each) for each in iter(file.readline, b"\r\n"))
            request = Request(line, headers, file.read(int(headers.get("content-length", 0))))
        with self._lock:
            self.requests.append(request)
        return request

    def _next(self):
        with self._lock:
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]


class Connection:
    """What an act works with."""

    def __init__(self, connection, server):
        self.socket = connection
        self.server = server

    def send(self, data):
        self.socket.sendall(data)

    def wait(self, seconds=None):
        """Until then, for ever without seconds, or until the server stops; whether it still runs."""
        return not self.server.over.wait(seconds)


def _shut(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def _header(line):
    name, _, value = line.decode("latin-1").partition(":")
    return name.strip().lower(), value.strip()


def write_certificate(folder, key=False):
    """A file with the certificate that `tls` uses, for SSL_CERT_FILE; with `key` its private key as well."""
    path = os.path.join(folder, "pair.pem" if key else "authority.pem")
    with open(path, "w", encoding="ascii") as file:
        for kind, text in (("PRIVATE KEY", _KEY), ("CERTIFICATE", _CERTIFICATE))[0 if key else 1:]:
            encoded = base64.encodebytes(base64.b64decode(text)).decode("ascii")
            file.write("%sBEGIN %s%s\n%s%sEND %s%s\n" % (_DASHES, kind, _DASHES, encoded, _DASHES, kind, _DASHES))
    return path


def _tls_context():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        context.load_cert_chain(write_certificate(folder, key=True))
    return context


def message(body, status="200 OK", headers=(), length=True, version="1.1"):
    """The bytes of an answer."""
    lines = ["HTTP/%s %s" % (version, status), "Content-Type: application/json"]
    lines += ["Content-Length: %d" % len(body)] if length else []
    lines += ["%s: %s" % pair for pair in headers]
    return "\r\n".join(lines + ["", ""]).encode("latin-1") + body


def raw(data):
    """Send these bytes, be they HTTP or not, and close."""
    return lambda connection, request: connection.send(data)


def answers(content, status="200 OK", headers=()):
    """Send an object as JSON."""
    return raw(message(json.dumps(content).encode("utf-8"), status, headers))


def computed(function):
    """Send as JSON what the function makes of the request's JSON."""
    return lambda connection, request: answers(function(request.json()))(connection, request)


def after(seconds, act):
    """Do nothing for a while first."""
    return lambda connection, request: connection.wait(seconds) and act(connection, request)


def hang(connection, request):
    """Never answer."""
    connection.wait()


def trickle(data, pace=1.0):
    """Send a byte each `pace` seconds."""
    def act(connection, request):
        for position in range(len(data)):
            connection.send(data[position:position + 1])
            if not connection.wait(pace):
                return
    return act


def flood(size, length=True):
    """Send an answer of that many bytes, with or without telling so before."""
    def act(connection, request):
        head = message(b"", length=False)[:-2]
        connection.send(head + (b"Content-Length: %d\r\n\r\n" % size if length else b"\r\n"))
        for _ in range(size // 65_536):
            connection.send(b"x" * 65_536)
    return act


def cut(content, missing=5):
    """Close some bytes before the end of an answer."""
    return raw(message(json.dumps(content).encode("utf-8"))[:-missing])


def chunked(content, size=7):
    """Send an object in pieces of `size` bytes."""
    body = json.dumps(content).encode("utf-8")
    pieces = [body[begin:begin + size] for begin in range(0, len(body), size)] + [b""]
    text = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    return raw(message(b"", headers=[("Transfer-Encoding", "chunked")], length=False) + text)


def http10(content):
    """Send an object in the oldest way: its end is where the connection ends."""
    return raw(message(json.dumps(content).encode("utf-8"), length=False, version="1.0"))


def gzipped(content):
    """Send an object compressed, asked for or not."""
    body = gzip.compress(json.dumps(content).encode("utf-8"))
    return raw(message(body, headers=[("Content-Encoding", "gzip")]))


def redirect(url, status="302 Found"):
    """Send the client elsewhere."""
    return raw(message(b"", status, [("Location", url)]))


def tunnel(act):
    """Be a proxy: let a CONNECT through, and be the https service behind it as well."""
    def opened(connection, request):
        connection.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        with _tls_context().wrap_socket(connection.socket, server_side=True) as inner:
            act(Connection(inner, connection.server), connection.server.read(inner))
    return opened
