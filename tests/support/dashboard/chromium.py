"""Chromium with a signed-in user, monitored for errors and policy violations.

async with chromium() as browser, seated(browser, url, secret) as seat:
    await seat.open("/app/knowledge")
    assert seat.complaints == []
"""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Browser, ConsoleMessage, Page, Request, Response

from tests.support.widget.pages import CHROMIUM, chromium

__all__ = ["CHROMIUM", "DESK", "PHONE", "Seat", "chromium", "seated"]

DESK: Final = (1280, 900)
PHONE: Final = (390, 844)
Theme = Literal["light", "dark"]

AXE: Final = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    "resultTypes": ["violations"],
}
# Style properties that a theme can change.
AXE_OF_COLOURS: Final = {
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
    "resultTypes": ["violations"],
}
# Inner scroll containers may be wider than the screen, but the page may not.
_TOO_WIDE: Final = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

# Only words of ordinary length count, because identifiers and addresses may be broken.
_BROKEN_WORDS: Final = """() => {
  const found = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const around = text.parentElement;
    if (around.closest("script, style, option, pre, textarea, .visually-hidden")) continue;
    // On a phone the head of a table is there for screen readers alone.
    if (around.closest("thead")?.offsetWidth === 1) continue;
    for (const word of text.data.matchAll(/(?<!\\S)\\p{L}{2,14}(?!\\S)/gu)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((it) => Math.round(it.top)));
      if (lines.size > 1) found.add(word[0]);
    }
  }
  return [...found];
}"""


# Parts that hide the rest of a phone's page, and chips whose text is cut off.
_HIDING: Final = """(most) => [
  ...[...document.querySelectorAll(".sticky")].filter((it) => it.offsetHeight > most),
  ...[...document.querySelectorAll(".badge")].filter((it) => it.scrollWidth > it.clientWidth),
].map((it) => `${it.className}: ${it.innerText.slice(0, 60)}`)"""
BAR_AT_MOST: Final = 72


@dataclass
class Seat:
    """A user with a browser. `complaints`: console errors, policy violations, script failures, and
    requests to origins other than `url`."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)

    async def open(self, path: str) -> Response:
        answer = await self.page.goto(f"{self.url}{path}")
        assert answer is not None
        return answer

    async def press(self, name: str) -> None:
        """Click the button with this name, and wait for the next page."""
        button = self.page.get_by_role("button", name=name).first
        async with self.page.expect_navigation():
            await button.click()

    async def send(self, form: str, fields: Mapping[str, str] | None = None) -> None:
        """Fill in and submit the form for a path, and wait for the next page."""
        there = self.page.locator(f'main form[action="{form}"]').first
        for name, value in (fields or {}).items():
            field = there.locator(f'[name="{name}"]').first
            if await field.evaluate("it => it.tagName") == "SELECT":
                await field.select_option(value)
            else:
                await field.fill(value)
        async with self.page.expect_navigation():
            await there.locator("button").first.click()

    async def sign_out(self) -> None:
        """Remove the session, as when it expires."""
        await self.page.context.clear_cookies()

    async def sign_in(self, secret: str) -> None:
        await self.page.context.add_cookies([{"name": "session", "value": secret, "url": self.url}])

    async def text(self) -> str:
        return await self.page.locator("main").inner_text()

    async def of_width(self, width: int) -> None:
        await self.page.set_viewport_size({"width": width, "height": PHONE[1]})

    async def too_wide(self) -> int:
        """Return the number of pixels by which the page scrolls sideways."""
        over: int = await self.page.evaluate(_TOO_WIDE)
        return over

    async def broken_words(self) -> list[str]:
        """Return the words that the page breaks in the middle."""
        broken: list[str] = await self.page.evaluate(_BROKEN_WORDS)
        return broken

    async def hidden_parts(self) -> list[str]:
        """Return the bars of actions that are higher than BAR_AT_MOST pixels, and the chips whose
        text is cut off."""
        found: list[str] = await self.page.evaluate(_HIDING, BAR_AT_MOST)
        return found

    async def in_theme(self, theme: Theme) -> None:
        await self.page.emulate_media(color_scheme=theme)

    async def findings(self, asked: Mapping[str, object] = AXE) -> list[str]:
        """Return axe's serious and critical findings."""
        # The page's policy blocks foreign scripts. The browser itself evaluates this script.
        if not await self.page.evaluate("'axe' in window"):
            await self.page.evaluate(AXE_SCRIPT)
        found: dict[str, Any] = await self.page.evaluate(f"axe.run(document, {json.dumps(asked)})")
        return [
            f"{one['impact']}: {one['id']}: {where['html'][:200]}: {where['failureSummary'][:300]}"
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
            for where in one["nodes"][:3]
        ]

    def watch(self) -> None:
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(f"script: {error}"))
        self.page.on("request", self._see)

    def _hear(self, said: ConsoleMessage) -> None:
        # An error page may be intended. Its test checks the status.
        meant = said.text.startswith("Failed to load resource") and "/app" in said.location["url"]
        if said.type in ("error", "warning") and not meant:
            self.complaints.append(f"{self.page.url}: {said.type}: {said.text}")

    def _see(self, request: Request) -> None:
        to = urlsplit(request.url)
        if to.scheme in ("http", "https") and f"{to.scheme}://{to.netloc}" != self.url:
            self.complaints.append(f"{self.page.url}: asks {request.url}")


@asynccontextmanager
async def seated(
    browser: Browser,
    url: str,
    secret: str | None = None,
    *,
    language: str = "en",
    theme: Theme = "light",
    size: tuple[int, int] = DESK,
    scripts: bool = True,
) -> AsyncIterator[Seat]:
    """Open a new browser context for the service at `url`, with the session's `secret` or signed
    out, and with JavaScript if `scripts`."""
    context = await browser.new_context(
        locale={"en": "en-GB", "fr": "fr-FR"}[language],
        timezone_id="Europe/Paris",
        color_scheme=theme,
        viewport={"width": size[0], "height": size[1]},
        java_script_enabled=scripts,
        reduced_motion="reduce",
    )
    if secret is not None:
        await context.add_cookies([{"name": "session", "value": secret, "url": url}])
    seat = Seat(await context.new_page(), url)
    seat.watch()
    try:
        yield seat
    finally:
        await context.close()
