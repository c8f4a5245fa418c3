"""Suggestions: an assistant's proposal is not used before a member accepts it."""

import asyncio

import pytest

from adapters.system import new_ulid
from domain.agent.brain import Category
from domain.agent.intent import Intent
from domain.content.errors import TooManySuggestions
from domain.content.suggestion import MAX_SUGGESTIONS, SuggestedTemplate
from domain.tenants.client import Role
from store.content.content import ContentRepository
from store.content.knowledge_search import KnowledgeSearch
from store.content.tables import knowledge_entries, suggestions
from tests.support.content.suggestions import ENTRY, SUGGESTIONS, suggested
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.reviews.dashboard import person
from tests.support.tenants.mcp_client import refused, told
from tests.support.tenants.shop import Shop

TEMPLATE = SuggestedTemplate(
    name="Retours",
    category=Category.OTHER,
    language="fr",
    body="Bonjour {{ customer_name | }}, vous avez trente jours.",
    intent=Intent.RETURN,
    not_for=("Suisse",),
)


async def _found(front: LiveEngine, shop: Shop) -> int:
    async with front.database.reading(shop.tenant) as connection:
        return len(await KnowledgeSearch(connection, shop.tenant).find("lavage du lin"))


async def test_an_entry_is_known_once_it_is_accepted(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    kept = await told(
        front, shop, "suggest_knowledge_entry",
        title=ENTRY.title, body=ENTRY.body, language="fr", reason="asked\ntwice",
    )  # fmt: skip
    listed = await front.http.get(SUGGESTIONS, headers=owner)
    assert await _found(front, shop) == 0
    assert await rows(front.database, knowledge_entries, client_id=shop.client_id) == []

    path = f"{SUGGESTIONS}/{kept['suggestion_id']}"
    accepted = await front.http.post(f"{path}/accept", headers=owner)
    again = await front.http.post(f"{path}/accept", headers=owner)

    (shown,) = listed.json()["suggestions"]
    assert shown["proposed"] == {
        "kind": "knowledge", "title": ENTRY.title, "body": ENTRY.body, "language": "fr"
    }  # fmt: skip
    assert (shown["reason"], shown["suggested_by"]) == ("asked twice", shop.key_id)
    assert accepted.status_code == 201
    assert accepted.json()["title"] == ENTRY.title
    assert await _found(front, shop) == 1
    assert (again.status_code, again.json()["code"]) == (404, "suggestion_not_found")
    assert await rows(front.database, suggestions, client_id=shop.client_id) == []


async def test_a_template_is_used_once_it_is_accepted(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    suggestion_id = await suggested(front.database, shop, TEMPLATE)
    async with front.database.reading(shop.tenant) as connection:
        before = await ContentRepository(connection, shop.tenant).templates()

    accepted = await front.http.post(f"{SUGGESTIONS}/{suggestion_id}/accept", headers=owner)

    assert accepted.status_code == 201
    made = accepted.json()
    assert {name: made[name] for name in TEMPLATE.model_dump() if name != "kind"} == (
        TEMPLATE.model_dump(mode="json", exclude={"kind"})
    )
    async with front.database.reading(shop.tenant) as connection:
        after = await ContentRepository(connection, shop.tenant).templates()
    assert TEMPLATE.name not in [one.name for one in before.templates]
    assert [one.name for one in after.templates].count(TEMPLATE.name) == 1


async def test_what_is_refused_is_gone(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    suggestion_id = await suggested(front.database, shop)

    refused_ = await front.http.post(f"{SUGGESTIONS}/{suggestion_id}/refuse", headers=owner)

    assert refused_.status_code == 204
    assert await rows(front.database, suggestions, client_id=shop.client_id) == []
    assert await rows(front.database, knowledge_entries, client_id=shop.client_id) == []


@pytest.mark.parametrize("role", [Role.AGENT, Role.VIEWER])
async def test_owners_and_admins_decide(front: LiveEngine, shop: Shop, role: Role) -> None:
    suggestion_id = await suggested(front.database, shop)
    headers = await person(front, shop, role)

    accepted = await front.http.post(f"{SUGGESTIONS}/{suggestion_id}/accept", headers=headers)
    by_key = await front.http.post(f"{SUGGESTIONS}/{suggestion_id}/accept", headers=shop.headers)

    assert (accepted.status_code, by_key.status_code) == (403, 401)
    assert (await only_row(front.database, suggestions, client_id=shop.client_id))["id"] == (
        suggestion_id
    )


async def test_of_two_at_once_one_decides(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    path = f"{SUGGESTIONS}/{await suggested(front.database, shop)}"

    answers = await asyncio.gather(
        *(front.http.post(f"{path}/{what}", headers=owner) for what in ("accept", "refuse") * 3)
    )

    assert sorted(answer.status_code for answer in answers)[:1] in ([201], [204])
    assert sum(answer.status_code == 404 for answer in answers) == 5


async def test_no_more_wait_than_people_can_read(front: LiveEngine, shop: Shop) -> None:
    async with front.database.tenant(shop.tenant) as connection:
        await connection.execute(
            suggestions.insert(),
            [
                {
                    "client_id": shop.client_id, "id": new_ulid(), "reason": "r",
                    "proposed": ENTRY.model_dump(mode="json"), "suggested_by": shop.key_id,
                    "created_at": front.app.state.resources.now(),
                }
                for _ in range(MAX_SUGGESTIONS - 1)
            ],
        )  # fmt: skip

    ends = await asyncio.gather(
        *(suggested(front.database, shop) for _ in range(5)), return_exceptions=True
    )
    text = await refused(
        front, shop, "suggest_knowledge_entry", title="t", body="b", language="fr", reason="r"
    )

    assert sum(isinstance(end, TooManySuggestions) for end in ends) == 4
    assert text.startswith("There are already 200 open suggestions.")
    assert len(await rows(front.database, suggestions, client_id=shop.client_id)) == 200
