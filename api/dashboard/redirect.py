"""A redirect to another page, raised where no response can be returned."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response


class PageRedirect(Exception):
    """Redirect to the page at `location`."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location


async def redirected(_: Request, error: Exception) -> Response:
    if not isinstance(error, PageRedirect):
        raise error
    return RedirectResponse(error.location, status_code=303, headers={"Cache-Control": "no-store"})
