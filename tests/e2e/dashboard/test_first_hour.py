"""A shop's first hour in Chromium: from sign-up to an answered ticket, and its pages."""

import dataclasses
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.async_api import Browser, Locator, expect

from adapters.system import new_ulid
from api.dashboard.pages import LANGUAGES
from domain.agent.plan import ActionKind, PlannedAction
from domain.tenants.actor import Actor
from services.billing.plans import give_trial
from tests.e2e.dashboard.conftest import Served
from tests.support.dashboard.chromium import DESK, PHONE, Seat, seated
from tests.support.identity.sign_in import code_in, mail_to
from tests.support.reviews.reviews import open_review, refund
from tests.support.servers.mail import MailServer

CLICKS_AT_MOST = 8
SECONDS_AT_MOST = 120
SCRIPTS = [True, pytest.param(False, marks=pytest.mark.slow)]
ARTICLE = {
    "title": "Delivery to Belgium",
    "body": "We deliver to Belgium within 4 days.",
}
QUESTION = "Do you deliver to Belgium?"


@dataclass
class Hand:
    """A mouse that counts its clicks. Text is typed into the focused field."""

    seat: Seat
    clicks: int = 0

    async def into(self, field: str, text: str) -> None:
        """Type into the field with this id. A click is needed unless the field has the focus."""
        there = self.seat.page.locator(f"#{field}")
        if not await there.evaluate("it => it === document.activeElement"):
            self.clicks += 1
            await there.click()
        await self.seat.page.keyboard.type(text)

    async def press(self, name: str, role: str = "button") -> None:
        target: Locator = self.seat.page.locator("main, body > .focus, body").last.get_by_role(
            "link" if role == "link" else "button", name=name, exact=True
        )
        self.clicks += 1
        async with self.seat.page.expect_navigation():
            await target.first.click()


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_from_sign_up_to_the_first_answer_in_eight_clicks(
    browser: Browser, served: Served, shared_mail: MailServer, scripts: bool
) -> None:
    email = f"{new_ulid().lower()}@example.com"
    async with seated(browser, served.url, scripts=scripts) as seat:
        hand = Hand(seat)
        await seat.open("/app/sign-up")
        began = time.monotonic()
        await hand.into("brand_name", "Maison Lune")
        await hand.into("email", email)
        await hand.press("Email me a code")
        await hand.into("code", code_in(await mail_to(shared_mail, email)))
        await hand.press("Continue")
        await hand.press("Write an answer", "link")
        await hand.into("title", ARTICLE["title"])
        await hand.into("body", ARTICLE["body"])
        await hand.press("Save")
        await hand.press("Next: Send a test ticket", "link")
        await hand.into("message", QUESTION)
        await hand.press("Send ticket")
        page = await seat.text()

        assert "Answered." in page
        assert ARTICLE["body"] in page
        assert "Next: Connect your shop" in page
        assert hand.clicks <= CLICKS_AT_MOST
        assert time.monotonic() - began < SECONDS_AT_MOST
        assert seat.complaints == []


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_an_article_is_tested_beside_its_text(
    browser: Browser, served: Served, scripts: bool
) -> None:
    """With JavaScript, the editor is unchanged; without it, the form shows the answer."""
    _, secret = await served.owner()
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        await seat.open("/app/knowledge/new")
        for name, value in {**ARTICLE, "question": QUESTION}.items():
            await seat.page.locator(f"#{name}").fill(value)
        address = seat.page.url
        if scripts:
            await seat.page.keyboard.press("Control+Enter")
        else:
            await seat.page.get_by_role("button", name="Test answer").click()
        tried = seat.page.locator("#tried")
        await expect(tried).to_contain_text(ARTICLE["body"], timeout=30_000)
        await expect(tried).to_contain_text("Uses this article")
        await expect(seat.page.locator("#body")).to_have_value(ARTICLE["body"])
        assert (seat.page.url == address) is scripts
        await seat.open("/app/knowledge")
        assert ARTICLE["title"] not in await seat.text()
        assert seat.complaints == []


@pytest.fixture
def without_payments(served: Served) -> Iterator[None]:
    state = served.engine.app.state
    resources = state.resources
    state.resources = dataclasses.replace(resources, payments=None)
    yield
    state.resources = resources


@pytest.mark.usefixtures("without_payments")
@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_pages_of_the_first_hour_are_accessible_and_narrow(
    browser: Browser, served: Served, language: str
) -> None:
    shop, secret = await served.owner()
    plan = (refund(12_900), PlannedAction(kind=ActionKind.REPLY))
    walled = await open_review(served.engine.database, shop, plan=plan, needs_second=True)
    async with served.engine.app.state.resources.work.of(shop.tenant) as work:
        await give_trial(work, Actor.system("test"), 14)
    async with seated(browser, served.url, secret, language=language) as seat:
        for path, part in (
            ("/app/knowledge/new", "#test-box"),
            (f"/app/reviews/{walled}", "#second-approver"),
            ("/app/billing/plan", "a[href^=mailto]"),
            ("/app/billing/credits", "a[href^=mailto]"),
        ):
            await seat.of_width(DESK[0])
            await seat.open(path)
            assert await seat.page.locator(part).count() == 1, path
            for width in (DESK[0], PHONE[0], 320):
                await seat.of_width(width)
                assert await seat.findings() == [], path
                assert await seat.too_wide() <= 0, (path, width)
                assert await seat.broken_words() == [], (path, width)
        assert seat.complaints == []
