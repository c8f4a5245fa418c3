"""A merchant's site with its own origin, and a visitor's browser."""

import asyncio
import contextlib
import html
import shutil
import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import uvicorn
from playwright.async_api import Browser, BrowserContext, Locator, Page, async_playwright
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.types import ASGIApp

CHROMIUM: Final = shutil.which("chromium")
PHONE: Final = (390, 844)

# The script keeps its shadow root closed. Only these tests can read it.
LOOK_IN: Final = """
(() => {
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (init) {
    return attach.call(this, { ...init, mode: "open" });
  };
})();
"""


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the tests."""
        yield


@asynccontextmanager
async def listening(app: ASGIApp, port: int = 0) -> AsyncIterator[str]:
    """Serve a test application over HTTP. Yields its origin."""
    there = socket.create_server(("127.0.0.1", port))
    config = uvicorn.Config(
        app, lifespan="off", log_config=None, access_log=False, timeout_graceful_shutdown=1
    )
    server = _Server(config)
    serving = asyncio.create_task(server.serve([there]))
    try:
        yield f"http://127.0.0.1:{there.getsockname()[1]}"
    finally:
        server.should_exit = True
        await serving


@dataclass
class Site:
    """A merchant's pages. Their policy allows only the service's script, and no styles or inline
    code.

    `tags` are the attributes of each widget's script tag.
    """

    service: str
    url: str = ""
    title: str = "Maison"
    tags: tuple[Mapping[str, str], ...] = ()
    language: str = "en"

    @property
    def app(self) -> ASGIApp:
        return Starlette(routes=[Route("/{path:path}", self._page)])

    async def _page(self, _: Request) -> HTMLResponse:
        tags = "".join(
            f'<script async src="{self.service}/widget.js"{_attributes(tag)}></script>'
            for tag in self.tags
        )
        page = (
            f'<!doctype html><html lang="{self.language}"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{html.escape(self.title)}</title>{tags}</head><body>"
            f'<main><h1>A shop</h1><a href="/second">Second page</a> <button>Buy</button></main>'
            "</body></html>"
        )
        policy = (
            f"default-src 'none'; script-src {self.service}; connect-src {self.service}; "
            f"img-src {self.service}"
        )
        return HTMLResponse(page, headers={"Content-Security-Policy": policy})


def _attributes(tag: Mapping[str, str]) -> str:
    return "".join(f' {name}="{html.escape(value)}"' for name, value in tag.items())


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        await browser.close()


@dataclass(frozen=True)
class Visitor:
    """A page with the widget, and its console output."""

    page: Page
    said: list[str]

    @property
    def launcher(self) -> Locator:
        return self.page.locator("button.launcher")

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")

    @property
    def field(self) -> Locator:
        return self.page.locator(".composer textarea")

    @property
    def texts(self) -> Locator:
        """Return the texts of the session's messages and of pending ones."""
        return self.page.locator(".message .text")

    @property
    def pending(self) -> Locator:
        return self.page.locator(".unsent")

    @property
    def notice(self) -> Locator:
        return self.page.locator(".notice")

    async def open(self) -> None:
        await self.launcher.click()
        await self.dialog.wait_for()

    async def write(self, text: str) -> None:
        await self.field.fill(text)
        await self.field.press("Enter")


async def visit(context: BrowserContext, url: str, *, look_in: bool = True) -> Visitor:
    page = await context.new_page()
    said: list[str] = []
    page.on("console", lambda line: said.append(line.text))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    if look_in:
        await page.add_init_script(LOOK_IN)
    await page.goto(url)
    return Visitor(page, said)
