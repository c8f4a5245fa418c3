"""The visitor's identity: an address verified with a code, or signed by the merchant."""

import pytest
from playwright.async_api import BrowserContext, expect

from tests.support.widget.pages import Site, Visitor, visit
from tests.support.widget.stub_service import CODE, KEY, StubService

pytestmark = pytest.mark.slow

EMAIL = "jo@free.example"
SIGNED = {"data-key": KEY, "data-user-email": EMAIL, "data-user-signature": "ab" * 32}
ASKED = "Where is my order 1042?"
ANSWER = f"Answer to: {ASKED}"


async def test_an_order_is_spoken_of_once_the_address_is_confirmed(
    visitor: Visitor, stub: StubService, site: Site
) -> None:
    page = visitor.page
    await visitor.open()
    await visitor.write(ASKED)
    address = page.get_by_label("Your email")
    await expect(address).to_be_focused()
    await expect(visitor.page.locator(".unsent .state")).to_have_text("Waiting for your email")
    await address.fill(EMAIL)
    await page.get_by_role("button", name="Send code").click()
    await page.get_by_label("Code").wait_for()

    # On a phone, the email is read in another app, and the page may be reloaded.
    await page.goto(f"{site.url}/second")
    code = page.get_by_label("Code")
    await code.fill("000000")
    await code.press("Enter")
    await expect(page.get_by_role("alert")).to_have_text("That code has expired or isn’t right.")
    await code.fill(CODE)
    await page.get_by_role("button", name="Confirm").click()

    await expect(visitor.texts).to_have_text([ASKED, ANSWER])
    await expect(page.locator(".known")).to_have_text("Confirmed email: j…@free.example")
    await expect(visitor.field).to_be_focused()
    assert stub.mails == [EMAIL]
    assert [chat["verify_first"] for chat in stub.chats] == [True, True]
    assert len(stub.session.messages) == 2


async def test_without_an_address(visitor: Visitor, stub: StubService) -> None:
    await visitor.open()
    await visitor.write(ASKED)
    await visitor.page.get_by_role("button", name="Continue without a code").click()

    await expect(visitor.texts).to_have_text([ASKED, ANSWER])
    assert [chat["verify_first"] for chat in stub.chats] == [True, False]


async def test_another_address(visitor: Visitor, stub: StubService) -> None:
    page = visitor.page
    await visitor.open()
    await visitor.write(ASKED)
    for email in ("oj@free.example", EMAIL):
        await page.get_by_label("Your email").fill(email)
        await page.get_by_role("button", name="Send code").click()
        await expect(page.get_by_text(f"sent a code to {email}")).to_be_visible()
        await page.get_by_role("button", name="Use another email").click()
    assert stub.mails == ["oj@free.example", EMAIL]


async def test_a_signed_user_and_the_next_one(
    context: BrowserContext, site: Site, stub: StubService
) -> None:
    site.tags = (SIGNED,)
    visitor = await visit(context, site.url)
    await visitor.open()
    await visitor.write("Mine")
    await expect(visitor.texts).to_have_count(2)
    (sent,) = stub.chats
    assert (sent["customer_email"], sent["user_signature"]) == (EMAIL, "ab" * 32)
    await visitor.page.goto(f"{site.url}/second")
    await expect(visitor.texts).to_have_text(["Mine", "Answer to: Mine"])

    # After sign-out, no data is left in the browser.
    site.tags = ({"data-key": KEY},)
    await visitor.page.goto(f"{site.url}/third")
    await visitor.dialog.wait_for()
    await expect(visitor.texts).to_have_count(0)
    kept = await visitor.page.evaluate("Object.values(localStorage).join()")
    assert EMAIL not in kept
    assert sent["session_id"] not in kept
    await visitor.write("Not mine")
    await expect(visitor.texts).to_have_text(["Not mine", "Answer to: Not mine"])
    assert stub.chats[1]["session_id"] != sent["session_id"]


async def test_a_visitor_whom_a_code_verified_and_the_next_user(
    visitor: Visitor, site: Site, stub: StubService
) -> None:
    """The verified session remains while the page names nobody, or the same user; no other user
    sees it."""
    page = visitor.page
    await visitor.open()
    await visitor.write("Hi")
    await expect(visitor.texts).to_have_count(2)
    (before,) = stub.sessions
    await visitor.write(ASKED)
    await page.get_by_label("Your email").fill(EMAIL)
    await page.get_by_role("button", name="Send code").click()
    await page.get_by_label("Code").fill(CODE)
    await page.get_by_role("button", name="Confirm").click()
    # The code gives the session a new token; its messages remain.
    whole = ["Hi", "Answer to: Hi", ASKED, ANSWER]
    await expect(visitor.texts).to_have_text(whole)
    await page.goto(f"{site.url}/second")
    await expect(visitor.texts).to_have_text(whole)
    (token,) = stub.sessions
    assert token != before
    assert len(stub.chats) == 3

    site.tags = ({**SIGNED, "data-user-email": "other@free.example"},)
    await page.goto(f"{site.url}/third")
    await visitor.dialog.wait_for()
    await expect(visitor.field).to_be_visible()
    await expect(visitor.texts).to_have_count(0)
    kept = await page.evaluate("Object.values(localStorage).join()")
    assert EMAIL not in kept
    assert token not in kept


