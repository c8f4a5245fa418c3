"""The path of a request in logs: its template with ids. Only parameters known to be harmless are
filled in, so tokens in URLs are hidden by default."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, cast

from fastapi import FastAPI
from starlette.routing import BaseRoute
from starlette.types import Scope

# Maximum length of a path in logs and errors. The paths of our routes are shorter, so a longer path
# matches no route.
MAX_SHOWN: Final = 256
HIDDEN: Final = "…"
_PARAMETER: Final = re.compile(r"\{(\w+)(?::\w+)?\}")
_NO_SECRET: Final = frozenset({"provider", "event", "version"})


def shown_path(scope: Scope) -> str:
    """Return the path to show in a log line. For a path without a route, return only the leading
    segments that occur in a route."""
    template = getattr(scope.get("route"), "path", None)
    if isinstance(template, str):
        values = cast("Mapping[str, object]", scope.get("path_params") or {})
        return _PARAMETER.sub(lambda found: _value(found[1], values), template)[:MAX_SHOWN]
    return _known_part(scope["path"], _prefixes(scope["app"]))[:MAX_SHOWN]


def is_shown(parameter: str) -> bool:
    """Return True if logs show the values of path parameters with this name."""
    return parameter.endswith("_id") or parameter in _NO_SECRET


def _value(parameter: str, values: Mapping[str, object]) -> str:
    if is_shown(parameter) and parameter in values:
        return str(values[parameter])
    return HIDDEN


def _known_part(path: str, prefixes: frozenset[str]) -> str:
    if path in prefixes:
        return path
    known = ""
    for segment in path.split("/")[1:]:
        if f"{known}/{segment}" not in prefixes:
            break
        known += f"/{segment}"
    return f"{known}/{HIDDEN}"


@lru_cache(maxsize=4)
def _prefixes(app: FastAPI) -> frozenset[str]:
    """Return the fixed prefixes of all routes, such as `/app` and `/app/rate`."""
    found = {"/"}
    for template in _templates(app.routes):
        prefix = ""
        for segment in template.split("/")[1:]:
            if not segment or "{" in segment:
                break
            prefix += f"/{segment}"
            found.add(prefix)
    return frozenset(found)


def _templates(routes: Iterable[BaseRoute]) -> Iterator[str]:
    """Yield the path templates of all routes, including those of included routers."""
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from _templates(inner.routes)
        elif isinstance(path := getattr(route, "path", None), str):
            yield path
