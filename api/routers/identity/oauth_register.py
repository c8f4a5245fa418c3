"""POST /api/mcp/register: dynamic registration of OAuth clients (RFC 7591)."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.http.client_address import client_network
from api.http.json_body import json_response
from api.http.oauth_route import OAuthRoute, described, read_fields
from api.resources import ResourcesDep
from api.routers.identity.oauth_metadata import REGISTER
from api.schemas.identity.oauth import RegistrationAnswer, RegistrationRequest
from domain.core.errors import InvalidBody
from domain.identity.errors import OAuthError, OAuthRefused
from domain.intake.rate_limit import LimitScope
from services.identity.oauth_registration import register_client

router = APIRouter(route_class=OAuthRoute)


@router.post(
    REGISTER,
    operation_id="oauth.register",
    summary="Register an OAuth client",
    **described(RegistrationRequest, RegistrationAnswer, status=201),
)
@router.options(REGISTER, include_in_schema=False)
async def register(request: Request, resources: ResourcesDep) -> Response:
    """Register an OAuth client, and return 201 with the registered values. Every OAuth client is
    registered as public, even if it requests otherwise."""
    try:
        metadata = await read_fields(request, LimitScope.REGISTRATION)
    except InvalidBody:
        raise OAuthRefused(
            OAuthError.INVALID_CLIENT_METADATA, "a JSON object of at most 16 KiB is needed"
        ) from None
    async with resources.work.everywhere() as work:
        client = await register_client(work, metadata, client_network(request))
        issued_at = int(work.now.timestamp())
    return json_response(
        {
            "client_id": client.id,
            "client_id_issued_at": issued_at,
            "client_name": client.name,
            "redirect_uris": client.redirect_uris,
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        },
        status=201,
    )
