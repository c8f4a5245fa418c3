"""The HTTP client for model providers. It limits the size of responses."""

from collections.abc import AsyncIterator
from typing import Final

import httpx2

# Connection timeout in seconds. A healthy provider accepts a connection within this time.
_CONNECT_S: Final = 3.0


class _Capped(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, limit: int) -> None:
        self._inner = inner
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for part in self._inner:
            read += len(part)
            if read > self._limit:
                raise httpx2.ReadError("the answer is too long")
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


class CappedTransport(httpx2.AsyncBaseTransport):
    """An HTTP transport that reads at most `limit` bytes from a response body. A longer body fails
    like a broken connection. A compressed body fails too because its size is unknown. The client
    never requests one."""

    def __init__(self, limit: int) -> None:
        self._inner = httpx2.AsyncHTTPTransport()
        self._limit = limit

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["accept-encoding"] = "identity"
        response = await self._inner.handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise httpx2.ReadError("the answer is compressed")
        if not isinstance(response.stream, httpx2.AsyncByteStream):
            raise TypeError("an asynchronous transport answers with an asynchronous stream")
        response.stream = _Capped(response.stream, self._limit)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


def model_client(limit: int, timeout_s: float) -> httpx2.AsyncClient:
    """Return the HTTP client for one provider. `limit` is the maximum response in bytes, and
    `timeout_s` the timeout of a read in seconds."""
    return httpx2.AsyncClient(
        transport=CappedTransport(limit),
        timeout=httpx2.Timeout(timeout_s, connect=min(_CONNECT_S, timeout_s)),
        follow_redirects=False,
    )
