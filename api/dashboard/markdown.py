"""Render the copilot's Markdown as safe HTML.

The text may quote customers, so only paragraphs, lists, emphasis, code and links to dashboard pages
become markup.
"""

from collections.abc import Callable
from functools import cache
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

_ENABLED: Final = ("list", "fence", "backticks", "emphasis", "link", "newline", "escape")
_MAX_NESTING: Final = 8


@cache
def _parser() -> MarkdownIt:
    # The preset "zero" enables paragraphs and plain text only. Raw HTML, images, headings,
    # reference links and automatic links stay disabled.
    options = {"html": False, "linkify": False, "breaks": True, "maxNesting": _MAX_NESTING}
    return MarkdownIt("zero", options).enable(list(_ENABLED))


def rendered(text: str, path_of: Callable[[str], str | None]) -> Markup:
    """Return the HTML of a Markdown text. `path_of` returns the dashboard path for a URL, or None,
    which leaves only the link's label."""
    parser = _parser()
    tokens = parser.parse(text)
    for token in tokens:
        if token.children:
            token.children = _with_links(token.children, path_of)
    # Safe: html is disabled, and the renderer escapes the text of all tokens.
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704


def _with_links(children: list[Token], path_of: Callable[[str], str | None]) -> list[Token]:
    """Return a paragraph's tokens with links to dashboard pages. Other links are replaced by their
    labels."""
    kept: list[Token] = []
    is_known = False
    for token in children:
        if token.type == "link_open":
            path = path_of(str(token.attrGet("href")))
            is_known = path is not None
            if path is None:
                continue
            token.attrs = {"href": path, "dir": "auto"}
        elif token.type == "link_close" and not is_known:
            continue
        kept.append(token)
    return kept
