"""Extract the title, the main text and the links of an HTML page."""

from collections.abc import Iterator
from typing import Final

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding, map_encoding_to_html5
from resiliparse.parse.html import DocumentNode, HTMLTree

from adapters.sites.robots import Robots
from domain.content.site_address import page_address
from domain.content.site_import import MAX_LISTED, PageNote
from domain.content.site_page import Fetched, PageText, PageUnreadable, page_text
from domain.core.effort import spend

_MAX_LINKS: Final = 2_000
"""Maximum number of links that are read from one page."""

# Hidden elements. The library itself recognizes them only in its search for the main text.
_HIDDEN: Final = (
    "[hidden]", '[style*="display:none" i]', '[style*="display: none" i]',
    '[style*="visibility:hidden" i]', '[style*="visibility: hidden" i]',
)  # fmt: skip

# The separators between a page's title and the name of the site.
_SEPARATORS: Final = (" – ", " — ", " | ", " · ", " - ")


def read_page(fetched: Fetched, body: bytes, robots: Robots) -> PageText:
    """Return the title, main text and links of a page, without scripts, navigation and hidden
    elements. Raises PageUnreadable."""
    spend(len(body))
    tree = HTMLTree.parse(_decoded(body, fetched.charset))
    text = _text(tree, main_content=True)
    document = tree.document
    if document is None:
        raise PageUnreadable(PageNote.EMPTY)
    root = document.query_selector("html")
    language = root.getattr("lang", "") if root is not None else ""
    urls = dict.fromkeys(_links(document, fetched.url))
    found = tuple(robots.found(url) for url in list(urls)[:MAX_LISTED])
    return page_text(_title(document, str(tree.title or "")), text, str(language or ""), found)


def read_article(fetched: Fetched, body: bytes) -> PageText:
    """Return the whole text of an article, without scripts and hidden elements. Headings and lists
    are kept, which the search for a page's main text may take for navigation."""
    spend(len(body))
    tree = HTMLTree.parse(_decoded(body, fetched.charset))
    return page_text("", _text(tree, main_content=False), "", ())


def _text(tree: HTMLTree, *, main_content: bool) -> str:
    return str(
        extract_plain_text(
            tree, preserve_formatting=True, main_content=main_content, links=False,
            skip_elements=None if main_content else list(_HIDDEN),
            alt_texts=False, form_fields=False, comments=False, hidden_elements=False,
        )
    )  # fmt: skip


def _decoded(body: bytes, charset: str) -> str:
    """Return the text of a page in an encoding that browsers support. If the charset is unknown,
    the encoding is detected from the page's declaration or its bytes."""
    encoding = map_encoding_to_html5(charset, fallback_utf8=False) if charset else None
    encoding = encoding or detect_encoding(body, from_html_meta=True) or "utf-8"
    return str(bytes_to_str(body, encoding, errors="replace"))


def _title(document: DocumentNode, title: str) -> str:
    """Return the only first-level heading of the page, or its title without the site's name."""
    headings = document.query_selector_all("h1")
    if len(headings) == 1 and (text := str(headings[0].text or "").strip()):
        return text
    for separator in _SEPARATORS:
        before, found, _ = title.rpartition(separator)
        if found and before.strip():
            return before
    return title


def _links(document: DocumentNode, base: str) -> Iterator[str]:
    anchors = document.query_selector_all("a[href]")
    for place in range(min(len(anchors), _MAX_LINKS)):
        page = page_address(base, str(anchors[place].getattr("href") or ""))
        if page is not None:
            yield page
