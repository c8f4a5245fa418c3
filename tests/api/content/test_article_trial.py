"""The test box beside an article's text: it answers with the unsaved text, and saves nothing."""

from html import unescape

import pytest

from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.tenants.shop import Shop

LIST = "/app/knowledge"
NEW = f"{LIST}/new"
QUESTION = "Do you deliver to Belgium?"
ARTICLE = {
    "title": "Delivery to Belgium",
    "body": "We deliver to Belgium within 4 days.",
    "language": "en",
}


async def test_a_new_article_is_tested_and_not_saved(engine: LiveEngine, shop: Shop) -> None:
    async with at_pages(engine, shop) as owner:
        assert "Test this article" in await owner.see(NEW)
        shown = await owner.send(NEW, LIST, {**ARTICLE, "question": QUESTION, "ask": "1"})
        assert shown.status_code == 200
        page = unescape(shown.text)
        answer = page.partition('id="tried"')[2]
        assert "We deliver to Belgium within 4 days." in answer
        assert "Uses this article" in answer
        assert QUESTION in page.partition('id="tried"')[0]
        assert 'name="_back" value="/app/knowledge/new"' in page
        assert ARTICLE["title"] not in await owner.see(LIST)
        assert "unsaved draft" not in await owner.see(NEW)


async def test_a_saved_article_answers_with_its_edited_text(engine: LiveEngine, shop: Shop) -> None:
    async with at_pages(engine, shop) as owner:
        at = (await owner.send(NEW, LIST, ARTICLE)).headers["location"]
        edited = {**ARTICLE, "body": "We deliver to Belgium within 9 days."}
        shown = await owner.send(at, at, {**edited, "question": QUESTION, "ask": "1"})
        answer = unescape(shown.text).partition('id="tried"')[2]
        assert "within 9 days" in answer
        assert "Uses this article" in answer
        assert "within 4 days" in await owner.see(at)


@pytest.mark.parametrize("left_out", ["question", "title"])
async def test_what_is_missing_is_named_in_the_box(
    front: LiveEngine, shop: Shop, left_out: str
) -> None:
    async with at_pages(front, shop, language="fr") as owner:
        fields = {**ARTICLE, "question": QUESTION, left_out: "", "ask": "1"}
        shown = await owner.send(NEW, LIST, fields)
        assert shown.status_code == 200
        assert "Saisissez d’abord le titre, le texte et une question." in shown.text
        assert ARTICLE["body"] in shown.text
