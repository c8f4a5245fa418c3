"""An email to a customer as an email program shows it: screenshots in light and dark colors."""

import base64
from typing import Any, Final

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Browser, Page

from domain.core.html_mail import mail_html

pytestmark = pytest.mark.slow

Color = tuple[int, int, int]

MAIL: Final = mail_html(
    "Hello,\n\nYour order is here: https://track.example/1042\n\nKind regards,\nChez Nous\n\n"
    "You are talking to our AI assistant.\n\n-- \nLéa\nChez Nous\n",
    title="Re: My order",
    sender="Chez Nous",
    color="#0b5d4e",
)
# Pixels in the screenshot: the merchant's band, the card beside its text, and the page below it.
BAND: Final = (60, 34)
CARD: Final = (48, 120)
PAGE: Final = (4, 590)
_PIXELS: Final = """async ([picture, points]) => {
  const image = new Image();
  image.src = `data:image/png;base64,${picture}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
  canvas.drawImage(image, 0, 0);
  return points.map(([x, y]) => [...canvas.getImageData(x, y, 1, 1).data.slice(0, 3)]);
}"""


async def _pixels(page: Page) -> list[Color]:
    picture = base64.b64encode(await page.screenshot()).decode()
    found: list[list[int]] = await page.evaluate(_PIXELS, [picture, [BAND, CARD, PAGE]])
    return [(red, green, blue) for red, green, blue in found]


@pytest.mark.parametrize(
    ("colours", "card", "around"),
    [
        ("light", (255, 255, 255), (244, 245, 247)),
        ("dark", (23, 24, 27), (15, 16, 18)),
    ],
)
async def test_a_mail_in_its_reader_s_colours(
    browser: Browser, colours: Any, card: Color, around: Color
) -> None:
    context = await browser.new_context(
        color_scheme=colours, viewport={"width": 640, "height": 600}
    )
    page = await context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.set_content(MAIL)

    assert asked == [], "nothing is loaded"
    assert await _pixels(page) == [(11, 93, 78), card, around]
    await page.evaluate(AXE_SCRIPT)
    found = await page.evaluate("axe.run({runOnly: ['color-contrast', 'link-in-text-block']})")
    assert found["violations"] == []
    await page.set_viewport_size({"width": 320, "height": 600})
    assert await page.evaluate("document.documentElement.scrollWidth") == 320
    await context.close()
