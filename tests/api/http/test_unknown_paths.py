"""A path without a route is rejected before the router tries its routes, and no other path is."""

import pytest
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.routing import Match, Mount

from api.http.unknown_paths import UnknownPaths
from tests.support.core.engine import LiveEngine


def is_rejected(front: LiveEngine, path: str) -> bool:
    first = front.app.router.routes[0]
    assert isinstance(first, UnknownPaths)
    match, _ = first.matches({"type": "http", "path": path, "root_path": "", "method": "GET"})
    return match is Match.FULL


@pytest.mark.parametrize(
    "path",
    [
        "/nope",
        "",
        "//",
        "/api",
        "/api/nope",
        "/api/engine/gateway/",
        "/api/engine/gateway/more",
        "/app/runs/a/b/c/d",
        "/HEALTHZ",
        "/" * 60_000,
        "/{}",
        "/{:path}",
    ],
)
async def test_an_unknown_path_reaches_no_route(
    front: LiveEngine, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_rejected(front, path)
    if not path.startswith("/") or path.startswith("//"):
        return

    def tried(*_: object) -> None:
        raise AssertionError("a route was tried")

    monkeypatch.setattr(APIRoute, "matches", tried)
    assert (await front.http.get(path)).status_code == 404


async def test_each_route_is_reached(front: LiveEngine) -> None:
    seen = 0
    for route in iter_route_contexts(front.app.routes):
        if isinstance(route.original_route, UnknownPaths):
            continue
        assert route.path is not None
        path = "/".join("a" if "{" in one else one for one in route.path.split("/"))
        under = f"{path}/a" if isinstance(route.original_route, Mount) else path
        assert not is_rejected(front, under), path
        seen += 1
    assert seen > 400


async def test_a_path_parameter_contains_slashes(front: LiveEngine) -> None:
    assert not is_rejected(front, "/docs/guide/")
    assert not is_rejected(front, "/docs/guide/a/b/c")


async def test_a_known_path_with_another_method_is_not_unknown(front: LiveEngine) -> None:
    answer = await front.http.delete("/healthz")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
