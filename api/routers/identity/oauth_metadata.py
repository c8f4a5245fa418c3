"""Metadata for OAuth clients: RFC 9728 for the resource, RFC 8414 for the authorization server.
Both documents take the issuer from the same setting because OAuth clients compare it literally."""

from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from api.http.json_body import json_response
from api.http.oauth_route import PublicRoute
from api.resources import ResourcesDep
from domain.tenants.scopes import EVERY_SCOPE
from settings import Settings

router = APIRouter(route_class=PublicRoute)

MCP: Final = "/api/mcp"
TOKEN: Final = f"{MCP}/token"
REGISTER: Final = f"{MCP}/register"
REVOKE: Final = f"{MCP}/revoke"
AUTHORIZE: Final = "/authorize"

_METHODS: Final = ["GET", "OPTIONS"]
_CACHED: Final = {"Cache-Control": "public, max-age=300"}


def resource(settings: Settings) -> str:
    """Return the URL of the MCP server, which is the resource that an OAuth client's key gives
    access to."""
    return f"{settings.server.origin}{MCP}"


def resource_metadata(settings: Settings) -> str:
    """Return the URL of the resource's metadata. The MCP server's 401 responses include this
    URL."""
    return f"{settings.server.origin}/.well-known/oauth-protected-resource{MCP}"


@router.api_route(
    "/.well-known/oauth-protected-resource", methods=_METHODS, include_in_schema=False
)
@router.api_route(
    f"/.well-known/oauth-protected-resource{MCP}", methods=_METHODS, include_in_schema=False
)
async def protected_resource(resources: ResourcesDep) -> Response:
    return _public(
        {
            "resource": resource(resources.settings),
            "authorization_servers": [resources.settings.server.origin],
            "scopes_supported": EVERY_SCOPE,
            "bearer_methods_supported": ["header"],
            "resource_name": resources.settings.server.service_name,
        }
    )


@router.api_route(
    "/.well-known/oauth-authorization-server", methods=_METHODS, include_in_schema=False
)
@router.api_route(
    f"/.well-known/oauth-authorization-server{MCP}", methods=_METHODS, include_in_schema=False
)
@router.api_route("/.well-known/openid-configuration", methods=_METHODS, include_in_schema=False)
@router.api_route(
    f"/.well-known/openid-configuration{MCP}", methods=_METHODS, include_in_schema=False
)
@router.api_route(
    f"{MCP}/.well-known/openid-configuration", methods=_METHODS, include_in_schema=False
)
async def authorization_server(resources: ResourcesDep) -> Response:
    """Return the metadata of the authorization server. The same response is served at the OpenID
    Connect paths and at paths that include the issuer's path."""
    issuer = resources.settings.server.origin
    return _public(
        {
            "issuer": issuer,
            "authorization_endpoint": f"{issuer}{AUTHORIZE}",
            "token_endpoint": f"{issuer}{TOKEN}",
            "registration_endpoint": f"{issuer}{REGISTER}",
            "revocation_endpoint": f"{issuer}{REVOKE}",
            "scopes_supported": EVERY_SCOPE,
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "client_id_metadata_document_supported": True,
            "ui_locales_supported": ["fr", "en"],
        }
    )


def _public(document: dict[str, object]) -> Response:
    response = json_response(document)
    response.headers.update(_CACHED)
    return response
