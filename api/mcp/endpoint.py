"""The POST /api/mcp route: authentication, scopes, and the call to the MCP server. Scopes are
checked here because the MCP server cannot respond with 403."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Annotated, Any, Final

import structlog
from fastapi import APIRouter, Depends, Request
from fastapi.routing import APIRoute
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import PARSE_ERROR
from pydantic import JsonValue
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Message

from api.auth import authenticate, authorize, limiter_key, note_use
from api.error_response import error_response
from api.gateway_answers import CallStart
from api.http.json_body import json_response, parse_object, read_body
from api.mcp import resources
from api.mcp.catalogue import TOOLS
from api.mcp.server import PATH
from api.mcp.tool import AtWork
from api.resources import Resources
from domain.core.errors import InvalidBody
from domain.intake.rate_limit import LimitScope
from domain.tenants.errors import AccessDenied, InsufficientScope, Unauthenticated
from domain.tenants.scopes import EVERY_SCOPE, Scope, require_scope
from store.tenants.keys import ActiveKey

_METADATA: Final = f"/.well-known/oauth-protected-resource{PATH}"


class _McpRoute(APIRoute):
    """A route that adds a challenge to its 401 and 403 responses. The challenge states where the
    caller can obtain a key or a scope (RFC 9728, RFC 6750)."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()

        async def challenged(request: Request) -> Response:
            try:
                return await answer(request)
            except (Unauthenticated, InsufficientScope) as error:
                response = error_response(error, request.state.request_id, request)
                response.headers["www-authenticate"] = _challenge(error, request)
                return response

        return challenged


router = APIRouter(route_class=_McpRoute)


def _challenge(error: Unauthenticated | InsufficientScope, request: Request) -> str:
    resources: Resources = request.app.state.resources
    where = f'resource_metadata="{resources.settings.server.origin}{_METADATA}"'
    if isinstance(error, InsufficientScope):
        return f'Bearer error="insufficient_scope", scope="{error.scope}", {where}'
    return f'Bearer error="invalid_token", {where}, scope="{" ".join(EVERY_SCOPE)}"'


async def _key_holder(request: Request) -> CallStart:
    """Check the API key of the request before its body is read, and count the request. Return the
    request's start. Raises Unauthenticated, TooManyRequests."""
    resources: Resources = request.app.state.resources
    call_start = CallStart.now(resources)
    caller = await _key(request, resources)
    request.state.caller = limiter_key(caller)
    # Requests are counted per client because a client may have a hundred keys.
    await resources.limiter.check_request(request, LimitScope.MCP, caller.client_id, call_start.at)
    note_use(request, caller)
    structlog.contextvars.bind_contextvars(client_id=caller.client_id)
    return call_start


async def _key(request: Request, resources: Resources) -> ActiveKey:
    """Return the API key that authenticates the request. Session tokens are for the dashboard, and
    are rejected. Raises Unauthenticated."""
    caller = await authenticate(request.headers, resources)
    if not isinstance(caller, ActiveKey):
        raise Unauthenticated
    return caller


async def _at_work(request: Request, call_start: CallStart) -> AtWork:
    """Return the context of the tool call. The key is read here because it may have been revoked
    while the body arrived. Raises Unauthenticated."""
    resources: Resources = request.app.state.resources
    key = await _key(request, resources)
    tenant, actor = await authorize(key, key.client_id, resources)
    request.state.tenant = tenant
    resources.limiter.check_cpu(tenant)
    return AtWork(key, tenant, actor, call_start, request.state.request_id, resources)


@router.post(PATH, summary="Send a Model Context Protocol message", include_in_schema=False)
async def mcp(start: Annotated[CallStart, Depends(_key_holder)], request: Request) -> Response:
    """Processes one JSON-RPC message. `docs/mcp.md` describes the tools."""
    body = await read_body(request)
    at_work = await _at_work(request, start)
    try:
        message = parse_object(body)
    except InvalidBody:
        return _unreadable()
    for needed in _needed(message):
        require_scope(at_work.key.scopes, needed)
    request.state.mcp = at_work
    return await _answered(request.app.state.mcp, request, body)


def _unreadable() -> Response:
    messages = "One JSON object expected, in UTF-8, without repeated keys or NUL"
    error: dict[str, JsonValue] = {"code": PARSE_ERROR, "message": messages}
    return json_response({"jsonrpc": "2.0", "id": None, "error": error}, status=400)


def _needed(message: Mapping[str, JsonValue]) -> tuple[Scope, ...]:
    """Return the scopes that a message requires, or an empty tuple if every key may send the
    message."""
    params = message.get("params")
    if not isinstance(params, dict):
        return ()
    match message.get("method"), params.get("name"), params.get("uri"):
        case "tools/call", str(name), _ if name in TOOLS:
            return TOOLS[name].scopes
        case "resources/read", _, str(uri):
            return (resources.scope_of(uri),)
        case _:
            return ()


async def _answered(
    manager: StreamableHTTPSessionManager, request: Request, body: bytes
) -> Response:
    """Return the MCP server's complete response, which is never streamed. Raises AccessDenied if
    the request comes from a page of another origin, and HTTPException for an error that has no
    protocol message."""
    given: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    messages: list[Message] = []

    async def receive() -> Message:
        return given.pop() if given else await request.receive()

    async def send(message: Message) -> None:
        messages.append(message)

    # The MCP server compares header values literally. Remove surrounding whitespace, which is not
    # part of the value (RFC 9110, 5.5).
    headers = [(name, value.strip(b" \t")) for name, value in request.scope["headers"]]
    await manager.handle_request({**request.scope, "headers": headers}, receive, send)
    start, *rest = messages
    response = Response(b"".join(part.get("body", b"") for part in rest), int(start["status"]))
    response.raw_headers[:] = start["headers"]
    is_json = response.headers.get("content-type", "").startswith("application/json")
    if response.status_code >= 400 and not is_json:
        if response.status_code == 403:
            raise AccessDenied
        raise HTTPException(response.status_code)
    return response
