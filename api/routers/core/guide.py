"""/docs/guide: the documentation site, if it has been built."""

import asyncio
from typing import Final

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from api.resources import ResourcesDep
from domain.core.errors import RouteNotFound

_PLACE: Final = "/docs/guide"
_NOT_BUILT: Final = "The documentation site has not been built. Run `make docs`, then reload.\n"

router = APIRouter(include_in_schema=False)


@router.get(_PLACE)
async def guide() -> Response:
    # The links of the pages are relative to the folder.
    return RedirectResponse(f"{_PLACE}/", status_code=308)


@router.get(_PLACE + "/{path:path}")
async def guide_file(path: str, resources: ResourcesDep) -> Response:
    """Return a file of the site. Raises RouteNotFound if the site has no such file."""
    try:
        file = await asyncio.to_thread(resources.guide.file, path)
    except FileNotFoundError:
        return PlainTextResponse(
            _NOT_BUILT, status_code=404, headers={"X-Content-Type-Options": "nosniff"}
        )
    if file is None:
        raise RouteNotFound
    return Response(
        file.content,
        media_type=file.media_type,
        headers={
            # A new build is visible at once: most files keep their names.
            "Cache-Control": "no-cache",
            "Content-Security-Policy": file.policy,
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
        },
    )
