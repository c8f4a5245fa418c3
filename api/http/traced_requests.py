"""Middleware that records a tracing span for every request if tracing is enabled."""

from typing import Final

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adapters.observability.tracing import Traces

_KNOWN: Final[tuple[str, ...]] = ("request_id", "client_id", "event_id")
# Health checks are not traced, because monitoring systems send them every few seconds.
_PROBES: Final = frozenset({"/healthz", "/readyz"})


class TracedRequests:
    """Middleware that records a span for each request. It wraps `RequestContext`, so that the span
    can contain the ids that `RequestContext` determines."""

    def __init__(self, app: ASGIApp, traces: Traces) -> None:
        self._app = app
        self._traces = traces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in _PROBES:
            await self._app(scope, receive, send)
            return
        status = 0

        async def send_noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with self._traces.request() as request:
            try:
                await self._app(scope, receive, send_noting)
            finally:
                context = structlog.contextvars.get_contextvars()
                known = {name: str(context[name]) for name in _KNOWN if name in context}
                route = getattr(scope.get("route"), "path", "unmatched")
                request.ended(scope["method"], route, status, known)
