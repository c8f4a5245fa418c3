"""Middleware for every request: request id, log line, metrics, and handling of unexpected errors.
It is plain ASGI because Starlette's BaseHTTPMiddleware hides disconnects and buffers streams."""

import asyncio
import time
from dataclasses import dataclass
from typing import Final

import structlog
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.error_response import error_response
from api.http.cookies import without_escaped_cookies
from api.http.shown_path import shown_path
from api.http.widget_headers import standing_headers
from api.resources import Resources
from domain.core.error_report import ErrorReport, raised
from domain.core.errors import (
    BodyTooLarge,
    DomainError,
    EngineUnavailable,
    InternalError,
    InvalidRequest,
    MethodNotAllowed,
    RouteNotFound,
)
from domain.core.ports import NewId
from domain.runs.errors import AnswerDelayed

_log = structlog.get_logger("api")

# Seconds that cancelled requests have to finish before the resources are closed.
_LAST_WORDS_S: Final = 2.0
# The TLS-terminating proxy sends this request header. Other callers can send it without harm,
# because browsers ignore the HSTS header in a response without TLS (RFC 6797, 8.1).
_BEHIND_TLS: Final = (b"x-forwarded-proto", b"https")
_ONLY_TLS: Final = (b"strict-transport-security", b"max-age=31536000")
_OURS: Final[dict[int, type[DomainError]]] = {
    404: RouteNotFound,
    405: MethodNotAllowed,
    413: BodyTooLarge,
}


@dataclass(slots=True)
class _Progress:
    """The state of one request. `status` is 0 before the response. `error` is the error that ended
    the request. If `reported` is true, the error tracker has received it."""

    started: float
    status: int = 0
    reported: bool = False
    error: Exception | None = None


class RequestContext:
    def __init__(self, app: ASGIApp, new_id: NewId) -> None:
        self._app = app
        self._new_id = new_id
        self._at_work: set[asyncio.Task[object]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, self._after_requests(receive), send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if task := asyncio.current_task():
            self._at_work.add(task)
            task.add_done_callback(self._at_work.discard)
        await self._request(scope, receive, send)

    def _after_requests(self, receive: Receive) -> Receive:
        """Delay the server's shutdown message until the cancelled requests have ended.

        Cancelled requests still send a response and report an error, and both need the resources.
        """

        async def receive_late() -> Message:
            message = await receive()
            if message["type"] == "lifespan.shutdown" and self._at_work:
                await asyncio.wait(self._at_work, timeout=_LAST_WORDS_S)
            return message

        return receive_late

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        request_id = self._new_id()
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        progress = _Progress(started=time.monotonic())
        resources: Resources = scope["app"].state.resources
        scope["headers"] = without_escaped_cookies(scope["headers"])
        scope.setdefault("state", {}).update(
            request_id=request_id, progress=progress, headers=standing_headers(scope["path"])
        )

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                progress.status = message["status"]
                # Report the error before sending the response, so that a crash in between does not
                # lose the report.
                _report(scope, progress, resources)
                message["headers"] = [
                    *message.get("headers", []),
                    *scope["state"].get("headers", []),
                    (b"x-request-id", request_id.encode()),
                ]
                if _BEHIND_TLS in scope["headers"]:
                    message["headers"].append(_ONLY_TLS)
            await send(message)

        try:
            with resources.metrics.in_flight.track_inprogress():
                await self._app(scope, receive, send_with_id)
        except asyncio.CancelledError as cancelled:
            # The server cancels requests when its grace period ends. A client's disconnect does not
            # cancel its request.
            if not progress.status:
                progress.error = _abandoned(cancelled)
                await error_response(progress.error, request_id, Request(scope))(
                    scope, receive, send_with_id
                )
            raise
        except Exception as error:
            progress.error = error
            _log.exception("unexpected error")
            # The server can only close the connection because a response has started.
            if progress.status:
                raise
            await error_response(InternalError(), request_id, Request(scope))(
                scope, receive, send_with_id
            )
        finally:
            _conclude(scope, progress, resources)


def _abandoned(cancelled: asyncio.CancelledError) -> DomainError:
    """Log a request that was cancelled before its response started, and return the error to
    send."""
    event_id = structlog.contextvars.get_contextvars().get("event_id")
    error = AnswerDelayed(event_id) if event_id else EngineUnavailable()
    error.__cause__ = cancelled
    _log.error("request failed", code=error.code, cause=type(cancelled).__name__)
    return error


def _conclude(scope: Scope, progress: _Progress, resources: Resources) -> None:
    """Log and count the request, and report an error that occurred after the response started."""
    route = _route_of(scope)
    seconds = time.monotonic() - progress.started
    _log.info(
        "request",
        method=scope["method"],
        path=shown_path(scope),
        status=progress.status,
        duration_ms=round(seconds * 1000),
    )
    resources.metrics.answered(scope["method"], route, progress.status, seconds)
    _report(scope, progress, resources)


def _report(scope: Scope, progress: _Progress, resources: Resources) -> None:
    """Report a request once if it failed because of an internal error. A 5xx response that is
    marked as expected is not reported."""
    expected = scope["state"].get("expected", False)
    unexpected = progress.error is not None and not isinstance(progress.error, DomainError)
    if progress.reported or (not unexpected and (progress.status < 500 or expected)):
        return
    progress.reported = True
    known = structlog.contextvars.get_contextvars()
    resources.tracker.report(
        ErrorReport(
            place=f"{scope['method']} {_route_of(scope)}",
            code=_code(progress),
            exceptions=raised(progress.error) if progress.error else (),
            created_at=resources.now(),
            request_id=known.get("request_id"),
            client_id=known.get("client_id"),
            event_id=known.get("event_id"),
        )
    )


def _route_of(scope: Scope) -> str:
    """Return the path template of the request's route, or "unmatched"."""
    return getattr(scope.get("route"), "path", "unmatched")


def _code(progress: _Progress) -> str:
    if isinstance(progress.error, DomainError):
        return progress.error.code
    return InternalError.code if progress.error else f"http_{progress.status}"


async def answer_domain_error(request: Request, error: Exception) -> Response:
    """Return the response to an expected error. FastAPI calls this handler for each DomainError."""
    if not isinstance(error, DomainError):
        raise error
    response = error_response(error, request.state.request_id, request)
    if response.status_code >= 500:
        request.state.progress.error = error
        _log.error("request failed", code=error.code, cause=type(error.__cause__).__name__)
    else:
        _resources(request).metrics.refused(error.code)
    return response


async def answer_http_error(request: Request, error: Exception) -> Response:
    """Return the response to a Starlette error in our error format. The response keeps Starlette's
    headers, such as Allow."""
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code >= 500:
        request.state.progress.error = error
        _log.exception("unexpected error", exc_info=error)
        return error_response(InternalError(), request.state.request_id, request)
    known = _OURS.get(error.status_code, InvalidRequest)()
    response = error_response(known, request.state.request_id, request)
    response.headers.update(error.headers or {})
    if isinstance(known, MethodNotAllowed) and (methods := _methods(request)):
        response.headers["allow"] = methods
    _resources(request).metrics.refused(known.code)
    return response


def _methods(request: Request) -> str:
    """Return all methods that a path accepts, comma-separated. Starlette lists only the methods of
    the first matching route, and each of our routes has one."""
    path = getattr(request.scope.get("route"), "path", None)
    routes = [route for route in iter_route_contexts(request.app.routes) if route.path == path]
    return ", ".join(sorted({method for route in routes for method in route.methods or ()}))


def _resources(request: Request) -> Resources:
    resources: Resources = request.app.state.resources
    return resources
