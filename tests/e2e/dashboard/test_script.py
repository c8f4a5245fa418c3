"""The pages' script in Chromium: shortcuts, drafts, lists that refresh, the copilot's panel; and
what it blocks."""

import re
from typing import Final

import pytest
from playwright.async_api import Browser, Page, Route, expect

from adapters.system import new_ulid, utc_now
from domain.agent.brain import Category, Template
from store.content.content import ContentRepository
from tests.e2e.dashboard.conftest import Served
from tests.support.dashboard.chromium import seated
from tests.support.dashboard.visitors import at_pages
from tests.support.reviews.conversations import converse
from tests.support.reviews.reviews import open_review, refund

pytestmark = pytest.mark.slow

LIST: Final = "/app/knowledge"
NEW: Final = f"{LIST}/new"
ENTRY: Final = {"title": "Delivery", "body": "It takes 3 days.", "language": "en"}
TICK: Final = "document.body.dispatchEvent(new Event('tick'))"


async def test_keys(browser: Browser, served: Served) -> None:
    shop, secret = await served.owner()
    async with at_pages(served.engine, shop) as owner:
        await owner.send(NEW, LIST, ENTRY)
    async with seated(browser, served.url, secret) as seat:
        page = seat.page
        await seat.open("/app")
        await _pressed(page, "g", "k")
        await expect(page).to_have_url(re.compile(f"{LIST}$"))

        await _pressed(page, "/", "j", "k", "?")
        await expect(page.locator("#find")).to_be_focused()
        assert await page.locator("#find").input_value() == "jk?", "while typing they are letters"
        await page.locator("#find").blur()
        await page.set_viewport_size({"width": 1280, "height": 300})
        await _pressed(page, "?")
        help_ = page.locator("dialog#keys")
        await expect(help_).to_be_visible()
        assert await help_.evaluate("it => it.scrollHeight > it.clientHeight")
        assert await help_.evaluate("it => it.scrollTop") == 0, "it begins at its beginning"
        assert "New article" in await help_.inner_text()
        await _pressed(page, "Escape")
        await expect(help_).to_be_hidden()

        await _pressed(page, "j", "Enter")
        await expect(page).to_have_url(re.compile(f"{LIST}/[0-9A-Z]{{26}}$"))
        await seat.open("/app/me")
        await page.locator("[name=single_keys]").uncheck()
        await seat.send("/app/me")
        await _pressed(page, "g", "k")
        await page.wait_for_timeout(300)
        assert page.url.endswith("/app/me"), "single keys are off"
        assert seat.complaints == []


async def test_a_color_is_picked_or_typed(browser: Browser, served: Served) -> None:
    _, secret = await served.owner()
    async with seated(browser, served.url, secret) as seat:
        await seat.open("/app/settings")
        code, picker = seat.page.locator("#color"), seat.page.locator("input[type=color]")
        await expect(picker).to_be_visible()
        await expect(picker).to_have_value("#4f46e5")
        await code.fill("#1A2B3C")
        await expect(picker).to_have_value("#1a2b3c")
        await code.fill("#1A2")
        await expect(picker).to_have_value("#4f46e5")
        await picker.fill("#0f766e")
        await expect(code).to_have_value("#0f766e")
        await seat.send("/app/settings")
        await expect(code).to_have_value("#0f766e")
        await expect(picker).to_have_value("#0f766e")
        assert seat.complaints == []


async def test_what_is_typed_is_kept_without_being_sent(browser: Browser, served: Served) -> None:
    _, secret = await served.owner()
    async with seated(browser, served.url, secret) as seat:
        await seat.open(NEW)
        async with seat.page.expect_response("**/app/drafts") as kept:
            await seat.page.locator("[name=body]").fill("Half a senten")
        assert (await kept.value).status == 204

        await seat.page.locator("[name=body]").fill("And left at once")
        for _ in range(20):  # it is sent while the page unloads
            await seat.open(NEW)
            if await seat.page.locator("[name=body]").input_value() == "And left at once":
                break
        else:
            raise AssertionError("what was typed last is lost")
        assert "restored your unsaved draft" in await seat.text()
        assert seat.complaints == []


