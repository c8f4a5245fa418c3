"""Hostile websites: an answer costs a bounded amount of memory and time, and leads nowhere else."""

import gzip
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Final

import httpx
import pytest

from adapters.connectors.guarded import GuardedHosts
from adapters.connectors.http import open_client
from adapters.sites.site_fetcher import SiteFetcher
from adapters.sites.site_reader import WebSiteReader
from domain.content.site_import import MAX_PAGE_BYTES, PageNote
from domain.content.site_page import Fetched, PageUnreadable
from tests.support.servers.website import WebPage, Website, website

START: Final = "https://shop.example/help"
TEXT: Final = "<html lang=en><body><main><h1>Returns</h1><p>You have thirty days to return it.</p>"


class Wire(httpx.AsyncBaseTransport):
    """Receives what would be sent to a public address."""

    def __init__(self, answer: httpx.Response | None = None) -> None:
        self.sent: list[httpx.Request] = []
        self._answer = answer or httpx.Response(200, html="<p>ok</p>")

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        return self._answer


@pytest.fixture
def site() -> Iterator[Website]:
    with website() as one:
        yield one


@pytest.fixture(scope="module")
async def reader() -> AsyncIterator[WebSiteReader]:
    async with open_client() as http:
        fetcher = SiteFetcher(GuardedHosts(), http, allow_loopback=True, fetch_s=5)
        one = WebSiteReader(fetcher, agent="support-engine")
        yield one
        await one.close()


async def _note(reader: WebSiteReader, url: str) -> PageNote:
    with pytest.raises(PageUnreadable) as raised:
        await reader.fetch("c", url)
    return raised.value.note


def _page(body: str | bytes, charset: str = "", content_type: str = "text/html") -> Fetched:
    raw = body.encode() if isinstance(body, str) else body
    return Fetched(url=START, status=200, body=raw, content_type=content_type, charset=charset)


@pytest.mark.parametrize(
    ("url", "found"),
    [
        (START, ["127.0.0.1"]),
        (START, ["10.0.0.7"]),
        (START, ["93.184.216.34", "169.254.169.254"]),
        ("https://127.0.0.1/help", []),
        ("http://shop.example/help", ["93.184.216.34"]),
        ("https://shop.internal/help", ["93.184.216.34"]),
    ],
)
async def test_no_address_leads_inside(url: str, found: Sequence[str]) -> None:
    wire = Wire()
    hosts = GuardedHosts(lambda _: found, wire)
    async with open_client() as http:
        fetcher = SiteFetcher(hosts, http, allow_loopback=False)
        with pytest.raises(PageUnreadable) as raised:
            await fetcher.fetch("c", url)
    assert (raised.value.note, wire.sent) == (PageNote.BLOCKED, [])


async def test_a_redirect_to_another_host_is_not_followed() -> None:
    wire = Wire(httpx.Response(302, headers={"location": "https://127.0.0.1/admin"}))
    hosts = GuardedHosts(lambda _: ["93.184.216.34"], wire)
    async with open_client() as http:
        with pytest.raises(PageUnreadable) as raised:
            await SiteFetcher(hosts, http, allow_loopback=False).fetch("c", START)
    assert raised.value.note is PageNote.ELSEWHERE
    assert len(wire.sent) == 1


async def test_redirects_stay_on_the_site_and_end(reader: WebSiteReader, site: Website) -> None:
    with website() as other:
        other.article("/", "Inside", "A secret of another port of this machine, never to be read.")
        site.pages["/away"] = WebPage(status=302, headers={"location": f"{other.url}/"})
        site.pages["/loop"] = WebPage(status=302, headers={"location": "/loop"})
        site.pages["/old"] = WebPage(status=301, headers={"location": "new"})
        site.pages["/new"] = WebPage(b"<p>here</p>")

        assert await _note(reader, f"{site.url}/away") is PageNote.ELSEWHERE
        assert await _note(reader, f"{site.url}/loop") is PageNote.ELSEWHERE
        assert (await reader.fetch("c", f"{site.url}/old")).url == f"{site.url}/new"
        assert other.seen == []


async def test_a_huge_page_and_a_page_without_end_are_given_up(site: Website) -> None:
    site.pages["/huge"] = WebPage(b"a" * (MAX_PAGE_BYTES + 1))
    site.pages["/drip"] = WebPage(b"<p>", drips=True)
    site.pages["/br"] = WebPage(b"xx", headers={"content-encoding": "br"})
    async with open_client() as http:
        fetcher = SiteFetcher(GuardedHosts(), http, allow_loopback=True, fetch_s=0.5)
        quick = WebSiteReader(fetcher, agent="a")
        assert await _note(quick, f"{site.url}/drip") is PageNote.TOO_SLOW
        patient = SiteFetcher(GuardedHosts(), http, allow_loopback=True)
        quick = WebSiteReader(patient, agent="a")
        assert await _note(quick, f"{site.url}/huge") is PageNote.TOO_LARGE
        assert await _note(quick, f"{site.url}/br") is PageNote.NOT_HTML


