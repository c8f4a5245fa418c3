"""GET /.well-known/jwks.json: the public keys for verifying our session tokens."""

from fastapi import APIRouter, Response

from api.resources import ResourcesDep
from domain.core.errors import RouteNotFound

router = APIRouter()


@router.get("/.well-known/jwks.json", include_in_schema=False)
async def jwks(resources: ResourcesDep, response: Response) -> dict[str, list[dict[str, str]]]:
    """Return the public keys of our session tokens as a JWK Set. Raises RouteNotFound if this
    installation does not issue session tokens."""
    if resources.session_keys is None:
        raise RouteNotFound
    response.headers["Cache-Control"] = "public, max-age=300"
    return resources.session_keys.published
