"""A new merchant authorizes an application in Chromium: the pages, their layout and their
policy."""

import asyncio
import re
import shutil
from email import message_from_bytes, policy
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from playwright.async_api import BrowserContext, Locator, Page, async_playwright

from embedded.kept_mails import mails_in
from embedded.ports import free_port
from tests.support.core.command_line import dev_stack, ready_url
from tests.support.core.mail_parts import plain_text
from tests.support.core.waiting import eventually
from tests.support.identity.consent import REGISTER, TOKEN, App

CHROMIUM: Final = shutil.which("chromium")
EMAIL: Final = "lin@maison-lin.example"
PHONE: Final = (390, 844)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None, reason="no chromium on this machine: sh scripts/system_packages.sh"
    ),
]


def _code_in(mail: Path) -> str:
    content = plain_text(message_from_bytes(mail.read_bytes(), policy=policy.default))
    found = re.search(r"\b[0-9]{6}\b", content)
    assert found, content
    return found.group()


async def _fits(page: Page, shown: Locator) -> None:
    """Nothing is wider than a phone, and the reader's dark colors are used.

    A click does not wait for the next page to load: `shown` is an element of that page.
    """
    await shown.wait_for()
    assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    colour = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(map(int, re.findall(r"\d+", colour)[:3])) < 64, colour


async def _sign_in(page: Page, mails: Path, brand: str = "") -> None:
    await _fits(page, page.locator("[name=email]"))
    before = {*mails_in(mails)}
    if brand:
        await page.locator('a[href^="/app/sign-up"]').click()
        await _fits(page, page.locator("[name=brand_name]"))
        await page.fill("[name=brand_name]", brand)
    await page.fill("[name=email]", EMAIL)
    await page.get_by_role("button", name="Email me a code").click()
    await _fits(page, page.locator("[name=code]"))

    async def mailed() -> str | None:
        return next((_code_in(one) for one in {*mails_in(mails)} - before), None)

    await page.fill("[name=code]", await eventually(mailed))
    await page.get_by_role("button", name="Continue").click()


async def _opened(context: BrowserContext, url: str) -> Page:
    page = await context.new_page()
    await page.goto(url)
    return page


async def _sent_to(app: App, page: Page, button: str) -> dict[str, str]:
    """Return what the application receives. No server is needed: the browser's request is
    enough."""
    async with page.expect_request(lambda one: one.url.startswith(app.redirect_uri)) as asked:
        await page.get_by_role("button", name=button).click()
    return dict(parse_qsl(urlsplit((await asked.value).url).query))


async def _lets_a_program_in(url: str, mails: Path) -> None:
    http = httpx.AsyncClient(base_url=url, trust_env=False, timeout=40)
    async with http, async_playwright() as playwright:
        callback = f"http://127.0.0.1:{free_port()}/callback"
        given = {"client_name": "My program", "redirect_uris": [callback]}
        registered = await http.post(REGISTER, json=given)
        app = App(registered.json()["client_id"], callback)

        chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = await chromium.new_context(
            locale="en-GB",
            color_scheme="dark",
            viewport={"width": PHONE[0], "height": PHONE[1]},
        )
        said: list[str] = []
        context.on("console", lambda line: said.append(line.text))

        page = await _opened(context, f"{url}{app.url(scope='usage:read content:read')}")
        await _sign_in(page, mails, "Maison Lin")
        await _fits(page, page.get_by_role("heading", name="“My program” wants to access"))
        await page.get_by_label("Read your ticket usage").check()
        assert said == []

        told = await _sent_to(app, page, "Allow")
        answer = await http.post(TOKEN, data=app.exchange(told["code"]))
        assert answer.json()["scope"] == "usage:read"
        assert (told["state"], told["iss"]) == (app.state, url)

        page = await _opened(context, f"{url}{app.url()}")
        assert (await _sent_to(app, page, "Refuse"))["error"] == "access_denied"

        await context.clear_cookies()
        page = await _opened(context, f"{url}{app.url(scope='all')}")
        await _sign_in(page, mails)
        link = page.get_by_role("link", name=urlsplit(callback).netloc)
        assert "error=invalid_scope" in (await link.get_attribute("href") or "")
        assert [line for line in said if "Content Security Policy" in line] == []
        await chromium.close()


def test_a_new_merchant_lets_a_program_in(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with dev_stack(data, "--no-tour", "--port", str(free_port())) as process:
        asyncio.run(_lets_a_program_in(ready_url(process), data / "mail"))
