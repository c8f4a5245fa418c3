"""POST /api/mcp/token exchanges an OAuth client's code for a key, or confirms a key. POST
/api/mcp/revoke revokes it (RFC 7009).

The refresh token is the key itself, which does not expire.
"""

import secrets
from collections.abc import Mapping
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.http.client_address import client_network
from api.http.json_body import json_response
from api.http.oauth_route import OAuthRoute, described, needed, read_fields, text_fields
from api.resources import Resources, ResourcesDep
from api.routers.identity.oauth_metadata import REVOKE, TOKEN, resource
from api.schemas.identity.oauth import (
    RevocationAnswer,
    RevocationRequest,
    TokenAnswer,
    TokenRequest,
)
from domain.identity.errors import OAuthError, OAuthRefused
from domain.identity.grant import check_resource, written
from domain.intake.rate_limit import LimitScope
from domain.tenants.api_key import KEY_BYTES
from services.identity.token import (
    IssuedKey,
    PresentedCode,
    end_connection,
    exchange_code,
    find_connection,
    tenant_of_code,
)

router = APIRouter(route_class=OAuthRoute)

_METHODS: Final = ["POST", "OPTIONS"]


@router.post(
    TOKEN,
    operation_id="oauth.token",
    summary="Exchange an authorization code for a key",
    **described(TokenRequest, TokenAnswer),
)
@router.options(TOKEN, include_in_schema=False)
@router.api_route(
    "/token", methods=_METHODS, include_in_schema=False
)  # Some OAuth clients use this path by default.
async def token(request: Request, resources: ResourcesDep) -> Response:
    """The grant types are `authorization_code`, with PKCE, and `refresh_token`. The refresh token
    is the key itself, so a refresh returns the same key. Each address may send a limited number of
    requests per minute."""
    given = text_fields(await read_fields(request, LimitScope.EXCHANGE))
    match needed(given, "grant_type"):
        case "authorization_code":
            issued = await _exchanged(given, resources, client_network(request))
        case "refresh_token":
            issued = await _refreshed(given, resources)
        case _:
            raise OAuthRefused(
                OAuthError.UNSUPPORTED_GRANT_TYPE, "authorization_code or refresh_token is needed"
            )
    return json_response(
        {
            "access_token": issued.key,
            "token_type": "Bearer",
            "refresh_token": issued.key,
            "scope": written(issued.scopes),
        }
    )


@router.post(
    REVOKE,
    operation_id="oauth.revoke",
    summary="Revoke a key",
    **described(RevocationRequest, RevocationAnswer),
)
@router.options(REVOKE, include_in_schema=False)
async def revoke(request: Request, resources: ResourcesDep) -> Response:
    """Revoke the OAuth client's key. Return 200 even if the token is not one of this OAuth client's
    keys, because the caller then has no key to revoke."""
    given = text_fields(await read_fields(request, LimitScope.EXCHANGE))
    presented = needed(given, "token")
    async with resources.database.reading_across() as reading:
        found = await find_connection(reading, presented, given.get("client_id"))
    if found is not None:
        async with resources.work.spanning(found.tenant) as work:
            await end_connection(work, found, network=client_network(request))
    return json_response({})


async def _exchanged(given: Mapping[str, str], resources: Resources, network: str) -> IssuedKey:
    presented = PresentedCode(
        code=needed(given, "code"),
        verifier=needed(given, "code_verifier"),
        oauth_client_id=_client_id(given),
        redirect_uri=needed(given, "redirect_uri"),
        network=network,
    )
    check_resource(given, resource(resources.settings))
    async with resources.database.reading_across() as reading:
        tenant = await tenant_of_code(reading, presented.code)
    if tenant is None:
        raise OAuthRefused(OAuthError.INVALID_GRANT, "the code is unknown")
    async with resources.work.spanning(tenant) as work:
        issued = await exchange_code(work, presented, secrets.token_bytes(KEY_BYTES))
    if isinstance(issued, OAuthRefused):
        raise issued
    return issued


async def _refreshed(given: Mapping[str, str], resources: Resources) -> IssuedKey:
    key, oauth_client_id = needed(given, "refresh_token"), _client_id(given)
    check_resource(given, resource(resources.settings))
    async with resources.database.reading_across() as reading:
        found = await find_connection(reading, key, oauth_client_id)
    if found is None:
        raise OAuthRefused(
            OAuthError.INVALID_GRANT, "the refresh token is unknown, revoked or of another client"
        )
    return IssuedKey(key, found.scopes)


def _client_id(given: Mapping[str, str]) -> str:
    """Return the OAuth client's id. Raises OAuthRefused if the request does not identify an OAuth
    client."""
    if "client_id" not in given:
        raise OAuthRefused(OAuthError.INVALID_CLIENT, "client_id is missing")
    return given["client_id"]
