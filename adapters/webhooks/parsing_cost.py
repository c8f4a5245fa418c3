"""A limit on the processor time for parsing a response from a host that a client of the service
chose.

HTTP is parsed in Python on the event loop. Parsing 64 KB of 1xx heads, one-byte chunks or short
headers takes a tenth of a second. An endless response would delay all other clients.
"""

import asyncio
import ssl
from collections.abc import Callable, Mapping
from time import thread_time
from typing import Any, Final

import httpcore
import httpx
from anyio import BrokenResourceError
from anyio.abc import ByteStream

MAX_HEAD: Final = 16 * 1024
"""Maximum size of the status line and headers of a response, and of the trailers of its body, in
bytes."""
PIECE: Final = 4 * 1024
"""Maximum number of bytes that are parsed before other tasks run."""
_ALLOWED_UNREAD: Final = 128 * 1024
_ALLOWED_PER_BYTE: Final = 4
"""For each byte of a response, the server may send this many bytes in total. TLS adds about a tenth
of a byte, unless the server sends endless session tickets."""
_ALLOWED_S: Final = 0.012
_ALLOWED_S_PER_BYTE: Final = 0.03e-3 / 1024
# A garbage collection can interrupt the parsing of a piece, so one piece counts only this much.
_MOST_S: Final = 0.004


class ParsingCost:
    """The processor time for parsing the responses on one connection. An instance belongs to one
    task at a time."""

    def __init__(self) -> None:
        self._left_s = _ALLOWED_S
        self._since: float | None = None

    def begin(self) -> None:
        """Start a new response."""
        self._left_s, self._since = _ALLOWED_S, None

    def received(self, size: int) -> None:
        """Record that the caller starts to parse a piece of the response. `size`: in bytes."""
        self._left_s += size * _ALLOWED_S_PER_BYTE
        self._since = thread_time()
        asyncio.get_running_loop().call_soon(self._stop)

    def is_spent(self) -> bool:
        """Return True if parsing took too much processor time. Call this method before the next
        piece is read."""
        if self._since is not None:
            self._left_s -= min(thread_time() - self._since, _MOST_S)
            self._since = None
        return self._left_s < 0

    def _stop(self) -> None:
        """Do not count the time of other tasks."""
        self._since = None


class BoundedTransport(httpx.AsyncHTTPTransport):
    """A transport that ends a response with httpx.RemoteProtocolError if parsing the response takes
    too much processor time. Other tasks run between pieces of the response."""

    def __init__(self, *, verify: ssl.SSLContext | None = None) -> None:
        """Create the transport. It keeps no idle connections. `verify`: the TLS settings, or None
        for httpx's own."""
        # Without a context, httpx would load the public authorities for each transport.
        context = verify or httpx.create_ssl_context(trust_env=False)
        super().__init__(verify=context, trust_env=False)
        # httpcore has no parameter for this limit, so it applies to all connections of the process.
        httpcore.AsyncHTTP11Connection.MAX_INCOMPLETE_EVENT_SIZE = MAX_HEAD
        # httpx passes no network backend to its pool, so the pool is replaced.
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            max_connections=None,
            max_keepalive_connections=0,
            network_backend=_Backend(httpcore.AnyIOBackend()),
        )


class _Received(ByteStream):
    """The bytes that a server sends, before decryption. Without a limit, OpenSSL would process
    endless session tickets, all that it has received in one step."""

    def __init__(self, inner: ByteStream) -> None:
        self._inner = inner
        self.allowed = _ALLOWED_UNREAD

    async def receive(self, max_bytes: int = PIECE) -> bytes:
        """Return the next piece. Raises anyio.BrokenResourceError if the server has sent much more
        than the response."""
        data = await self._inner.receive(min(max_bytes, PIECE))
        self.allowed -= len(data)
        if self.allowed < 0:
            raise BrokenResourceError
        return data

    async def send(self, item: bytes) -> None:
        await self._inner.send(item)

    async def send_eof(self) -> None:
        await self._inner.send_eof()

    async def aclose(self) -> None:
        await self._inner.aclose()

    @property
    def extra_attributes(self) -> Mapping[Any, Callable[[], Any]]:
        return self._inner.extra_attributes


class _Backend(httpcore.AsyncNetworkBackend):
    def __init__(self, inner: httpcore.AsyncNetworkBackend) -> None:
        self._inner = inner

    async def connect_tcp(self, *given: Any, **named: Any) -> httpcore.AsyncNetworkStream:
        stream = await self._inner.connect_tcp(*given, **named)
        received = None
        # httpcore has no parameter for the stream below TLS. Tests pass streams of another kind.
        if isinstance(below := getattr(stream, "_stream", None), ByteStream):
            received = _Received(below)
            setattr(stream, "_stream", received)  # noqa: B010 - the attribute is httpcore's
        return _Stream(stream, received)

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class _Stream(httpcore.AsyncNetworkStream):
    def __init__(self, inner: httpcore.AsyncNetworkStream, received: _Received | None) -> None:
        self._inner = inner
        self._received = received
        self._cost = ParsingCost()

    async def read(
        self,
        max_bytes: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is httpcore's
    ) -> bytes:
        if self._cost.is_spent():
            raise httpcore.RemoteProtocolError("the response is too costly to parse")
        await asyncio.sleep(0)
        data = await self._inner.read(min(max_bytes, PIECE), timeout)
        self._cost.received(len(data))
        if self._received is not None:
            self._received.allowed += _ALLOWED_PER_BYTE * len(data)
        return data

    async def write(
        self,
        buffer: bytes,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is httpcore's
    ) -> None:
        self._cost.begin()
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(self, *given: Any, **named: Any) -> httpcore.AsyncNetworkStream:
        return _Stream(await self._inner.start_tls(*given, **named), self._received)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
