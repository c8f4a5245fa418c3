"""/app/static: the files that pages load."""

from pathlib import Path
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from domain.core.errors import RouteNotFound

_TYPES: Final = {".css": "text/css; charset=utf-8"}
_FILES: Final = Path(__file__).with_name("static")

router = APIRouter(include_in_schema=False)


@router.get("/app/static/{name}")
async def static_file(name: str) -> Response:
    """Raises RouteNotFound. The names are looked up, never joined to a path."""
    files = {file.name: file for file in _FILES.iterdir() if file.suffix in _TYPES}
    file = files.get(name)
    if file is None:
        raise RouteNotFound
    return Response(
        file.read_bytes(),
        media_type=_TYPES[file.suffix],
        headers={"Cache-Control": "public, max-age=3600", "X-Content-Type-Options": "nosniff"},
    )
