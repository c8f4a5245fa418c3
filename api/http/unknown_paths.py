"""Reject paths without a route before the router tries each of its routes."""

from collections.abc import Iterable
from typing import Final

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match, Mount
from starlette.types import Receive, Scope, Send

_ANY: Final = "{}"
_REST: Final = "{:path}"
_END: Final = "/"


class _Segments(dict[str, "_Segments"]):
    """A tree of the segments of paths.

    `_ANY` is the key of a segment with a parameter. `_REST` is the key where any path may follow,
    and `_END` the key where a path ends.
    """


class UnknownPaths(BaseRoute):
    """The first route of an application. It matches the paths that no other route matches, and
    raises a 404 error.

    Some paths without a route may not match, and the router then tries each route.
    """

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._known = _Segments()
        self._routes = 0

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return a full match if no other route of the application has this path."""
        if scope["type"] != "http" or scope.get("root_path"):
            return Match.NONE, {}
        routes = self._app.router.routes
        # Tests add routes to an application that already served requests.
        if len(routes) != self._routes:
            self._known, self._routes = _tree_of(_paths(routes)), len(routes)
        return (Match.NONE if _is_in(self._known, scope["path"]) else Match.FULL), {}

    async def handle(self, _scope: Scope, _receive: Receive, _send: Send) -> None:
        """Raise the router's error for an unknown path."""
        raise HTTPException(status_code=404)


def _paths(routes: Iterable[BaseRoute]) -> Iterable[str]:
    for route in iter_route_contexts([*routes]):
        if isinstance(route.original_route, UnknownPaths):
            continue
        if isinstance(route.original_route, Mount):
            yield f"{route.path}/{_REST}"
        else:
            yield route.path or _REST


def _tree_of(paths: Iterable[str]) -> _Segments:
    tree = _Segments()
    for path in paths:
        inside = tree
        for segment in path.split("/"):
            key = _segment_key(segment)
            inside = inside.setdefault(key, _Segments())
            if key == _REST:
                break
        inside[_END] = _Segments()
    return tree


def _segment_key(segment: str) -> str:
    if ":path}" in segment:
        return _REST
    return _ANY if "{" in segment else segment


def _is_in(tree: _Segments, path: str) -> bool:
    """Return True if the tree has the path. Only the segments up to the tree's depth are read."""
    level, rest = [tree], f"{path}/"
    while level:
        if any(_REST in one for one in level):
            return True
        segment, slash, rest = rest.partition("/")
        if not slash:
            return any(_END in one for one in level)
        keys = (segment, _ANY)
        level = [one[key] for one in level for key in keys if key in one]
    return False
