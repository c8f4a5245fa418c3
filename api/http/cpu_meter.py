"""Measure the CPU time that each member's request uses of the event loop, and charge it to the
client."""

from collections.abc import Callable, Coroutine, Generator
from functools import partial
from time import thread_time
from typing import Any, Final

from starlette.types import ASGIApp, Receive, Scope, Send

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
        metered = _Metered(_coroutine(self._app, scope, receive, send))
        try:
            await metered
        finally:
            client = scope.get("state", {}).get("tenant")
            if client is not None:
                scope["app"].state.resources.limiter.cpu.spend(client, metered.used_s)


async def _coroutine(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    await app(scope, receive, send)


class _Metered:
    """An awaitable that adds up the CPU time of a coroutine's steps."""

    def __init__(self, work: Coroutine[Any, Any, None]) -> None:
        self._work = work
        self.used_s = 0.0

    def __await__(self) -> Generator[Any, Any, None]:
        step: Callable[[], Any] = partial(self._work.send, None)
        while True:
            began = thread_time()
            try:
                waited = step()
            except StopIteration:
                return
            finally:
                self.used_s += thread_time() - began
            try:
                yield waited
            except BaseException as error:  # noqa: BLE001 - passed on to the coroutine
                step = partial(self._work.throw, error)
                continue
            step = partial(self._work.send, None)