async def test_a_list_shows_news_and_keeps_the_focus(browser: Browser, served: Served) -> None:
    shop, secret = await served.owner()
    first = await open_review(served.engine.database, shop)
    async with seated(browser, served.url, secret) as seat:
        page = seat.page
        await seat.open("/app/inbox?order=newest")
        await page.locator(f'[name="review:{first}"]').check()
        await page.locator("[popovertarget=bulk-more]").click()
        await page.locator("#note").fill("Half a sen")
        link = page.locator(f'main a[href^="/app/reviews/{first}"]').first
        await link.focus()
        second = await open_review(served.engine.database, shop)
        await page.evaluate(TICK)
        await expect(page.locator(f'main a[href^="/app/reviews/{second}"]').first).to_be_visible()
        await expect(page).to_have_title(re.compile(r"^\(2\) "))
        await expect(page.locator("#needs-you")).to_have_text(re.compile("^2"))
        await expect(link).to_be_focused()
        ticked = await page.locator("main tbody :checked").evaluate_all(
            "all => all.map(it => it.name)"
        )
        assert ticked == [f"review:{first}"], "a new row takes no tick from another"
        assert await page.locator("#note").input_value() == "Half a sen"
        for _ in range(2):  # the page's nonce also applies to later content
            async with page.expect_response("**/app/inbox?**"):
                await page.evaluate(TICK)

        await seat.sign_out()
        async with page.expect_response("**/app/sign-in**"):
            await page.evaluate(TICK)
        await page.wait_for_timeout(200)
        await expect(link).to_be_visible()
        assert seat.complaints == []


async def test_the_menus_count_follows_and_outlives_an_error(
    browser: Browser, served: Served
) -> None:
    shop, secret = await served.owner()
    async with seated(browser, served.url, secret) as seat:
        page = seat.page
        await seat.open("/app/me")
        await open_review(served.engine.database, shop)
        await page.evaluate(TICK)
        await expect(page).to_have_title(re.compile(r"^\(1\) "))
        await expect(page.locator("#needs-you")).to_have_text(re.compile("^1"))

        async def failing(route: Route) -> None:
            await route.fulfill(status=503, content_type="text/html", body="<h1>Trouble</h1>")

        await page.route("**/app/needs-you**", failing)
        async with page.expect_response("**/app/needs-you**"):
            await page.evaluate(TICK)
        await page.unroute("**/app/needs-you**")
        await open_review(served.engine.database, shop)
        await page.evaluate(TICK)
        await expect(page.locator("#needs-you")).to_have_text(re.compile("^2"))
        assert await page.locator("h1").count() == 1


async def test_the_copilot_answers_beside_the_page(browser: Browser, served: Served) -> None:
    shop, secret = await served.owner()
    review = await open_review(served.engine.database, shop)
    async with seated(browser, served.url, secret) as seat:
        page = seat.page
        await seat.open(NEW)
        await page.locator("[name=title]").fill("Still here")
        await _pressed(page, "Control+.")
        panel = page.locator("#panel")
        asked = panel.locator("textarea")
        await expect(asked).to_be_focused()
        await asked.fill("Who has been waiting longest?")
        await _pressed(page, "Control+Enter")
        await expect(panel.locator(f'.answer a[href="/app/reviews/{review}"]')).to_be_visible()
        await panel.locator("textarea").fill("How many tickets are left?")
        await panel.get_by_role("button", name="Ask").click()
        await expect(panel).to_contain_text("tickets used")
        assert "Who has been waiting longest?" in await panel.inner_text()

        assert await page.locator("[name=title]").input_value() == "Still here"
        assert page.url.endswith(NEW)
        await _pressed(page, "Escape")
        await expect(panel).to_be_hidden()
        await _pressed(page, "Control+.")
        await panel.get_by_role("button", name="Close").click()
        await expect(panel).to_be_hidden()
        assert seat.complaints == []


async def test_markup_that_got_in_does_nothing(browser: Browser, served: Served) -> None:
    """As if a page wrote customer text unescaped: the policy and the nonce block it."""
    _, secret = await served.owner()
    evil = (
        "<script>window.hit = 1</script><img src=x onerror='window.hit = 1'>"
        "<div id=evil hx-get=/app/knowledge hx-trigger=load hx-on:click='window.hit = 1'></div>"
        "<div hx-post=/app/sign-out hx-trigger=load hx-nonce=guessed></div>"
    )
    async with seated(browser, served.url, secret) as seat:
        page = seat.page

        async def spoiled(route: Route) -> None:
            answer = await route.fetch()
            text = (await answer.text()).replace("<main>", f"{evil}<main>")
            await route.fulfill(response=answer, body=text)

        await page.route("**/app/settings", spoiled)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
        await seat.open("/app/settings")
        await page.wait_for_timeout(500)

        assert await page.locator("#evil").count() == 1
        assert not await page.evaluate("'hit' in window")
        assert not await page.locator("#evil").get_attribute("hx-get")
        assert not [one for one in asked if one.endswith((LIST, "/sign-out"))]
        with pytest.raises(Exception, match="TrustedHTML"):
            await page.evaluate("document.body.innerHTML = '<b>x</b>'")


