"""Routes of the OAuth protocol, with errors in its format. Pages of any origin may call them
(CORS), so they ignore cookies."""

from collections.abc import Callable, Coroutine, Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from api.dashboard.forms import read_form
from api.errors import ANSWERS
from api.http.client_address import limited_address
from api.http.json_body import json_response, parse_object, read_body
from api.openapi import RETRY_AFTER, UNAUTHENTICATED, in_one_piece
from api.resources import Resources
from api.schemas.core.error import ErrorBody
from api.schemas.identity.oauth import OAuthErrorBody
from domain.core.errors import DomainError, InvalidBody, UnsupportedMediaType
from domain.identity.errors import OAuthError, OAuthRefused
from domain.intake.errors import TooManyRequests
from domain.intake.rate_limit import LimitScope

_CORS: Final = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET, POST, OPTIONS"),
    (b"access-control-allow-headers", b"Authorization, Content-Type, MCP-Protocol-Version"),
    (b"access-control-max-age", b"86400"),
]
_NEVER_CACHED: Final = [(b"cache-control", b"no-store"), (b"pragma", b"no-cache")]
_MAX_BODY: Final = 16 * 1024


def described(
    request: type[BaseModel], answer: type[BaseModel], *, status: int = 200
) -> dict[str, Any]:
    """Return the options that describe an operation in the OpenAPI document. Error bodies follow
    RFC 6749, except for internal errors."""
    schema = in_one_piece(request)
    return {
        "tags": ["oauth"],
        "status_code": status,
        "responses": {
            status: {"model": answer},
            400: {"model": OAuthErrorBody},
            401: {**UNAUTHENTICATED, "model": OAuthErrorBody},
            408: {"model": OAuthErrorBody},
            413: {"model": OAuthErrorBody},
            429: {"model": OAuthErrorBody, "headers": RETRY_AFTER},
            **{one: {"model": ErrorBody} for one in (404, 405, 500)},
        },
        "openapi_extra": {
            "requestBody": {
                "required": True,
                "content": {
                    "application/x-www-form-urlencoded": {"schema": schema},
                    "application/json": {"schema": schema},
                },
            }
        },
    }


class PublicRoute(APIRoute):
    """A route that pages of any origin may call: it sends CORS headers and answers preflight
    requests."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        inner = super().get_route_handler()

        async def handle(request: Request) -> Response:
            request.state.headers = [*_CORS]
            if request.method == "OPTIONS":
                return Response(status_code=HTTPStatus.NO_CONTENT)
            return await inner(request)

        return handle


class OAuthRoute(PublicRoute):
    """A public route whose responses are never cached and whose errors use the format of RFC
    6749."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        inner = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                return await inner(request)
            except DomainError as error:
                answer = _answer(error)
                if answer is None:
                    raise
                return answer

        return handle


def never_cached(request: Request) -> None:
    """Add headers that forbid caching to the request's response."""
    request.state.headers = [*request.state.headers, *_NEVER_CACHED]


async def read_fields(request: Request, limit: LimitScope) -> Mapping[str, object]:
    """Return the fields of a form or a JSON object. Counts the request by address. Raises
    TooManyRequests, UnsupportedMediaType, InvalidBody and the readers' errors."""
    resources: Resources = request.app.state.resources
    never_cached(request)
    await resources.limiter.check_address(request, limit, resources.now())
    request.state.caller = f"ip:{limited_address(request)}"
    if request.headers.get("content-type", "").lower().startswith("application/json"):
        return parse_object(_bounded(await read_body(request)))
    return await read_form(request, at_most=_MAX_BODY)


def _bounded(body: bytes) -> bytes:
    if len(body) > _MAX_BODY:
        raise InvalidBody(f"plus de {_MAX_BODY} octets")
    return body


def text_fields(given: Mapping[str, object]) -> dict[str, str]:
    """Return the nonempty text fields; an empty one counts as missing (RFC 6749, 3.1). Raises
    OAuthRefused (invalid_request)."""
    if not all(isinstance(value, str) for value in given.values()):
        raise OAuthRefused(OAuthError.INVALID_REQUEST, "every parameter is text")
    return {name: value for name, value in given.items() if isinstance(value, str) and value}


def needed(given: Mapping[str, str], name: str) -> str:
    """Return the value of the parameter `name`. Raises OAuthRefused (invalid_request) if it is
    missing."""
    if name not in given:
        raise OAuthRefused(OAuthError.INVALID_REQUEST, f"{name} is missing")
    return given[name]


def _answer(error: DomainError) -> Response | None:
    """Return the OAuth error response, or None for an internal error. Internal errors are handled
    and reported as on any other route."""
    match error:
        case OAuthRefused():
            if error.error is not OAuthError.INVALID_CLIENT:
                return _error(error.error, error.description, 400)
            refusal = _error(error.error, error.description, 401)
            refusal.headers["www-authenticate"] = (
                "Bearer"  # RFC 9110 requires a 401 response to name an authentication scheme.
            )
            return refusal
        case TooManyRequests():
            refusal = _error(OAuthError.TEMPORARILY_UNAVAILABLE, "too many requests", 429)
            refusal.headers["retry-after"] = str(max(1, round(error.retry_after_s or 1)))
            return refusal
        case InvalidBody() | UnsupportedMediaType():
            needs = "a form or a JSON object of at most 16 KiB is needed, each parameter once"
            return _error(OAuthError.INVALID_REQUEST, needs, 400)
    status = ANSWERS[type(error)].status if type(error) in ANSWERS else 500
    if status >= 500:
        return None
    return _error(OAuthError.INVALID_REQUEST, error.code, status)


def _error(error: OAuthError, description: str, status: int) -> Response:
    return json_response({"error": error, "error_description": description}, status=status)
