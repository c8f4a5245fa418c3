"""The network of a test that means to call nobody."""

import httpx


class _Nowhere(httpx.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("nobody is called", request=request)


def no_way_out() -> httpx.AsyncClient:
    """In place of `open_client`: each request fails as if the other side were away."""
    return httpx.AsyncClient(transport=_Nowhere())
