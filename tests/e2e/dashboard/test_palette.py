"""The command palette in Chromium: with the keyboard alone, with a screen reader, and without
JavaScript."""

import re

import pytest
from playwright.async_api import Browser, expect

from tests.e2e.dashboard.conftest import Served
from tests.support.dashboard.chromium import AXE_OF_COLOURS, PHONE, seated
from tests.support.runs.conversation import write

pytestmark = pytest.mark.slow

FIND = "/app/find"


async def test_the_palette_by_keyboard(browser: Browser, served: Served) -> None:
    shop, secret = await served.owner()
    await write(served.engine.database, shop, "Bonjour", customer="sophie@b.example", key="a")
    async with seated(browser, served.url, secret) as seat:
        page = seat.page
        await seat.open("/app/me")
        await page.keyboard.press("Control+k")
        asked = page.locator("#palette-q")
        await expect(asked).to_be_focused()
        options = page.locator("#palette [role=option]")
        await expect(options.first).to_contain_text("sophie@b.example")
        await expect(options.first).to_have_attribute("aria-selected", "true")
        await page.keyboard.press("Escape")
        await expect(page.locator("#palette")).to_be_hidden()

        await page.keyboard.press("Control+k")
        await page.keyboard.type("art")
        await expect(options.first).to_contain_text("Articles")
        await expect(options.nth(1)).to_contain_text("New article")
        for _ in range(2):
            assert await seat.findings() == []
            assert await seat.findings(AXE_OF_COLOURS) == []
            await seat.in_theme("dark")
        await page.keyboard.press("ArrowUp")
        await expect(options.last).to_have_attribute("aria-selected", "true")
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("ArrowDown")
        chosen = page.locator("#palette [aria-selected=true]")
        await expect(chosen).to_have_text("New article")
        assert await asked.get_attribute("aria-activedescendant") == await chosen.get_attribute(
            "id"
        )
        await page.keyboard.press("Enter")
        await expect(page).to_have_url(re.compile("/app/knowledge/new$"))

        await seat.of_width(PHONE[0])
        await page.keyboard.press("Control+k")
        await asked.fill("sophie")
        await expect(options).to_contain_text(["sophie@b.example", "sophie@b.example"])
        assert await seat.too_wide() <= 0
        await page.keyboard.press("Enter")
        await expect(page).to_have_url(re.compile("/app/customers/[0-9A-Z]{26}$"))

        await page.keyboard.press("Control+k")
        await asked.fill("nobody-wrote-this")
        await expect(page.locator("#palette-found")).to_contain_text("No results")
        await page.keyboard.press("Enter")
        await expect(page).to_have_url(re.compile(f"{FIND}\\?.*q=nobody-wrote-this"))
        assert seat.complaints == []


async def test_without_a_script_the_search_page_answers(browser: Browser, served: Served) -> None:
    shop, secret = await served.owner()
    await write(served.engine.database, shop, "Bonjour", customer="sophie@b.example", key="a")
    async with seated(browser, served.url, secret, scripts=False) as seat:
        await seat.open("/app")
        await expect(seat.page.locator("#palette")).to_be_hidden()
        await seat.page.locator("#find").fill("sophie")
        await seat.page.locator("#find").press("Enter")
        await expect(seat.page).to_have_url(re.compile(f"{FIND}\\?q=sophie$"))
        assert "sophie@b.example" in await seat.text()
