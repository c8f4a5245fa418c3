"""GET /.well-known/jwks.json: the public keys of our own session tokens."""

from fastapi import APIRouter
from starlette.responses import Response

from api.http.json_body import json_response
from api.services import ServicesDep
from domain.core.errors import RouteNotFound

router = APIRouter()


@router.get("/.well-known/jwks.json", include_in_schema=False)
async def jwks(services: ServicesDep) -> Response:
    """Raises RouteNotFound where session tokens are another provider's, or none."""
    if services.session_keys is None:
        raise RouteNotFound
    response = json_response(services.session_keys.published)
    response.headers["Cache-Control"] = "public, max-age=300"
    return response
