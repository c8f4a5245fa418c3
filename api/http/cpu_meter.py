"""Measure the CPU time that each member's request uses of the event loop, and charge it to the
client."""

from time import thread_time
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.request_steps import MeteredSteps

# Events have their own limits, and the gateway's calls are the most frequent.
_NOT_METERED: Final = ("/api/engine/", "/api/widget/", "/api/webhooks/")


class CpuMeter:
    """ASGI middleware. It charges a request's CPU time to the client that the route's dependencies
    store as `request.state.tenant`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(_NOT_METERED):
            await self._app(scope, receive, send)
            return
        metered = MeteredSteps(_coroutine(self._app, scope, receive, send), thread_time)
        try:
            await metered
        finally:
            client = scope.get("state", {}).get("tenant")
            if client is not None:
                scope["app"].state.resources.limiter.cpu.spend(client, metered.used_s)


async def _coroutine(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    await app(scope, receive, send)
