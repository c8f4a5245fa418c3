"""/app/static: the static files that pages load."""

from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.static import STATIC
from api.resources import ResourcesDep
from domain.core.errors import RouteNotFound

_FOR_EVER: Final = "public, max-age=31536000, immutable"
_A_WHILE: Final = "public, max-age=60"

router = APIRouter(include_in_schema=False)


@router.get(STATIC + "/{version}/{name}")
async def static_file(version: str, name: str, resources: ResourcesDep) -> Response:
    """Return a static file. For a page from an older build, return the current version of the file
    with a short cache lifetime. Raises RouteNotFound if there is no such file."""
    known = resources.pages.static
    file = known.files.get(name)
    if file is None:
        raise RouteNotFound
    return Response(
        file.content,
        media_type=file.media_type,
        headers={
            "Cache-Control": _FOR_EVER if version == known.version else _A_WHILE,
            "X-Content-Type-Options": "nosniff",
        },
    )
