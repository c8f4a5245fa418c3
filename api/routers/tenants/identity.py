"""GET /.well-known/jwks.json: the public keys of our own session tokens."""

from fastapi import APIRouter, Response

from api.services import ServicesDep
from domain.core.errors import RouteNotFound

router = APIRouter()


@router.get("/.well-known/jwks.json", include_in_schema=False)
async def jwks(services: ServicesDep, response: Response) -> dict[str, list[dict[str, str]]]:
    """Raises RouteNotFound where session tokens are another provider's, or none."""
    if services.session_keys is None:
        raise RouteNotFound
    response.headers["Cache-Control"] = "public, max-age=300"
    return services.session_keys.published
