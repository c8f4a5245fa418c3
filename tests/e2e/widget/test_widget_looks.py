"""Accessibility of the widget: without a mouse, with a screen reader, on a phone, in dark mode."""

import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Browser, BrowserContext, Page, expect

from tests.support.widget.pages import PHONE, Site, Visitor, visit
from tests.support.widget.stub_service import StubService

pytestmark = pytest.mark.slow

WHOLE: Final = {"include": [["support-widget"]]}


async def _findings(page: Page) -> list[str]:
    """Return axe's findings in the widget with their severity. Here, axe can read the shadow
    root."""
    await page.evaluate(AXE_SCRIPT)
    # Contrast is measured after all fade-ins.
    await page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished))")
    found: dict[str, Any] = await page.evaluate(f"axe.run({json.dumps(WHOLE)})")
    return [
        f"{one['impact']}: {one['id']}: {where['html']}: {where['failureSummary']}"
        for one in found["violations"]
        for where in one["nodes"]
    ]


async def _closed(_: Visitor, __: StubService) -> None:
    """The closed widget, as after loading the page."""


async def _opened(visitor: Visitor, _: StubService) -> None:
    await visitor.open()


async def _talking(visitor: Visitor, stub: StubService) -> None:
    """The widget with every kind of message, a notice, a link and a message that cannot be sent."""
    stub.answers["Hello"] = "See https://shop.example/ for more."
    await visitor.open()
    await visitor.write("Hello")
    await expect(visitor.texts).to_have_count(2)
    await visitor.write("I want a person")
    await expect(visitor.texts).to_have_count(3)
    await expect(visitor.pending).to_have_count(0)
    stub.session.add("human", "Anna here.")
    stub.session.set(reviewing=True, verified_email="j…@free.example")
    await expect(visitor.texts).to_have_count(4)
    stub.refuse("chat", 413, "body_too_large")
    await visitor.write("Too much")
    await visitor.page.get_by_role("button", name="Try again").wait_for()


async def _asked(visitor: Visitor, _: StubService) -> None:
    await visitor.open()
    await visitor.write("Where is my order?")
    await visitor.page.get_by_label("Your email").fill("jo@free.example")
    await visitor.page.get_by_role("button", name="Send code").click()
    await visitor.page.get_by_label("Code").fill("000000")
    await visitor.page.get_by_role("button", name="Confirm").click()
    await visitor.page.get_by_role("alert").wait_for()


STATES: Final[dict[str, Callable[[Visitor, StubService], Awaitable[None]]]] = {
    "closed": _closed,
    "open": _opened,
    "talking": _talking,
    "asked": _asked,
}


@pytest.mark.parametrize("colours", ["light", "dark"])
async def test_axe_finds_nothing(
    browser: Browser, site: Site, stub: StubService, colours: Any
) -> None:
    stub.brand["logo_url"] = f"{stub.url}/logo.svg"
    for state in STATES.values():
        context = await browser.new_context(locale="en-GB", color_scheme=colours)
        visitor = await visit(context, site.url)
        await visitor.launcher.wait_for()
        await state(visitor, stub)
        assert await _findings(visitor.page) == [], (state, colours)
        await context.close()
        stub.forget()


async def test_axe_sees_into_the_shadow_root(
    context: BrowserContext, site: Site, stub: StubService
) -> None:
    """It finds errors there: colors that the service never returns."""
    stub.brand.update(color="#777777", on_color="#7a7a7a")
    visitor = await visit(context, site.url)
    await visitor.open()
    found = await _findings(visitor.page)
    assert {one.split(": ")[1] for one in found} == {"color-contrast"}


