"""The knowledge pages: create, edit, delete, and no lost input."""

import re
from html import unescape

import pytest

from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.tenants.shop import Shop

LIST = "/app/knowledge"
NEW = f"{LIST}/new"
FIELDS = {"title": "Delivery", "body": "It takes 3 days.", "language": "en"}


async def test_an_entry_is_written_changed_and_deleted(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        added = await owner.send(NEW, LIST, FIELDS)
        entry = added.headers["location"]
        page = await owner.follow(added)
        assert "Published." in page
        assert "It takes 3 days." in page

        changed = await owner.follow(
            await owner.send(entry, entry, {**FIELDS, "body": "It takes 4 days."})
        )
        assert "Saved." in changed
        assert "It takes 4 days." in changed
        assert "Delivery" in await owner.see(LIST)

        gone = await owner.follow(await owner.send(entry, f"{entry}/delete"))
        assert "Deleted." in gone
        assert (await owner.http.get(entry)).status_code == 404


async def test_a_form_that_is_sent_twice_has_one_effect(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        page = await owner.see(NEW)
        form = {**form_of(page, LIST), **FIELDS}
        first = await owner.http.post(LIST, data=form)
        again = await owner.http.post(LIST, data=form)

        assert first.headers["location"] == again.headers["location"]
        assert (await owner.see(LIST)).count(">Delivery</a>") == 1


async def test_a_broken_rule_leads_back_to_the_filled_form(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        refused = await owner.send(NEW, LIST, {**FIELDS, "title": " "})
        page = await owner.follow(refused)

        assert refused.headers["location"] == NEW
        assert "There is a problem" in page
        assert "Enter 1 to 200 characters" in page
        assert "It takes 3 days." in page
        assert "There is a problem" not in await owner.see(NEW)


async def test_the_second_of_two_tabs_keeps_its_words(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        entry = (await owner.send(NEW, LIST, FIELDS)).headers["location"]
        late = form_of(await owner.see(entry), entry)
        await owner.send(entry, entry, {**FIELDS, "body": "Theirs."})
        refused = await owner.http.post(entry, data={**late, **FIELDS, "body": "Mine."})
        page = await owner.follow(refused)

        assert "This was edited while you were working" in page
        assert "Theirs." in page
        assert "Mine." in page


async def test_words_survive_the_end_of_the_session(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        form = form_of(await owner.see(NEW), LIST)
        owner.http.cookies.clear()
        ended = await owner.http.post(LIST, data={**form, **FIELDS})
        assert ended.headers["location"] == "/app/sign-in?next=%2Fapp%2Fknowledge%2Fnew"

    async with at_pages(front, shop) as owner:
        page = await owner.see(NEW)
        assert "It takes 3 days." in page
        assert "restored your unsaved draft" in page
        assert "Delivery" not in await owner.see(LIST)


async def test_a_viewer_reads(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        assert NEW not in await viewer.see(LIST)
        assert (await viewer.http.get(NEW)).status_code == 403


@pytest.mark.parametrize(
    ("language", "question"),
    [("en", "How do I return an item?"), ("fr", "Comment retourner un article\u202f?")],
)
async def test_a_new_article_starts_from_a_common_question(
    front: LiveEngine, shop: Shop, language: str, question: str
) -> None:
    """A question is suggested until it has an article, and only while the form is empty."""
    link = re.compile(rf'<a class="button quiet small" href="([^"]*)">{re.escape(question)}</a>')
    async with at_pages(front, shop, language=language) as owner:
        found = link.search(await owner.see(NEW))
        assert found is not None
        filled = await owner.see(unescape(found.group(1)))
        assert f'value="{" ".join(question.split())}"' in filled
        assert f'<option value="{language}" selected>' in filled
        assert not link.search(filled)
        fields = {"title": question, "body": "Within 30 days.", "language": language}
        await owner.send(NEW, LIST, fields)
        page = await owner.see(NEW)
        assert not link.search(page)
        assert page.count('class="button quiet small"') >= 7
