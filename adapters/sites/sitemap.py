"""Read a sitemap file (sitemaps.org), in bounded time and memory for any input."""

from collections.abc import Iterator
from typing import Final, cast

from lxml import etree

from adapters.sites.robots import Robots, on_origin
from domain.content.site_address import is_below, page_address
from domain.content.site_import import MAX_LISTED, MAX_SITEMAPS
from domain.content.site_page import SitemapRead

_MAX_LOCATIONS: Final = 50_000
"""Maximum number of addresses that are read from one file. The protocol has the same limit."""


def read_sitemap(body: bytes, robots: Robots, start: str) -> SitemapRead:
    """Return the pages in a sitemap that are below `start`, and the sitemap files in an index. An
    invalid file is read up to its first error."""
    pages: list[str] = []
    files: list[str] = []
    for parent, location in _locations(body):
        if not location:
            continue
        if parent == "sitemap":
            if len(files) < 4 * MAX_SITEMAPS:
                files.append(location)
        elif len(pages) < MAX_LISTED:
            page = page_address(start, location)
            if page is not None and is_below(page, start):
                pages.append(page)
    return SitemapRead(
        pages=tuple(robots.found(url) for url in dict.fromkeys(pages)),
        sitemaps=on_origin(files, start),
    )


def _locations(body: bytes) -> Iterator[tuple[str, str]]:
    """Yield each address with the local name of the element that contains it. Entities are not
    expanded, and no other file is read."""
    parser = etree.XMLPullParser(
        events=("end",), recover=True, resolve_entities=False, no_network=True, huge_tree=False
    )
    parser.feed(body)
    count = 0
    for _, found in parser.read_events():
        # The type is public in lxml, despite its name.
        element = cast("etree._Element", found)  # noqa: SLF001 - lxml exports the type so
        if etree.QName(element).localname != "loc":
            continue
        above = element.getparent()
        yield (
            "" if above is None else etree.QName(above).localname,
            (element.text or "").strip(),
        )
        count += 1
        if count >= _MAX_LOCATIONS:
            return
