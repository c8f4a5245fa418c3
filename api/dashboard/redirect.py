"""A redirect to another page, as an exception for code that cannot return a response."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response


class PageRedirect(Exception):
    """An exception that redirects the browser to the page at `location`."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location


async def redirected(_: Request, error: Exception) -> Response:
    """Return the redirect (303) for a PageRedirect. Raises all other errors again."""
    if not isinstance(error, PageRedirect):
        raise error
    return RedirectResponse(error.location, status_code=303, headers={"Cache-Control": "no-store"})