async def test_what_a_screen_reader_is_given(visitor: Visitor, stub: StubService) -> None:
    await _talking(visitor, stub)
    await expect(visitor.dialog).to_match_aria_snapshot("""
      - dialog "Chez Nous":
        - heading "Chez Nous" [level=2]
        - button "Close the chat"
        - status: Our team is looking at your message.
        - text: "Confirmed email: j…@free.example"
        - log "Conversation":
          - paragraph: Hello! How can we help you?
          - paragraph: You are talking to our AI assistant.
          - text: You
          - paragraph: Hello
          - time: /.+/
          - text: Chez Nous · AI assistant
          - paragraph:
            - text: See
            - link "https://shop.example/"
            - text: for more.
          - time: /.+/
          - text: You
          - paragraph: I want a person
          - time: /.+/
          - text: Customer service
          - paragraph: Anna here.
          - time: /.+/
          - text: You
          - paragraph: Too much
          - text: This message could not be sent.
          - button "Try again"
        - textbox "Your message"
        - button "Send"
    """)
    log = visitor.page.get_by_role("log")
    assert await log.get_attribute("aria-live") == "polite"
    assert await log.get_attribute("aria-busy") == "false"


async def test_with_the_keyboard_alone(visitor: Visitor) -> None:
    page = visitor.page
    await visitor.launcher.wait_for()
    for _ in range(3):
        await page.keyboard.press("Tab")
    await expect(visitor.launcher).to_be_focused()
    assert await visitor.launcher.evaluate("it => getComputedStyle(it).outlineStyle") == "solid"
    await page.keyboard.press("Enter")
    await expect(visitor.field).to_be_focused()
    await page.keyboard.type("First line")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("second line")
    await page.keyboard.press("Enter")
    await expect(visitor.texts).to_have_count(2)
    await expect(visitor.texts.first).to_have_text("First line\nsecond line")

    await page.keyboard.press("Shift+Tab")
    await expect(page.get_by_role("log")).to_be_focused()
    await page.keyboard.press("Shift+Tab")
    await expect(page.get_by_role("button", name="Close the chat")).to_be_focused()
    # It does not trap the focus: the page can be reached, and the chat again.
    await page.keyboard.press("Shift+Tab")
    await expect(page.get_by_role("button", name="Buy")).to_be_focused()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Escape")
    await expect(visitor.dialog).to_be_hidden()
    await expect(visitor.launcher).to_be_focused()
    await expect(visitor.launcher).to_have_attribute("aria-expanded", "false")


async def test_the_focus_goes_back_to_where_it_came_from(visitor: Visitor) -> None:
    await visitor.launcher.wait_for()
    buy = visitor.page.get_by_role("button", name="Buy")
    await buy.focus()
    await visitor.page.evaluate("window.SupportWidget.open()")
    await expect(visitor.field).to_be_focused()
    await visitor.page.keyboard.press("Escape")
    await expect(buy).to_be_focused()


async def test_a_phone(browser: Browser, site: Site) -> None:
    screen: Any = {"width": PHONE[0], "height": PHONE[1]}
    context = await browser.new_context(
        viewport=screen, has_touch=True, locale="en-GB", reduced_motion="reduce"
    )
    visitor = await visit(context, site.url)
    await visitor.launcher.tap()
    await visitor.dialog.wait_for()
    await expect(visitor.dialog).to_be_focused()
    box = await visitor.dialog.bounding_box()
    assert box == {"x": 0, "y": 0, "width": PHONE[0], "height": PHONE[1]}
    assert await visitor.page.evaluate("document.documentElement.scrollWidth") == PHONE[0]
    # With a smaller font, a phone zooms in on the field.
    assert await visitor.field.evaluate("it => getComputedStyle(it).fontSize") == "16px"
    for button in await visitor.dialog.get_by_role("button").all():
        size = await button.bounding_box()
        assert size is not None
        assert min(size["width"], size["height"]) >= 44

    # The page is behind the chat and cannot be reached with the keyboard.
    for _ in range(8):
        await visitor.page.keyboard.press("Tab")
        assert await visitor.page.evaluate(
            "[document.body, document.querySelector('support-widget')]"
            ".includes(document.activeElement)"
        )
    # The phone's keyboard leaves less room, and in landscape it is as wide as the screen.
    await visitor.page.set_viewport_size({"width": PHONE[0], "height": 420})
    await expect(visitor.field).to_be_in_viewport(ratio=1)
    await visitor.page.set_viewport_size({"width": PHONE[1], "height": PHONE[0]})
    await expect(visitor.field).to_be_in_viewport(ratio=1)
    await visitor.page.set_viewport_size({"width": 1280, "height": 800})
    await expect(visitor.field).to_be_in_viewport(ratio=1)
    wide = await visitor.dialog.bounding_box()
    assert wide is not None
    assert (wide["width"], wide["height"]) == (380, 600)
    await visitor.dialog.get_by_role("button", name="Close the chat").tap()
    await expect(visitor.dialog).to_be_hidden()
    await context.close()


