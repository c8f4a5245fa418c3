"""The copilot's Markdown as HTML: allowed Markdown becomes markup, and customer text never does."""

import re

from api.dashboard.markdown import rendered
from tests.support.copilot.attacks import ATTACKS
from tests.support.core.each import each

_TAG = re.compile(r"<(/?)([a-z0-9]+)([^>]*)>")
_ALLOWED = {"p", "ul", "ol", "li", "em", "strong", "code", "pre", "br", "a"}
_OWN = "https://app.example/app"


def _path_of(url: str) -> str | None:
    return "/app" + url.removeprefix(_OWN) if url.startswith(f"{_OWN}/") else None


def html(text: str) -> str:
    return str(rendered(text, _path_of))


def test_what_is_allowed() -> None:
    shown = html(f"**Two** wait:\n- [anne]({_OWN}/reviews/1), *urgent*\n- `#1042`\n\nEnd")

    assert "<strong>Two</strong>" in shown
    assert shown.count("<li>") == 2
    assert '<a href="/app/reviews/1" dir="auto">anne</a>' in shown
    assert "<code>#1042</code>" in shown
    assert "<p>End</p>" in shown


@each(
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "[x](https://evil.example/app)",
        "[x](//evil.example)",
        "[x](https://app.example.evil.example/app/x)",
        "[x](https://app.example/appx)",
        "![x](https://evil.example/pixel.png)",
        f'[x]({_OWN}/x" onmouseover="alert(1))',
        f"[x]({_OWN}/x 'title')",
        "<https://evil.example>",
        "[x]: https://evil.example\n\n[x]",
        "# Heading\n\n> quote\n\n---\n\n| a | b |",
        "&lt;script&gt;",
        "*" * 500 + "[" * 500 + "(" * 500,
        *ATTACKS,
    ]
)
def test_hostile_text(text: str) -> None:
    shown = html(text)

    for _, name, attributes in _TAG.findall(shown):
        assert name in _ALLOWED, shown
        assert not re.search(r"\bon\w+\s*=", attributes), shown
        for target in re.findall(r'href="([^"]*)"', attributes):
            assert target.startswith("/app/"), shown
    assert "<script" not in shown
    assert "src=" not in re.sub(r"&lt;.*?&gt;", "", shown) or "<img" not in shown


def test_a_line_after_a_list_is_a_paragraph() -> None:
    assert "<p>Never cited: 3</p>" in html("- a\n- b\n\nNever cited: 3")
