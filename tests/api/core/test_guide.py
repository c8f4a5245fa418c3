"""/docs/guide serves the files of the documentation site, and no other files."""

import dataclasses
import json
import os
from pathlib import Path

import httpx
import pytest

from api.guide import Guide
from tests.support.core.engine import LiveEngine

FILES = {
    "index.html": "<h1>Guide</h1>",
    "index.md": "# Guide",
    "llms.txt": "# Guide",
    "search.json": "{}",
    "decisions/index.html": "<h1>Decisions</h1>",
    "assets/script.js": "1",
    "assets/style.css": "a{}",
}


def served_from(front: LiveEngine, folder: Path) -> httpx.AsyncClient:
    resources = front.app.state.resources
    front.app.state.resources = dataclasses.replace(resources, guide=Guide(folder))
    return front.http


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "unlisted.html").write_text("not part of the site")
    (tmp_path / "secret.txt").write_text("secret")
    manifest = {"files": sorted(FILES), "scripts": ["sha256-abc="], "styles": ["sha256-def="]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


async def test_each_file_has_its_type(front: LiveEngine, site: Path) -> None:
    http = served_from(front, site)

    answers = {name: await http.get(f"/docs/guide/{name}") for name in FILES}

    assert {name: one.text for name, one in answers.items()} == FILES
    assert [one.headers["content-type"] for one in answers.values()] == [
        "text/html; charset=utf-8",
        "text/markdown; charset=utf-8",
        "text/plain; charset=utf-8",
        "application/json",
        "text/html; charset=utf-8",
        "text/javascript; charset=utf-8",
        "text/css; charset=utf-8",
    ]


async def test_a_folder_shows_its_index_page(front: LiveEngine, site: Path) -> None:
    http = served_from(front, site)

    assert (await http.get("/docs/guide/")).text == FILES["index.html"]
    assert (await http.get("/docs/guide/decisions/")).text == FILES["decisions/index.html"]
    moved = await http.get("/docs/guide")
    assert (moved.status_code, moved.headers["location"]) == (308, "/docs/guide/")


async def test_pages_load_nothing_from_other_origins(front: LiveEngine, site: Path) -> None:
    http = served_from(front, site)

    headers = (await http.get("/docs/guide/")).headers

    policy = dict(one.split(" ", 1) for one in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self' 'sha256-abc='"
    assert policy["style-src"] == "'self' 'sha256-def='"
    assert not [one for one in policy.values() if "http" in one or "unsafe" in one]
    assert policy["frame-ancestors"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    "path",
    [
        "unlisted.html",
        "manifest.json",
        "../secret.txt",
        "..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "assets/../../secret.txt",
        "assets/..%2f..%2fsecret.txt",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "index.html%00.md",
        "..\\secret.txt",
        "assets",
        "assets/",
    ],
)
async def test_other_paths_are_not_found(front: LiveEngine, site: Path, path: str) -> None:
    http = served_from(front, site)

    # httpx would resolve the dots in a relative URL.
    url = http.base_url.copy_with(raw_path=f"/docs/guide/{path}".encode())
    answer = await http.get(url)

    assert (answer.status_code, answer.json()["code"]) == (404, "route_not_found")


async def test_a_site_that_is_not_built_says_so(front: LiveEngine, tmp_path: Path) -> None:
    http = served_from(front, tmp_path)

    answer = await http.get("/docs/guide/api.html")

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert "make docs" in answer.text


def build_again(site: Path, start: str) -> None:
    (site / "index.html").write_text(start)
    manifest = site / "manifest.json"
    os.utime(manifest, ns=(0, manifest.stat().st_mtime_ns + 1))


async def test_a_new_build_is_served_at_once(front: LiveEngine, site: Path) -> None:
    http = served_from(front, site)
    await http.get("/docs/guide/")

    build_again(site, "new")

    answer = await http.get("/docs/guide/")
    assert (answer.text, answer.headers["cache-control"]) == ("new", "no-cache")


def test_responses_share_one_copy_of_a_file(site: Path) -> None:
    """Many connections that do not read would otherwise hold a copy each."""
    guide = Guide(site)
    first = guide.file("")
    again = guide.file("index.html")
    build_again(site, "rebuilt")
    rebuilt = guide.file("")

    assert first is not None
    assert again is not None
    assert rebuilt is not None
    assert again.content is first.content
    assert rebuilt.content == b"rebuilt"
