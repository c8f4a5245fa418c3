"""A limit on the processor time for parsing a response from a host that a client of the service
chose.

HTTP is parsed in Python on the event loop. Parsing 64 KB of 1xx heads, one-byte chunks or short
headers takes a tenth of a second. An endless response would delay all other clients.
"""

import asyncio
import ssl
from time import thread_time
from typing import Any, Final

import httpcore
import httpx

MAX_HEAD: Final = 16 * 1024
"""Maximum size of the status line and headers of a response, and of the trailers of its body, in
bytes."""
PIECE: Final = 4 * 1024
"""Maximum number of bytes that are parsed before other tasks run."""
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


class _Backend(httpcore.AsyncNetworkBackend):
    def __init__(self, inner: httpcore.AsyncNetworkBackend) -> None:
        self._inner = inner

    async def connect_tcp(self, *given: Any, **named: Any) -> httpcore.AsyncNetworkStream:
        return _Stream(await self._inner.connect_tcp(*given, **named))

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class _Stream(httpcore.AsyncNetworkStream):
    def __init__(self, inner: httpcore.AsyncNetworkStream) -> None:
        self._inner = inner
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
        return _Stream(await self._inner.start_tls(*given, **named))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