@pytest.mark.parametrize(("motion", "moves"), [("reduce", 0), ("no-preference", 3)])
async def test_reduced_motion(
    browser: Browser, site: Site, stub: StubService, motion: Any, moves: int
) -> None:
    context = await browser.new_context(reduced_motion=motion, locale="en-GB")
    visitor = await visit(context, site.url)
    stub.let_go.clear()
    await visitor.open()
    await visitor.write("Hello")
    dots = visitor.page.locator(".dots")
    await dots.wait_for()
    moving = "it => it.getAnimations({ subtree: true }).length"
    assert await dots.evaluate(moving) == moves
    await context.close()


async def test_forced_colours_leave_borders(browser: Browser, site: Site) -> None:
    context = await browser.new_context(forced_colors="active", locale="en-GB")
    visitor = await visit(context, site.url)
    await visitor.open()
    await visitor.write("Hello")
    await expect(visitor.texts).to_have_count(2)
    for where in (visitor.launcher, visitor.texts.first, visitor.dialog):
        assert await where.evaluate("it => getComputedStyle(it).borderTopStyle") == "solid"
    await context.close()


@pytest.mark.parametrize(
    ("page", "browser_language", "given", "label"),
    [
        ("fr", "en-GB", None, "Discussion"),
        ("fr-CA", "en-GB", None, "Discussion"),
        ("en", "fr-FR", None, "Chat"),
        ("de", "fr-FR", None, "Discussion"),
        ("fr", "fr-FR", "en", "Chat"),
        ("de", "de-DE", "xx", "Chat"),
    ],
)
async def test_its_language(
    browser: Browser, site: Site, page: str, browser_language: str, given: str | None, label: str
) -> None:
    site.language = page
    if given is not None:
        site.tags = ({**site.tags[0], "data-language": given},)
    context = await browser.new_context(locale=browser_language)
    visitor = await visit(context, site.url)
    await expect(visitor.launcher).to_have_accessible_name(label)
    await context.close()


async def test_the_page_s_own_styles_stay_out(context: BrowserContext, site: Site) -> None:
    visitor = await visit(context, site.url)
    await visitor.launcher.wait_for()
    before = await visitor.launcher.bounding_box()
    await visitor.page.evaluate(
        """() => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(`h1, button, support-widget { display: none !important }
            * { font-size: 90px }
            support-widget { opacity: 0; transform: scale(3); position: static; color: red }`);
          document.adoptedStyleSheets = [sheet];
        }"""
    )
    await expect(visitor.page.get_by_role("button", name="Buy")).to_be_hidden()
    assert await visitor.launcher.bounding_box() == before
    await visitor.open()


async def test_a_page_that_changes_its_body(visitor: Visitor, stub: StubService) -> None:
    """Like pages that load the next page themselves: the widget moves along."""
    await visitor.open()
    await visitor.write("Hello")
    await expect(visitor.texts).to_have_count(2)
    await visitor.page.evaluate(
        "document.documentElement.replaceChild(document.createElement('body'), document.body)"
    )
    await expect(visitor.launcher).to_be_visible()
    await visitor.write("Still here")
    await expect(visitor.texts).to_have_count(4)
    assert stub.streams == 1
