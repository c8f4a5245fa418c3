"""A text is stored in its own language, on every route."""

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.content.suggestion import SuggestedEntry, Suggestion
from store.content.suggestions import SuggestionRepository
from store.content.tables import knowledge_entries, response_templates
from store.learning.tables import labelled_examples
from tests.support.content.content import ENTRY, KNOWLEDGE, TEMPLATE, TEMPLATES
from tests.support.content.suggestions import SUGGESTIONS
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.dashboard.visitors import at_pages
from tests.support.learning.corrections import corrected
from tests.support.tenants.mcp_client import refused
from tests.support.tenants.shop import Shop

FRENCH = "Les retours sont gratuits pendant trente jours après la livraison."
ENGLISH = "Returns are free of charge for thirty days after you have received the parcel."


@pytest.mark.parametrize(
    ("body", "language"),
    [
        *((FRENCH, "fr"), (ENGLISH, "en")),
        *(("Livraison gratuite.", "fr"), ("Free delivery.", "en"), ("Retours sous 30 jours", "fr")),
    ],
)
@pytest.mark.parametrize("pages", ["en", "fr"])
async def test_without_a_choice_it_is_that_of_the_text(
    front: LiveEngine, shop: Shop, body: str, language: str, pages: str
) -> None:
    """Whatever the language of the pages."""
    async with at_pages(front, shop, language=pages) as owner:
        for new, form, fields in (
            ("/app/knowledge/new", "/app/knowledge", {"title": "1"}),
            (
                "/app/templates/new",
                "/app/templates/new",
                {"name": "1", "category": "other", "intent": "", "not_for": ""},
            ),
        ):
            page = await owner.see(new)
            chosen = page.partition('name="language"')[2].partition("</select>")[0]
            assert "selected" not in chosen.replace('value="" selected', "")
            await owner.follow(
                await owner.send(new, form, {**fields, "body": body, "language": ""})
            )
    for table in (knowledge_entries, response_templates):
        stored = await rows(front.database, table, of=shop, body=body)
        assert [row["language"] for row in stored] == [language]


async def test_a_wrong_choice_is_refused_on_the_page(front: LiveEngine, shop: Shop) -> None:
    wrong = {"title": "Retours", "body": FRENCH, "language": "en"}
    async with at_pages(front, shop) as owner:
        page = await owner.follow(await owner.send("/app/knowledge/new", "/app/knowledge", wrong))
        assert "Language: </strong>the text is in French (fr)" in page
        assert FRENCH in page
    assert await rows(front.database, knowledge_entries, of=shop) == []


async def test_a_wrong_language_is_refused_over_http(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    for path, body in (
        (KNOWLEDGE, {**ENTRY, "title": "Retours", "body": FRENCH}),
        (TEMPLATES, {**TEMPLATE, "body": f"Bonjour {{{{ customer_name | }}}}, {FRENCH}"}),
    ):
        answer = await front.http.post(path, json={**body, "language": "en"}, headers=owner)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_content")

        made = await front.http.post(path, json={**body, "language": "fr"}, headers=owner)
        assert made.status_code == 201, made.text
        one = f"{path}/{made.json()['id']}"
        for change in ({"language": "en"}, {"body": ENGLISH}):
            answer = await front.http.patch(one, json=change, headers=owner)
            assert (answer.status_code, answer.json()["code"]) == (400, "invalid_content"), change
        answer = await front.http.patch(
            one, json={"body": ENGLISH, "language": "en"}, headers=owner
        )
        assert answer.status_code == 200, answer.text


async def test_an_entry_that_was_stored_wrong_can_be_put_right(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    body = {**ENTRY, "title": "Retours", "body": FRENCH, "language": "fr"}
    made = (await front.http.post(KNOWLEDGE, json=body, headers=owner)).json()
    async with front.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(knowledge_entries)
            .where(knowledge_entries.c.id == made["id"])
            .values(language="en")
        )
    answer = await front.http.patch(
        f"{KNOWLEDGE}/{made['id']}", json={"language": "fr"}, headers=owner
    )
    assert (answer.status_code, answer.json()["language"]) == (200, "fr")


async def test_a_file_is_stored_by_entry(front: LiveEngine, shop: Shop) -> None:
    text = f"title,body\nRetours,{FRENCH}\nReturns,{ENGLISH}\nTaille,L\n"
    fields = {"form": "csv", "language": "en", "text": text}
    at = "/app/knowledge/import"
    async with at_pages(front, shop) as owner:
        seen = await owner.send(at, at, fields)
        sure = {"_seen": seen.text.partition('name="_seen" value="')[2].partition('"')[0]}
        await owner.follow(await owner.send(at, at, {**fields, **sure}))
        named = {**fields, "text": f"title,body,language\nRetours,{FRENCH},en\n"}
        refused_file = await owner.send(at, at, named)
    stored = await rows(front.database, knowledge_entries, of=shop)
    assert {row["title"]: row["language"] for row in stored} == {
        "Retours": "fr",
        "Returns": "en",
        "Taille": "en",
    }
    assert "The text is in another language." in refused_file.text


async def test_a_correction_is_stored_in_the_language_of_its_words(
    front: LiveEngine, shop: Shop
) -> None:
    """The message was detected as English, but the human answered in French."""
    correction = await corrected(
        front.database,
        shop,
        text="Les retours sont-ils gratuits après trente jours chez vous ?",
        sent=FRENCH,
        language="en",
    )
    at = f"/app/corrections/{correction}"
    fields = {"classification": "other", "intent": "", "content": "on", "title": "Retours"}
    async with at_pages(front, shop) as owner:
        await owner.follow(await owner.send(at, f"{at}/accept", {**fields, "body": FRENCH}))
    assert (await only_row(front.database, knowledge_entries, of=shop))["language"] == "fr"
    assert (await only_row(front.database, labelled_examples, of=shop))["language"] == "fr"


async def test_a_suggestion(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """Rejected when it is created; an older one is accepted in the language of its text."""
    code = await refused(
        front,
        shop,
        "suggest_knowledge_entry",
        title="Retours",
        body=FRENCH,
        language="en",
        reason="asked",
    )
    assert "invalid_content" in str(code)
    kept = Suggestion(
        id=new_ulid(),
        proposed=SuggestedEntry(title="Retours", body=FRENCH, language="en"),
        reason="asked",
        suggested_by="mcp",
        created_at=utc_now(),
    )
    async with front.database.tenant(shop.tenant) as connection:
        await SuggestionRepository(connection, shop.tenant).add(kept)
    await front.http.post(f"{SUGGESTIONS}/{kept.id}/accept", headers=owner)
    assert (await only_row(front.database, knowledge_entries, of=shop))["language"] == "fr"