async def test_a_user_whom_the_page_names_late(
    visitor: Visitor, site: Site, stub: StubService
) -> None:
    """As in a single-page shop: nothing is shown before the sign-in, and another user never sees
    the conversation."""
    name = "email => window.SupportWidget.identify(email && { email, signature: 'cd' })"
    await visitor.open()
    await visitor.write("Anonymous")
    await expect(visitor.texts).to_have_count(2)
    await visitor.page.evaluate(name, EMAIL)
    await expect(visitor.texts).to_have_count(2)
    await visitor.page.keyboard.press("Escape")

    await visitor.page.goto(f"{site.url}/second")
    await visitor.launcher.wait_for()
    await visitor.page.evaluate(name, EMAIL)
    await visitor.open()
    await expect(visitor.texts).to_have_text(["Anonymous", "Answer to: Anonymous"])
    await visitor.write("Named")
    await expect(visitor.texts).to_have_count(4)
    assert stub.chats[1]["user_signature"] == "cd"

    await visitor.page.evaluate(name, "other@free.example")
    await expect(visitor.texts).to_have_count(0)
    await visitor.write("Other")
    await expect(visitor.texts).to_have_count(2)
    await visitor.page.evaluate(name, None)
    await expect(visitor.texts).to_have_count(0)
    assert len({chat["session_id"] for chat in stub.chats}) == 2


async def test_a_user_whom_the_page_no_longer_names(visitor: Visitor, site: Site) -> None:
    await visitor.page.evaluate(
        "window.SupportWidget.identify({ email: 'jo@free.example', signature: 'cd' })"
    )
    await visitor.open()
    await visitor.write("Mine")
    await expect(visitor.texts).to_have_count(2)
    await visitor.page.goto(f"{site.url}/second")

    await visitor.launcher.wait_for()
    await expect(visitor.dialog).to_be_hidden()
    await visitor.open()
    greeting = ["Hello! How can we help you?", "You are talking to our AI assistant."]
    await expect(visitor.page.locator(".log .text")).to_have_text(greeting)


async def test_the_page_forgets_the_visitor(visitor: Visitor, stub: StubService) -> None:
    await visitor.page.evaluate("window.SupportWidget.open()")
    await visitor.dialog.wait_for()
    await visitor.write("Forget me")
    await expect(visitor.texts).to_have_count(2)
    await visitor.page.evaluate("window.SupportWidget.close()")
    await expect(visitor.dialog).to_be_hidden()

    await visitor.page.evaluate("window.SupportWidget.reset()")
    await visitor.open()
    await expect(visitor.texts).to_have_count(0)
    await visitor.write("Hello")
    await expect(visitor.texts).to_have_text(["Hello", "Answer to: Hello"])
    assert len({chat["session_id"] for chat in stub.chats}) == 2


async def test_an_answer_that_comes_too_late_brings_nobody_back(
    context: BrowserContext, site: Site, stub: StubService
) -> None:
    """The next user has the page when the previous user's message is answered."""
    site.tags = (SIGNED,)
    visitor = await visit(context, site.url)
    await visitor.open()
    stub.let_go.clear()
    async with visitor.page.expect_response("**/api/widget/chat?*") as answered:
        await visitor.write("Mine")
        await expect(visitor.page.locator(".dots")).to_be_visible()
        await visitor.page.evaluate("window.SupportWidget.identify(null)")
        await expect(visitor.texts).to_have_count(0)
        stub.let_go.set()
    await (await answered.value).finished()
    await visitor.write("Not mine")
    await expect(visitor.texts).to_have_text(["Not mine", "Answer to: Not mine"])
    mine, other = stub.chats
    assert mine["session_id"] != other["session_id"]
    assert mine["session_id"] not in await visitor.page.evaluate(
        "Object.values(localStorage).join()"
    )


async def test_a_session_of_last_month_begins_anew(
    visitor: Visitor, site: Site, stub: StubService
) -> None:
    await visitor.open()
    await visitor.write("Last month")
    await expect(visitor.texts).to_have_count(2)
    await visitor.page.goto(f"{site.url}/second")
    await expect(visitor.texts).to_have_count(2)
    await visitor.page.evaluate(
        """(name) => {
          const record = JSON.parse(localStorage.getItem(name));
          localStorage.setItem(name, JSON.stringify({ ...record, active: 1 }));
        }""",
        f"support-widget/{KEY}",
    )
    await visitor.page.goto(f"{site.url}/third")
    await expect(visitor.page.get_by_role("log")).to_have_attribute("aria-busy", "false")
    await visitor.write("Today")
    await expect(visitor.texts).to_have_text(["Today", "Answer to: Today"])
    assert len({chat["session_id"] for chat in stub.chats}) == 2


async def test_an_answer_is_rated_once(visitor: Visitor, stub: StubService, site: Site) -> None:
    stub.asks = True
    page = visitor.page
    await page.reload()
    await visitor.open()
    await visitor.write("How much is shipping?")
    question = page.get_by_role("group", name="Was this answer helpful?")
    await question.get_by_role("button", name="4, well").press("Enter")

    await expect(page.get_by_text("Thank you.")).to_be_focused()
    await expect(question).to_be_hidden()
    await page.goto(f"{site.url}/second")
    await expect(visitor.texts).to_have_count(2)
    await expect(question).to_be_hidden()
    await visitor.write("And to Spain?")
    await expect(question).to_be_visible()
    assert stub.ratings == [(2, 4)]
