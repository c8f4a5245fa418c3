"""A visitor writes and is answered: in Chromium, on a page with a strict policy."""

import pytest
from playwright.async_api import BrowserContext, expect

from tests.support.core.waiting import eventually
from tests.support.widget.pages import Site, Visitor, visit
from tests.support.widget.stub_service import ACKNOWLEDGEMENT, KEY, OTHER_KEY, StubService

pytestmark = pytest.mark.slow


async def test_a_question_is_answered_in_the_open_chat(visitor: Visitor, stub: StubService) -> None:
    stub.let_go.clear()
    await visitor.open()
    await visitor.write("Do you ship to Norway?")
    await expect(visitor.page.locator(".dots")).to_be_visible()
    await expect(visitor.texts).to_have_text(["Do you ship to Norway?"])

    stub.let_go.set()
    await expect(visitor.texts).to_have_text(
        ["Do you ship to Norway?", "Answer to: Do you ship to Norway?"]
    )
    await expect(visitor.page.locator(".dots")).to_be_hidden()
    await expect(visitor.pending).to_have_count(0)
    (sent,) = stub.chats
    assert sent["page_url"] == visitor.page.url
    assert (sent["verify_first"], sent["language"]) == (True, "en")
    await eventually(lambda: _seen(stub, 2))
    assert visitor.said == []


async def _seen(stub: StubService, number: int) -> bool:
    return stub.session.seen == number


async def test_a_person_answers_later(visitor: Visitor, stub: StubService) -> None:
    await visitor.open()
    await visitor.write("I want a person")
    await expect(visitor.notice).to_have_text("Our team will answer you here.")
    await expect(visitor.texts).to_have_text(["I want a person", ACKNOWLEDGEMENT])

    stub.session.set(verified_email="j…@free.example")
    await expect(visitor.notice).to_have_text(
        "Our team will answer you here, or by email to j…@free.example."
    )
    await visitor.page.reload()
    await expect(visitor.texts).to_have_text(["I want a person", ACKNOWLEDGEMENT])
    stub.session.add("human", "Good evening, Anna here.")
    stub.session.set(waiting=False)
    await expect(visitor.texts.last).to_have_text("Good evening, Anna here.")
    await expect(visitor.page.locator(".by").last).to_have_text("Customer service")
    await expect(visitor.notice).to_be_hidden()


async def test_thirty_messages_keep_their_order(visitor: Visitor, stub: StubService) -> None:
    await visitor.open()
    for number in range(30):
        await visitor.write(f"Question {number}")

    questions = [f"Question {number}" for number in range(30)]
    await expect(visitor.texts).to_have_text(
        [text for one in questions for text in (one, f"Answer to: {one}")], timeout=20_000
    )
    assert [chat["message"] for chat in stub.chats] == questions
    assert len({chat["session_id"] for chat in stub.chats}) == 1


async def test_offline_and_back(
    visitor: Visitor, stub: StubService, context: BrowserContext
) -> None:
    await visitor.open()
    await visitor.write("Before")
    await expect(visitor.texts).to_have_count(2)
    await context.set_offline(True)
    await visitor.write("Meanwhile")
    await visitor.write("Meanwhile")
    await expect(visitor.notice).to_contain_text("You’re offline")
    await expect(visitor.page.locator(".unsent .state")).to_have_text(["Not sent yet"] * 2)
    stub.session.add("human", "Said while you were away")

    await context.set_offline(False)
    await expect(visitor.texts).to_have_text(
        [
            "Before", "Answer to: Before", "Said while you were away",
            "Meanwhile", "Answer to: Meanwhile", "Meanwhile", "Answer to: Meanwhile",
        ],
        timeout=20_000,
    )  # fmt: skip
    await expect(visitor.pending).to_have_count(0)
    await expect(visitor.notice).to_be_hidden()
    assert len(stub.session.messages) == 7


async def test_an_answer_that_is_lost_on_its_way_doubles_nothing(
    visitor: Visitor, stub: StubService
) -> None:
    stub.refuse("chat", 503, "unavailable", after=True)
    await visitor.open()
    await visitor.write("Once")
    await visitor.write("Twice")

    await expect(visitor.texts).to_have_text(
        ["Once", "Answer to: Once", "Twice", "Answer to: Twice"], timeout=20_000
    )
    assert len(stub.session.messages) == 4


async def test_an_answer_that_takes_longer_comes_with_the_messages(
    visitor: Visitor, stub: StubService
) -> None:
    stub.refuse("chat", 504, "answer_delayed", after=True, event_id="01JD")
    await visitor.open()
    await visitor.write("Slowly")
    await expect(visitor.texts).to_have_text(["Slowly", "Answer to: Slowly"])
    await expect(visitor.notice).to_be_hidden()
    assert len(stub.chats) == 1


async def test_an_unsent_message_survives_the_page(
    visitor: Visitor, stub: StubService, site: Site, context: BrowserContext
) -> None:
    stub.refuse("chat", 429, "rate_limited", retry_after=3600)
    await visitor.open()
    await visitor.write("Kept")
    await expect(visitor.notice).to_have_text(
        "Many messages at once. Yours is kept, and sent in a moment."
    )
    await visitor.page.get_by_role("link", name="Second page").click()

    # The chat is open again on the next page, and the focus is where the page set it.
    await expect(visitor.texts).to_have_text(["Kept", "Answer to: Kept"])
    await expect(visitor.page.locator("body")).to_be_focused()
    keys = await visitor.page.evaluate("Object.keys(localStorage)")
    assert keys == [f"support-widget/{KEY}"]
    await visitor.page.goto(f"{site.url}/third")
    await expect(visitor.texts).to_have_text(["Kept", "Answer to: Kept"])