async def test_a_gzip_bomb_is_not_unpacked(reader: WebSiteReader) -> None:
    bomb = gzip.compress(b"<p>" + b"a" * 50 * MAX_PAGE_BYTES)
    assert len(bomb) < MAX_PAGE_BYTES
    for work in (reader.page(_page(bomb), None), reader.sitemap(_page(bomb), None, START)):
        with pytest.raises(PageUnreadable) as raised:
            await work
        assert raised.value.note is PageNote.TOO_LARGE
    plain = await reader.page(_page(gzip.compress(TEXT.encode())), None)
    assert plain.title == "Returns"


async def test_scripts_and_hidden_text_are_no_text_of_a_page(reader: WebSiteReader) -> None:
    read = await reader.page(
        _page(
            TEXT + "<script>alert('script')</script><style>p{color:red}</style>"
            "<p hidden>hidden words</p><p style='display:none'>invisible words</p>"
            "<img src=x onerror=alert(1) alt='picture words'>"
            "<p>Send it to our <b>warehouse</b> &lt;b&gt;.</p></main>"
        ),
        None,
    )
    assert read.title == "Returns"
    for word in ("alert", "color", "hidden", "invisible", "picture", "onerror"):
        assert word not in read.body
    assert "Send it to our warehouse <b>." in read.body


@pytest.mark.parametrize(
    ("body", "charset", "expected"),
    [
        ("<meta charset=iso-8859-1><p>déjà vu".encode("latin-1"), "", "déjà vu"),
        ("<p>cinq €".encode("cp1252"), "windows-1252", "cinq €"),
        ("<p>été".encode("utf-16"), "utf-16", "été"),
        (b"<p>+ADw-script+AD4-", "utf-7", "+ADw-script+AD4-"),
        (b"<p>plain", "zlib", "plain"),
        (b"<p>plain", "x" * 40, "plain"),
        (b"<p>a\x00b\x1b[31m", "utf-8", "ab[31m"),
    ],
)
async def test_only_the_encodings_of_browsers_are_read(
    reader: WebSiteReader, body: bytes, charset: str, expected: str
) -> None:
    assert expected in (await reader.page(_page(body, charset), None)).body.replace("\ufffd", "")


async def test_a_costly_page_ends_its_process_and_not_ours(reader: WebSiteReader) -> None:
    """Deep nesting takes the library quadratic time. The kernel ends the process."""
    async with open_client() as http:
        fetcher = SiteFetcher(GuardedHosts(), http, allow_loopback=True)
        quick = WebSiteReader(fetcher, agent="a", cpu_s=0.1)
        with pytest.raises(PageUnreadable) as raised:
            await quick.page(_page("<div>" * 20_000 + "x"), None)
        await quick.close()
    assert raised.value.note is PageNote.TOO_COSTLY


async def test_a_sitemap_names_pages_of_its_site_only(reader: WebSiteReader) -> None:
    sitemap = """<!DOCTYPE u [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">
        <!ENTITY f SYSTEM "file:///etc/passwd">]>
        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        <url><loc>https://shop.example/help/a?utm_source=x#part</loc></url>
        <url><loc>https://shop.example/help/&b;</loc></url><url><loc>&f;</loc></url>
        <url><loc>https://other.example/help/b</loc></url>
        <url><loc>https://shop.example/helpless</loc></url>
        <url><loc>javascript:alert(1)</loc></url><url><loc>https://shop.example/help/a</loc></url>"""
    read = await reader.sitemap(_page(sitemap), None, START)
    assert read.pages[0].url == "https://shop.example/help/a"
    assert all(one.url.startswith("https://shop.example/help/") for one in read.pages)
    assert not any("root:" in one.url or "aaaa" in one.url for one in read.pages)


async def test_robots_txt_is_read_as_the_standard_says(reader: WebSiteReader) -> None:
    rules = _page(
        "User-agent: *\nDisallow: /\n\nUser-agent: support-engine\nDisallow: /help/*/draft$\n"
        "Allow: /help\nCrawl-delay: 900\nSitemap: https://shop.example/map.xml\n"
        "Sitemap: https://other.example/map.xml\n"
    )
    read = await reader.robots(rules, START)
    assert (read.start_allowed, read.delay_s) == (True, 10.0)
    assert read.sitemaps == ("https://shop.example/map.xml",)
    assert not (await reader.robots(rules, "https://shop.example/help/a/draft")).start_allowed
    assert (await reader.robots(None, START)).start_allowed
