"""A merchant's HTTPS server on loopback, which receives webhooks and can fail in many ways.

    with webhook_receiver() as receiver:       # receiver.url, receiver.ca_file
        receiver.answer(503)                   # from now on; receiver.fail(Fault.…) likewise
        …
        [request] = await receiver.received(1)

Each connection has a thread, so that the receiver works with any event loop and a response can
wait.
"""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

from tests.support.core.waiting import eventually
from tests.support.servers.tls import CertificateAuthority, Flaw, certificate_authority
from tests.support.webhooks.webhook_faults import Fault, old_tls, spoil, until_gone

_IDLE_S = 60.0
_MAX_HEAD = 64 * 1024


@dataclass(frozen=True)
class Received:
    """One request, with header names in lower case. `at`: monotonic seconds when it was
    complete."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    at: float


@dataclass(frozen=True)
class Reply:
    """A response. `after_s`: its delay, in seconds."""

    status: int = 200
    body: bytes = b"ok"
    headers: Mapping[str, str] = field(default_factory=dict)
    after_s: float = 0


Rule = Callable[[Received], Reply | Fault]


class WebhookReceiver:
    """A merchant's webhook receiver. `seen` contains complete requests in order. `contacts` and
    `open` are all connections and the open ones."""

    def __init__(self, authority: CertificateAuthority, flaw: Flaw | None) -> None:
        self.seen: list[Received] = []
        self.contacts = 0
        self._rule: Rule = lambda _: Reply()
        self._fault: Fault | None = None
        self._authority = authority
        self._tls = authority.server_context(flaw)
        self._let_go = threading.Event()
        self._lock = threading.Lock()
        self._open: dict[threading.Thread, socket.socket] = {}
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._accepting = threading.Thread(target=self._accept)
        self.port: int = self._listener.getsockname()[1]

    @property
    def url(self) -> str:
        return self.url_of("localhost")

    @property
    def ca_file(self) -> Path:
        """Return the file for WEBHOOK_CA_FILE."""
        return self._authority.file

    @property
    def open(self) -> int:
        with self._lock:
            return len(self._open)

    def url_of(self, host: str) -> str:
        """Return the same receiver's URL under another name. The certificate is valid for NAMES in
        tests.support.servers.tls."""
        return f"https://{host}:{self.port}/hooks"

    def answer(
        self,
        status: int = 200,
        body: bytes = b"ok",
        headers: Mapping[str, str] | None = None,
        after_s: float = 0,
    ) -> None:
        """Set the response to all further requests."""
        self.decide(lambda _: Reply(status, body, headers or {}, after_s))

    def fail(self, fault: Fault) -> None:
        """Set the fault of all further connections."""
        self.decide(lambda _: fault)
        self._fault = fault

    def decide(self, rule: Rule) -> None:
        """Set a function that decides the response. The function runs in the connection's thread,
        and cannot cause a fault that precedes the request."""
        self._fault = None
        self._rule = rule

    async def received(self, count: int, seconds: float = 40) -> list[Received]:
        """Wait for this many requests, and return the requests. Raises TimeoutError."""

        async def complete() -> list[Received] | None:
            return [*self.seen] if len(self.seen) >= count else None

        return await eventually(complete, seconds)

    def start(self) -> None:
        self._accepting.start()

    def stop(self) -> None:
        """End every connection, and wait for the threads."""
        self._let_go.set()
        # Closing alone does not wake an accepting thread.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._accepting.join()
        with self._lock:
            left = [*self._open.items()]
        for thread, connection in left:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            thread.join()

    def _accept(self) -> None:
        while not self._let_go.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.contacts += 1
            connection.settimeout(_IDLE_S)
            thread = threading.Thread(target=self._talk, args=(connection,))
            with self._lock:
                self._open[thread] = connection
            thread.start()

    def _talk(self, connection: socket.socket) -> None:
        try:
            # The sender may have disconnected, or may reject the data.
            with suppress(OSError, ValueError):
                self._serve(connection)
        finally:
            with self._lock:
                self._open.pop(threading.current_thread()).close()

    def _serve(self, connection: socket.socket) -> None:
        fault = self._fault
        match fault:
            case Fault.CLOSES_AT_ONCE:
                return
            case Fault.NO_HANDSHAKE:
                until_gone(connection, self._let_go)
                return
            case Fault.PLAIN_HTTP:
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                return
            case _:
                context = self._tls
        if fault is Fault.OLD_TLS:
            context = old_tls(self._authority.server_context())
        secure = self._wrapped(context, connection)
        request = _read(secure)
        self.seen.append(request)
        outcome = self._rule(request)
        if isinstance(outcome, Fault):
            spoil(secure, outcome, self._let_go)
        elif not outcome.after_s or not self._let_go.wait(outcome.after_s):
            secure.sendall(_rendered(outcome))

    def _wrapped(self, context: ssl.SSLContext, connection: socket.socket) -> ssl.SSLSocket:
        """Return a TLS socket that replaces the old object, which is then unusable."""
        secure = context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        with self._lock:
            self._open[threading.current_thread()] = secure
        secure.do_handshake()
        return secure


@contextmanager
def webhook_receiver(
    authority: CertificateAuthority | None = None, flaw: Flaw | None = None
) -> Iterator[WebhookReceiver]:
    """Create a receiver. Those that one sender must trust share an `authority`."""
    with ExitStack() as stack:
        if authority is None:
            authority = stack.enter_context(certificate_authority())
        receiver = WebhookReceiver(authority, flaw)
        receiver.start()
        stack.callback(receiver.stop)
        yield receiver


def _read(connection: ssl.SSLSocket) -> Received:
    """Read a request. Raises ValueError if it is invalid."""
    data = b""
    while b"\r\n\r\n" not in data:
        if len(data) > _MAX_HEAD or not (chunk := connection.recv(65536)):
            raise ValueError("no request")
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    length = int(headers.get("content-length", "0"))
    while len(body) < length:
        if not (chunk := connection.recv(65536)):
            raise ValueError("half a request")
        body += chunk
    return Received(method, path, headers, body, time.monotonic())


def _rendered(reply: Reply) -> bytes:
    reason = HTTPStatus(reply.status).phrase if reply.status in {*HTTPStatus} else "Whatever"
    headers = {"Content-Length": str(len(reply.body)), "Connection": "close", **reply.headers}
    lines = [f"HTTP/1.1 {reply.status} {reason}", *(f"{n}: {v}" for n, v in headers.items())]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + reply.body
