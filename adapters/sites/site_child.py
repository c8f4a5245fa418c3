"""A process that parses website pages."""

import zlib
from typing import Final

from adapters.processes.serving import serve
from adapters.sites.page_text import read_article, read_page
from adapters.sites.robots import Robots
from adapters.sites.site_wire import SiteAnswer, SiteRequest, SiteWork
from adapters.sites.sitemap import read_sitemap
from domain.content.site_import import MAX_PAGE_BYTES, PageNote
from domain.content.site_page import Fetched, PageUnreadable

_GZIP: Final = b"\x1f\x8b"
_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS


def _answer(request: bytes) -> bytes:
    return _answered(request).model_dump_json().encode()


def _answered(request: bytes) -> SiteAnswer:
    try:
        return _parsed(SiteRequest.model_validate_json(request))
    except PageUnreadable as unreadable:
        return SiteAnswer(refused=unreadable.note)
    except Exception as error:  # noqa: BLE001 - reported by its type, and the process goes on
        return SiteAnswer(failed=type(error).__name__)


def _parsed(asked: SiteRequest) -> SiteAnswer:
    robots = Robots(_plain(asked.robots), asked.agent)
    if asked.work is SiteWork.ROBOTS or asked.fetched is None:
        return SiteAnswer(robots=robots.read(asked.start))
    body = _plain(asked.fetched)
    if asked.work is SiteWork.SITEMAP:
        return SiteAnswer(sitemap=read_sitemap(body, robots, asked.start))
    if asked.work is SiteWork.ARTICLE:
        return SiteAnswer(page=read_article(asked.fetched, body))
    return SiteAnswer(page=read_page(asked.fetched, body, robots))


def _plain(fetched: Fetched | None) -> bytes:
    """Return the uncompressed body. Raises PageUnreadable if it is too large, before more than the
    limit is uncompressed."""
    if fetched is None:
        return b""
    if not fetched.body.startswith(_GZIP):
        return fetched.body
    unpacking = zlib.decompressobj(_GZIP_WINDOW)
    try:
        body = unpacking.decompress(fetched.body, MAX_PAGE_BYTES + 1)
    except zlib.error:
        raise PageUnreadable(PageNote.UNREACHABLE) from None
    if len(body) > MAX_PAGE_BYTES:
        raise PageUnreadable(PageNote.TOO_LARGE)
    return body


def _warm_up() -> None:
    fetched = Fetched(url="https://a.example/", status=200, body=b"<p>a</p>")
    request = SiteRequest(
        work=SiteWork.PAGE, fetched=fetched, start="https://a.example/", agent="a"
    )
    _answered(request.model_dump_json().encode())


if __name__ == "__main__":
    serve(_answer, warm_up=_warm_up)
