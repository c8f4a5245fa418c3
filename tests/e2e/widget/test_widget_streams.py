"""When the script opens a stream, and its fallback without streams."""

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Page, expect

from domain.widget.shown_message import ShownFile
from tests.support.core.waiting import eventually
from tests.support.intake.attachments import PHOTO
from tests.support.widget.pages import Site, Visitor, visit
from tests.support.widget.stub_service import StubService

pytestmark = pytest.mark.slow

# Headless Chromium never hides a page.
HIDE = """(hidden) => {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


async def _streams(stub: StubService, number: int) -> None:
    async def so_many() -> bool:
        return stub.streams == number

    await eventually(so_many)


async def _talked(page: Page, visitor: Visitor) -> None:
    await page.clock.install()
    await visitor.open()
    await visitor.write("Hello")
    await expect(visitor.texts).to_have_count(2)


async def test_a_page_that_is_only_loaded_listens_to_nothing(
    visitor: Visitor, stub: StubService, context: BrowserContext, site: Site
) -> None:
    await visitor.launcher.wait_for()
    await visitor.open()
    await expect(visitor.page.get_by_role("log")).to_have_attribute("aria-busy", "false")
    assert (stub.streams, stub.sessions) == (0, {})
    await visitor.write("Hello")
    await _streams(stub, 1)
    await context.new_page()
    await visitor.page.goto(f"{site.url}/second")
    await _streams(stub, 1)
    await visitor.page.close()
    await _streams(stub, 0)


async def test_a_hidden_page_hangs_up_and_misses_nothing(
    visitor: Visitor, stub: StubService
) -> None:
    page = visitor.page
    await _talked(page, visitor)
    await _streams(stub, 1)
    await page.evaluate(HIDE, True)
    await page.clock.fast_forward(61_000)
    await _streams(stub, 0)
    stub.session.add("human", "While nobody looked")

    await page.evaluate(HIDE, False)
    await expect(visitor.texts.last).to_have_text("While nobody looked")
    await _streams(stub, 1)
    await page.evaluate(HIDE, True)
    await page.evaluate(HIDE, False)
    await page.clock.fast_forward(61_000)
    stub.session.add("human", "And while somebody did")
    await expect(visitor.texts.last).to_have_text("And while somebody did")


async def test_a_closed_chat_listens_for_ten_minutes(visitor: Visitor, stub: StubService) -> None:
    page = visitor.page
    await _talked(page, visitor)
    await page.keyboard.press("Escape")
    stub.session.add("human", "One more thing")
    await expect(visitor.launcher).to_have_accessible_name("Chat, 1 unread")
    await expect(visitor.page.locator(".badge")).to_have_text("1")
    await page.clock.fast_forward(11 * 60_000)
    await _streams(stub, 0)
    stub.session.add("human", "Much later")

    await visitor.open()
    await expect(visitor.texts.last).to_have_text("Much later")
    await expect(visitor.launcher).to_have_accessible_name("Chat")


async def test_a_silent_connection_is_given_up(visitor: Visitor, stub: StubService) -> None:
    """The connection is dead without notice, as behind a router that dropped it."""
    page = visitor.page
    await _talked(page, visitor)
    await _streams(stub, 1)
    stub.buffered = True
    stub.session.add("human", "Into a dead line")
    await page.clock.run_for(46_000)
    stub.buffered = False
    await page.clock.run_for(2_000)
    await expect(visitor.texts.last).to_have_text("Into a dead line")


async def test_answers_come_where_streams_do_not(
    visitor: Visitor, stub: StubService, context: BrowserContext, site: Site
) -> None:
    """A proxy buffers the stream until it ends, or there are too many streams."""
    stub.buffered = True
    other = await visit(context, site.url)
    await other.open()
    await visitor.open()
    await visitor.write("Hello")
    await visitor.write("A person, please")

    for tab in (visitor, other):
        await expect(tab.texts).to_have_text(["Hello", "Answer to: Hello", "A person, please"])
    await expect(visitor.pending).to_have_count(0)
    await expect(visitor.notice).to_contain_text("Our team will answer")


async def test_answers_of_people_come_where_streams_are_refused(
    visitor: Visitor, stub: StubService
) -> None:
    """The process is at its limit. The script polls until it gets a stream."""
    stub.full = True
    page = visitor.page
    await _talked(page, visitor)
    for text in ("From a person", "And later"):
        stub.session.add("human", text)
        await page.clock.run_for(31_000)
        await expect(visitor.texts.last).to_have_text(text)
    assert stub.streams == 0

    stub.full = False
    await page.clock.run_for(31_000)
    await _streams(stub, 1)
    stub.session.add("human", "On the stream")
    await expect(visitor.texts.last).to_have_text("On the stream")


async def test_who_reads_further_up_is_left_there(visitor: Visitor, stub: StubService) -> None:
    await visitor.open()
    stub.answers["Long"] = "A line\n" * 60
    await visitor.write("Long")
    await expect(visitor.texts).to_have_count(2)
    log = visitor.page.get_by_role("log")
    left = "it => it.scrollHeight - it.scrollTop - it.clientHeight"
    assert await log.evaluate(left) < 2
    await log.evaluate("it => new Promise((done) => { it.onscroll = done; it.scrollTop = 0; })")
    stub.session.add("human", "Below")
    await expect(visitor.texts).to_have_count(3)
    assert await log.evaluate("it => it.scrollTop") == 0
    await visitor.write("Mine")
    await expect(visitor.pending).to_have_count(0)
    assert await log.evaluate(left) < 2


async def test_a_file_is_saved(visitor: Visitor, stub: StubService) -> None:
    """The file is only for this session, so it has no URL that a visitor could pass on."""
    await visitor.open()
    await visitor.write("Hello")
    await expect(visitor.texts).to_have_count(2)
    stub.session.add("human", "Here it is", (ShownFile("1", "Facture été.png", 100),))
    file = visitor.page.get_by_role("button", name="Facture été.png")

    async with visitor.page.expect_download() as saved:
        await file.click()

    download = await saved.value
    assert download.suggested_filename == "Facture été.png"
    content = await asyncio.to_thread(Path(await download.path()).read_bytes)
    assert content == PHOTO.data

    stub.refuse("attachments/{file_id}", 503, "engine_unavailable")
    await file.click()
    await expect(visitor.notice).to_contain_text("Something went wrong on our side")


async def test_a_page_from_the_browser_s_own_memory(
    context: BrowserContext, site: Site, stub: StubService
) -> None:
    """Back and forward: messages from the page in between are shown."""
    visitor = await visit(context, site.url)
    await visitor.open()
    await visitor.write("First page")
    await expect(visitor.texts).to_have_count(2)
    await visitor.page.get_by_role("link", name="Second page").click()
    await expect(visitor.texts).to_have_count(2)
    await visitor.write("Second page")
    await expect(visitor.texts).to_have_count(4)
    await visitor.page.go_back()
    await expect(visitor.texts).to_have_count(4)
    await expect(visitor.texts.last).to_have_text("Answer to: Second page")
    assert len(stub.session.messages) == 4
