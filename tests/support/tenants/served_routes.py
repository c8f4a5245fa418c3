"""The service's routes."""

from collections.abc import Iterable, Iterator

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

Route = tuple[str, str]
"""Method and path."""


def routes_of(app: FastAPI) -> set[Route]:
    return {(method, route.path) for route in each_of(app) for method in route.methods or ()}


def each_of(app: FastAPI) -> Iterator[APIRoute]:
    """Return the routes themselves."""
    return _flat(app.routes)


def _flat(routes: Iterable[BaseRoute]) -> Iterator[APIRoute]:
    """Return routes, including those in included routers."""
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        else:
            inner = getattr(route, "original_router", None)
            yield from _flat(inner.routes if inner is not None else ())
