"""Measure the CPU time that requests use of the event loop, and charge it to the client or the
sender."""

from time import perf_counter, thread_time
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.request_steps import MeteredSteps

# Platforms' webhooks have limits of their own, also for rejected requests.
_NOT_METERED: Final = ("/api/webhooks/",)
# Reading a thread's CPU time takes a system call. Events are frequent, and their steps short, so
# their elapsed time is sufficient.
_FREQUENT: Final = ("/api/engine/", "/api/widget/")


class CpuMeter:
    """ASGI middleware. It charges a request's CPU time to the client that the route's dependencies
    store as `request.state.tenant`.

    Senders of events store `request.state.sender` instead. They are charged for rejected requests
    only, in full, because accepted events have their own limits.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(_NOT_METERED):
            await self._app(scope, receive, send)
            return
        clock = perf_counter if scope["path"].startswith(_FREQUENT) else thread_time
        metered = MeteredSteps(_coroutine(self._app, scope, receive, send), clock)
        try:
            await metered
        finally:
            _charge(scope, metered.used_s)


def _charge(scope: Scope, used_s: float) -> None:
    state = scope.get("state", {})
    cpu = scope["app"].state.resources.limiter.cpu
    if (client := state.get("tenant")) is not None:
        cpu.spend(client, used_s)
    elif (sender := state.get("sender")) is not None and 400 <= state["progress"].status < 500:
        cpu.charge(sender, used_s)


async def _coroutine(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    await app(scope, receive, send)
