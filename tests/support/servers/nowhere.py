"""A network without external access, for tests without outgoing calls."""

import httpx


class _Nowhere(httpx.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("nobody is called", request=request)


def no_way_out() -> httpx.AsyncClient:
    """Return a client for `open_client` with which each request fails as if the server were
    unavailable."""
    return httpx.AsyncClient(transport=_Nowhere())
