"""Text from strangers stays text, and the page cannot read the chat."""

import pytest
from playwright.async_api import BrowserContext, expect

from tests.support.widget.pages import Site, Visitor, visit
from tests.support.widget.stub_service import KEY, StubService

pytestmark = pytest.mark.slow

PAYLOADS = (
    "<img src=x onerror=\"window.hit='img'\">",
    "<script>window.hit='script'</script>",
    "\"><svg/onload=window.hit='svg'>",
    "</textarea><iframe srcdoc=\"<script>parent.hit='frame'</script>\">",
    "{{constructor.constructor(\"window.hit='template'\")()}}",
    "<style>*{display:none}</style>",
)
NOT_LINKS = (
    "javascript:window.hit='link'",
    "data:text/html,<script>window.hit='data'</script>",
    "https://bank.example@evil.example/",
    "https://[",
    "vbscript:msgbox(1)",
)


@pytest.mark.parametrize("where", ["answer", "own message", "brand"])
async def test_markup_is_shown_and_never_read(
    context: BrowserContext, site: Site, stub: StubService, where: str
) -> None:
    every = " ".join(PAYLOADS)
    site.title = every
    if where == "brand":
        stub.brand = {
            "display_name": every, "color": "red;}*{display:none}", "on_color": "#fff",
            "logo_url": "javascript:window.hit='logo'",
        }  # fmt: skip
    if where == "answer":
        stub.answers["Hello"] = every
    visitor = await visit(context, site.url)
    await visitor.open()
    await visitor.write(every if where == "own message" else "Hello")

    await expect(visitor.texts).to_have_count(2)
    shown = {
        "answer": visitor.texts.last, "own message": visitor.texts.first,
        "brand": visitor.page.locator(".head h2"),
    }[where]  # fmt: skip
    await expect(shown).to_have_text(every)
    made = "support-widget :is(img, script, iframe, style, .text svg, .head h2 *)"
    await expect(visitor.page.locator(made)).to_have_count(0)
    assert await visitor.page.evaluate("window.hit === undefined")
    assert visitor.said == []


async def test_only_web_addresses_become_links(visitor: Visitor, stub: StubService) -> None:
    stub.answers["Where?"] = " ".join(
        (*NOT_LINKS, "See (https://shop.example/a?b=1#c), or http://shop.example/fr.")
    )
    await visitor.open()
    await visitor.write("Where?")

    links = visitor.texts.last.get_by_role("link")
    await expect(links).to_have_text(["https://shop.example/a?b=1#c", "http://shop.example/fr"])
    for link in await links.all():
        assert await link.get_attribute("rel") == "noopener noreferrer nofollow"
        assert await link.get_attribute("target") == "_blank"
        assert await link.get_attribute("href") == await link.text_content()


async def test_the_page_sees_nothing_of_the_chat(context: BrowserContext, site: Site) -> None:
    """In production, the shadow root is closed, and one name is added to the page."""
    visitor = await visit(context, site.url, look_in=False)
    host = visitor.page.locator("support-widget")
    await host.wait_for(state="attached")
    assert await host.evaluate("it => it.shadowRoot") is None
    assert await visitor.page.evaluate("Object.keys(window.SupportWidget)") == [
        "open", "close", "identify", "reset",
    ]  # fmt: skip
    for name in ("openChat", "WORDS", "start"):
        assert await visitor.page.evaluate("name => !(name in window)", name)


async def test_the_keys_that_are_typed_stay_inside(visitor: Visitor) -> None:
    """Otherwise the page's shortcuts would react: for them, the event's target is the host, not a
    field."""
    await visitor.page.evaluate(
        "addEventListener('keydown', (event) => { window.keys = (window.keys || '') + event.key; })"
    )
    await visitor.open()
    await visitor.field.press_sequentially("s/?")
    await expect(visitor.field).to_have_value("s/?")
    assert await visitor.page.evaluate("window.keys") is None


async def test_a_browser_that_refuses_storage(context: BrowserContext, site: Site) -> None:
    await context.add_init_script(
        "for (const name of ['localStorage', 'sessionStorage'])"
        "  Object.defineProperty(window, name, { get() { throw new DOMException('no'); } });"
    )
    visitor = await visit(context, site.url)
    await visitor.open()
    await visitor.write("Hello")
    await expect(visitor.texts).to_have_text(["Hello", "Answer to: Hello"])
    await visitor.write("Again")
    await expect(visitor.texts).to_have_count(4)


@pytest.mark.parametrize("kept", ["no JSON", "null", '{"outbox": 1}', "[]"])
async def test_a_record_that_others_have_written(
    context: BrowserContext, site: Site, kept: str
) -> None:
    page = await context.new_page()
    await page.goto(f"{site.url}/before")
    await page.evaluate(
        "([key, kept]) => localStorage.setItem(`support-widget/${key}`, kept)", [KEY, kept]
    )
    visitor = await visit(context, site.url)
    await visitor.open()
    await visitor.write("Hello")
    await expect(visitor.texts).to_have_text(["Hello", "Answer to: Hello"])
    assert visitor.said == []
