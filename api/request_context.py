"""Around every request: its id, its log line, and the last word on errors.

Plain ASGI: Starlette's BaseHTTPMiddleware hides disconnects and buffers streams.
"""

import time

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import error_response
from domain.errors import DomainError, InternalError, MethodNotAllowed, RouteNotFound
from domain.ports import NewId

_log = structlog.get_logger("api")


class RequestContext:
    def __init__(self, app: ASGIApp, new_id: NewId) -> None:
        self._app = app
        self._new_id = new_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = self._new_id()
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        scope.setdefault("state", {})["request_id"] = request_id
        started = time.monotonic()
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [
                    *message.get("headers", []),
                    *scope["state"].get("headers", []),
                    (b"x-request-id", request_id.encode()),
                ]
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except Exception:
            _log.exception("unexpected error")
            if status:  # an answer has begun: the server can only cut the connection
                raise
            await error_response(InternalError(), request_id, Request(scope))(
                scope, receive, send_with_id
            )
        finally:
            _log.info(
                "request",
                method=scope["method"],
                path=scope["path"],
                status=status,
                duration_ms=round((time.monotonic() - started) * 1000),
            )


async def answer_domain_error(request: Request, error: Exception) -> Response:
    """FastAPI's handler for anticipated errors."""
    if not isinstance(error, DomainError):
        raise error
    response = error_response(error, request.state.request_id, request)
    if response.status_code >= 500:
        _log.error("request failed", code=error.code, cause=type(error.__cause__).__name__)
    return response


async def answer_http_error(request: Request, error: Exception) -> Response:
    """Starlette's own 404 and 405, in our shape and with their headers (Allow)."""
    if not isinstance(error, HTTPException):
        raise error
    known = MethodNotAllowed() if error.status_code == 405 else RouteNotFound()
    response = error_response(known, request.state.request_id, request)
    response.headers.update(error.headers or {})
    return response