async def test_retry_after_is_kept_to(visitor: Visitor, stub: StubService) -> None:
    stub.refuse("chat", 429, "rate_limited", retry_after=1)
    await visitor.open()
    await visitor.write("Patience")

    await expect(visitor.texts).to_have_text(["Patience", "Answer to: Patience"], timeout=10_000)
    await expect(visitor.notice).to_be_hidden()


async def test_two_tabs_show_the_same(
    visitor: Visitor, stub: StubService, site: Site, context: BrowserContext
) -> None:
    other = await visit(context, site.url)
    stub.let_go.clear()
    await visitor.open()
    await visitor.write("From the first")
    await visitor.page.keyboard.press("Escape")
    stub.let_go.set()
    for tab in (visitor, other):
        await expect(tab.launcher).to_have_accessible_name("Chat, 1 unread")

    await other.open()
    await expect(visitor.launcher).to_have_accessible_name("Chat")
    await visitor.open()
    await other.write("From the second")
    shown = [
        "From the first", "Answer to: From the first",
        "From the second", "Answer to: From the second",
    ]  # fmt: skip
    for tab in (visitor, other):
        await expect(tab.texts).to_have_text(shown)
        await expect(tab.pending).to_have_count(0)
    await other.page.keyboard.press("Escape")
    stub.session.add("human", "And one more")
    await expect(visitor.texts.last).to_have_text("And one more")
    # Messages displayed in one tab are not unread in another.
    await expect(other.launcher).to_have_accessible_name("Chat")
    assert len(stub.session.messages) == 5


@pytest.mark.parametrize("refused", [False, True])
async def test_a_session_that_has_ended_begins_anew(
    visitor: Visitor, stub: StubService, *, refused: bool
) -> None:
    """The service answers in another session, or rejects one that became another visitor's."""
    await visitor.open()
    await visitor.write("Long ago")
    await expect(visitor.texts).to_have_count(2)
    stub.forget()
    if refused:
        stub.refuse("chat", 404, "widget_session_unknown")
    await visitor.write("Today")

    await expect(visitor.texts).to_have_text(["Today", "Answer to: Today"])
    await visitor.write("And again")
    await expect(visitor.texts).to_have_count(4)
    assert len(stub.sessions) == 1


async def test_a_refused_page_says_so_to_both(visitor: Visitor, stub: StubService) -> None:
    await visitor.open()
    stub.refuse("chat", 403, "origin_not_allowed")
    await visitor.write("Hello")

    await expect(visitor.notice).to_have_text("The chat is not available on this page.")
    await expect(visitor.page.locator(".unsent .state")).to_have_text("Not sent yet")
    origin = visitor.page.url.rstrip("/")
    hint = f"Support widget: refused (origin_not_allowed). Allow the origin {origin} in"
    assert any(line.startswith(hint) for line in visitor.said), visitor.said


async def test_a_wrong_key_shows_nothing_and_tells_the_merchant(
    context: BrowserContext, site: Site
) -> None:
    site.tags = ({"data-key": "wk_wrong"}, {})
    visitor = await visit(context, site.url)

    async def both() -> bool:
        told = " ".join(visitor.said)
        return "refused (unauthenticated)" in told and "needs data-key" in told

    await eventually(both)
    await expect(visitor.launcher).to_have_count(0)


async def test_a_message_that_is_never_taken(visitor: Visitor, stub: StubService) -> None:
    stub.refuse("chat", 413, "body_too_large")
    await visitor.open()
    await visitor.write("Too much")
    await visitor.write("Enough")

    await expect(visitor.texts).to_have_text(["Enough", "Answer to: Enough", "Too much"])
    await expect(visitor.pending).to_contain_text("This message could not be sent.")
    await visitor.page.get_by_role("button", name="Try again").click()
    await expect(visitor.texts.last).to_have_text("Answer to: Too much")
    await expect(visitor.pending).to_have_count(0)


async def test_two_widgets_on_one_page(
    context: BrowserContext, site: Site, stub: StubService
) -> None:
    """Two merchants' keys, one of them twice: the second tag with a key has no effect."""
    site.tags = tuple({"data-key": key} for key in (KEY, OTHER_KEY, KEY))
    visitor = await visit(context, site.url)
    await expect(visitor.launcher).to_have_count(2)
    for number, name in enumerate(("Chez Nous", "Chez Elles")):
        widget = visitor.page.locator(f'support-widget[data-key="{(KEY, OTHER_KEY)[number]}"]')
        await widget.locator("button.launcher").click()
        await expect(widget.get_by_role("dialog")).to_have_accessible_name(name)
        await widget.locator("textarea").fill(f"Hello {name}")
        await widget.locator("textarea").press("Enter")
        await expect(widget.locator(".message .text")).to_have_text(
            [f"Hello {name}", f"Answer to: Hello {name}"]
        )
        await visitor.page.keyboard.press("Escape")
    assert len({chat["session_id"] for chat in stub.chats}) == 2