async def _pressed(page: Page, *keys: str) -> None:
    for key in keys:
        await page.keyboard.press(key)


async def test_a_template_is_inserted_at_the_cursor(browser: Browser, served: Served) -> None:
    """Without a reload, in the conversation and on the review's page."""
    shop, secret = await served.owner()
    database = served.engine.database
    review = await open_review(database, shop, draft="Bonjour,")
    talk = await converse(database, shop, review)
    template = Template(
        id=new_ulid(),
        name="Colis en retard",
        category=Category.ORDER_STATUS,
        language="fr",
        body="Votre colis est en route.",
    )
    async with database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_template(template, utc_now())
    async with seated(browser, served.url, secret) as seat:
        page = seat.page
        for path, form in (
            (f"/app/conversations/{talk}", "#reply-form"),
            (f"/app/reviews/{review}", "#edit-form"),
        ):
            await seat.open(path)
            await page.evaluate("window.stays = true")
            await _pressed(page, "e")
            text, search = page.locator(f"{form} [name=text]"), page.locator("#macro")
            await text.fill("Et/ou")
            await text.press("End")
            await text.press("Enter")
            await text.press("/")
            await expect(search).to_be_focused()
            await search.press("Escape")
            await expect(text).to_be_focused()
            assert await text.input_value() == "Et/ou\n/"

            await text.fill("Bonjour, \nMerci.")
            await text.evaluate("it => it.setSelectionRange(9, 9)")
            await page.locator("details.macros").evaluate("it => { it.open = true; }")
            async with page.expect_response("**/templates?**"):
                await search.fill("cer")
            await expect(page.locator("#macros-found li")).to_have_count(1)
            await search.press("Enter")
            await expect(text).to_have_value("Bonjour, Votre colis est en route.\nMerci.")
            await expect(text).to_be_focused()
            await page.locator("#macros-found button").click()
            await expect(text).to_have_value(
                "Bonjour, " + "Votre colis est en route." * 2 + "\nMerci."
            )
            assert await page.evaluate("window.stays") is True, "the page was not reloaded"
        assert seat.complaints == []


async def test_a_review_by_keyboard_moves_no_money_at_one_key(
    browser: Browser, served: Served
) -> None:
    shop, secret = await served.owner()
    database = served.engine.database
    reviews = [await open_review(database, shop, plan=(refund(4900),)) for _ in range(2)]
    async with seated(browser, served.url, secret) as seat:
        page = seat.page
        path = f"/app/reviews/{reviews[0]}"
        await seat.open(path)
        help_ = page.locator("dialog#keys")
        await page.locator("[data-help]").click()
        lines = await help_.locator("[data-page-keys] li").all_inner_texts()
        said = {line.split(maxsplit=1)[0]: line.split(maxsplit=1)[1] for line in lines}
        assert said["N"] == "Next"
        assert said["E"] == "Edit reply"
        assert said["X"] == "Reject"
        assert said["A"].startswith("Approve and refund €49.00")
        assert said["A"].endswith("Enter"), "the key focuses the button, and Enter confirms"
        await _pressed(page, "Escape", "a")
        await expect(page.locator("[data-key=approve]")).to_be_focused()
        assert page.url.endswith(path)
        await _pressed(page, "e")
        text = page.locator("#edit-form [name=text]")
        await expect(text).to_be_focused()
        await text.fill("Refunded.")
        await text.press("Control+Enter")
        await expect(page.locator("#edit-form [data-key=send]")).to_be_focused()
        assert page.url.endswith(path)
        await page.locator("#edit-form [data-key=send]").evaluate("it => it.blur()")
        await _pressed(page, "x")
        await expect(page.locator("#reject-form [name=note]")).to_be_focused()
        await page.locator("#reject-form [name=note]").evaluate("it => it.blur()")
        await _pressed(page, "n")
        await page.wait_for_url(f"**/app/reviews/{reviews[1]}**")
        assert seat.complaints == []
