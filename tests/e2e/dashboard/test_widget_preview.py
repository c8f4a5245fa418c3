"""The widget preview in the settings, in Chromium: the real widget, which sends nothing."""

import pytest
from playwright.async_api import Browser, expect

from tests.e2e.dashboard.conftest import Served
from tests.support.dashboard.chromium import PHONE, seated
from tests.support.widget.pages import LOOK_IN

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("language", ["en", "fr"])
async def test_it_shows_the_widget_in_its_place(
    browser: Browser, served: Served, language: str
) -> None:
    _, secret = await served.owner()
    async with seated(browser, served.url, secret, language=language) as seat:
        page = seat.page
        await page.add_init_script(LOOK_IN)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        await seat.open("/app/widget")

        texts = page.locator("support-widget .message .text")
        await expect(texts).to_have_count(3)
        disclosure = "AI assistant" if language == "en" else "assistant IA"
        await expect(page.locator("support-widget .hello")).to_contain_text(disclosure)
        field = page.locator("support-widget .composer textarea")
        await field.fill("Hello")
        await field.press("Enter")
        await expect(texts).to_have_count(4)
        await page.locator("support-widget .head button").click()
        await expect(field).to_be_hidden()
        await page.locator("support-widget button.launcher").click()
        await expect(field).to_be_visible()

        await seat.of_width(PHONE[0])
        box = await page.locator("support-widget .panel").bounding_box()
        assert box is not None
        assert box["height"] < PHONE[1], "it never takes the whole screen"
        assert [url for url in asked if "/api/widget/" in url] == []
        assert seat.complaints == []
