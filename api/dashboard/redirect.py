"""Leaving a page for another one, from where no answer can be returned."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response


class PageRedirect(Exception):
    """`location`: the page to show instead."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location


async def redirected(_: Request, error: Exception) -> Response:
    if not isinstance(error, PageRedirect):
        raise error
    return RedirectResponse(error.location, status_code=303, headers={"Cache-Control": "no-store"})
