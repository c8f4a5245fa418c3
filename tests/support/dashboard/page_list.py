"""All user-facing pages, from the routes."""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cache
from html import unescape
from typing import Final
from urllib.parse import urlsplit

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.routing import compile_path

from api.dashboard.every_page import PAGE_ROUTERS
from api.dashboard.page import OnPage
from api.dashboard.post import Posted
from domain.tenants.client import Role

_LINK: Final = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"')
# Links that are not pages: files, and public resources.
STATIC: Final = "/app/static/"


@dataclass(frozen=True, slots=True)
class PageRoute:
    """A page's route. `roles` have access, or anyone if None. `finds_owner` means that the record
    determines the client before the role is checked."""

    method: str
    path: str
    roles: Set[Role] | None
    finds_owner: bool = False

    @property
    def has_record(self) -> bool:
        return "{" in self.path

    def fits(self, path: str) -> bool:
        return compile_path(self.path)[0].match(path) is not None


@cache
def page_routes() -> tuple[PageRoute, ...]:
    """Return the page routes in matching order."""
    return tuple(
        _page_route(method, route)
        for router in PAGE_ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute) and not route.path.startswith(STATIC)
        for method in sorted(route.methods or ())
    )


def _page_route(method: str, route: APIRoute) -> PageRoute:
    for one in _all_of(route.dependant):
        if isinstance(one.call, OnPage | Posted):
            on_page = one.call if isinstance(one.call, OnPage) else one.call._on_page
            return PageRoute(method, route.path, on_page.roles, on_page._client_of is not None)
    return PageRoute(method, route.path, None)


def _all_of(dependant: Dependant) -> Iterator[Dependant]:
    for one in dependant.dependencies:
        yield one
        yield from _all_of(one)


def seen_pages() -> tuple[PageRoute, ...]:
    """Return the pages that a member may open."""
    return tuple(one for one in page_routes() if one.method == "GET" and one.roles is not None)


def route_at(path: str, method: str = "GET") -> PageRoute | None:
    """Return the first route that matches a path."""
    return next(
        (one for one in page_routes() if one.method == method and one.fits(path)),
        None,
    )


def links_of(page: str) -> list[str]:
    """Return a page's links within the dashboard, as paths with their query."""
    found = []
    for link in map(unescape, _LINK.findall(page)):
        to = urlsplit(link)
        if not to.netloc and (to.path == "/app" or to.path.startswith("/app/")):
            found.append(to.path + (f"?{to.query}" if to.query else ""))
    return list(dict.fromkeys(found))
