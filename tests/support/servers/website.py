"""A local website: pages, robots.txt and sitemaps, with every kind of hostile answer."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final
from urllib.parse import urlsplit

_LET_GO_S: Final = 30
HTML: Final = "text/html; charset=utf-8"
XML: Final = "application/xml"


@dataclass(frozen=True)
class WebPage:
    """An answer of the website. The body of one that `drips` never ends."""

    body: bytes = b""
    status: int = 200
    content_type: str = HTML
    headers: Mapping[str, str] = field(default_factory=dict)
    drips: bool = False


@dataclass
class Website:
    """`pages` are the answers by path. Every other path is missing. `seen`: the paths asked for.
    `hold` are the paths that are not answered before `let_go`."""

    url: str = ""
    pages: dict[str, WebPage] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    hold: set[str] = field(default_factory=set)
    let_go: threading.Event = field(default_factory=threading.Event)

    def article(self, path: str, title: str, *sentences: str, links: tuple[str, ...] = ()) -> None:
        """Serve a page of a help centre: navigation, the article, and a footer."""
        text = "".join(f"<p>{one}</p>" for one in sentences)
        anchors = "".join(f'<p>See also <a href="{one}">this page</a>.</p>' for one in links)
        self.pages[path] = WebPage(
            f"""<!doctype html><html lang="en"><head><title>{title} – Help centre</title></head>
            <body><nav><ul><li><a href="/">Home</a></li><li>Unrelated menu</li></ul></nav>
            <main><article><h1>{title}</h1>{text}{anchors}</article></main>
            <footer><p>© All rights reserved</p></footer>
            <script>secretScript()</script></body></html>""".encode()
        )

    def sitemap(self, *paths: str, at: str = "/sitemap.xml") -> None:
        locations = "".join(f"<url><loc>{self.url}{path}</loc></url>" for path in paths)
        self.pages[at] = WebPage(
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locations}</urlset>'.encode(),
            content_type=XML,
        )

    def robots(self, text: str) -> None:
        self.pages["/robots.txt"] = WebPage(text.encode(), content_type="text/plain")


@contextmanager
def website() -> Iterator[Website]:
    site = Website()

    class Handler(_Handler):
        kept = site

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        site.let_go.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    kept: Website
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        self.kept.seen.append(path)
        if path in self.kept.hold:
            self.kept.let_go.wait(_LET_GO_S)
        page = self.kept.pages.get(path, WebPage(b"missing", 404))
        with suppress(ConnectionError):
            self.send_response(page.status)
            self.send_header("content-type", page.content_type)
            length = 10_000_000 if page.drips else len(page.body)
            self.send_header("content-length", str(length))
            for name, value in page.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(page.body)
            while page.drips and not self.kept.let_go.wait(0.02):
                self.wfile.write(b" ")
        self.close_connection = page.drips

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Write nothing to standard error."""
