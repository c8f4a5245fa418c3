"""/api/dashboard/knowledge: validation, and detection of concurrent changes."""

from typing import Any

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.content.content import MAX_BODY, MAX_ENTRIES, MAX_LINE
from store.content.knowledge_search import KnowledgeSearch
from store.content.tables import knowledge_entries
from tests.support.content.content import ENTRY, KNOWLEDGE
from tests.support.core.engine import LiveEngine
from tests.support.reviews.dashboard import code
from tests.support.tenants.shop import Shop


async def create(front: LiveEngine, headers: dict[str, str], **body: object) -> dict[str, Any]:
    answer = await front.http.post(KNOWLEDGE, json={**ENTRY, **body}, headers=headers)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def found(front: LiveEngine, shop: Shop, words: str) -> list[str]:
    async with front.database.tenant(shop.tenant) as connection:
        passages = await KnowledgeSearch(connection, shop.tenant).find(words)
    return [passage.id for passage in passages]


async def test_create_read_change_delete(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    made = await create(front, owner)
    one = f"{KNOWLEDGE}/{made['id']}"
    assert made == {
        **ENTRY,
        **dict.fromkeys(("updated_at", "source_url", "source_integration_id")),
        **dict.fromkeys(("source_read_at", "source_changed_at")),
        "id": made["id"],
        "created_at": made["created_at"],
    }
    assert (await front.http.get(one, headers=owner)).json() == made
    assert await found(front, shop, "comment laver le lin ?") == [made["id"]]

    change = {"title": "Entretien de la laine", "body": None}
    changed = (await front.http.patch(one, json=change, headers=owner)).json()
    assert changed == {**made, "title": change["title"], "updated_at": changed["updated_at"]}
    assert changed["updated_at"] is not None
    assert await found(front, shop, "le lin") == []
    assert await found(front, shop, "la laine") == [made["id"]]
    assert await found(front, shop, "essorage") == [made["id"]]  # the body is unchanged

    await front.http.patch(one, json={"body": "Séchage à plat."}, headers=owner)
    assert await found(front, shop, "essorage") == []
    assert await found(front, shop, "sechage de la laine") == [made["id"]]

    english = {"title": "Care", "body": "Washing at thirty degrees.", "language": "en"}
    await front.http.patch(one, json=english, headers=owner)
    assert await found(front, shop, "how do I wash it?") == [made["id"]]

    assert (await front.http.delete(one, headers=owner)).status_code == 204
    assert code(await front.http.get(one, headers=owner)) == (404, "content_not_found")
    assert await found(front, shop, "how do I wash it?") == []


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"title": " "}, "title : 1 à 200"),
        ({"title": "x" * (MAX_LINE + 1)}, "title : 1 à 200"),
        ({"body": "\n"}, "body : 1 à 20000"),
        ({"body": "x" * (MAX_BODY + 1)}, "body : 1 à 20000"),
    ],
)
async def test_what_breaks_a_rule_is_named(
    front: LiveEngine, owner: dict[str, str], wrong: dict[str, str], named: str
) -> None:
    made = await create(front, owner)
    one = f"{KNOWLEDGE}/{made['id']}"
    for answer in (
        await front.http.post(KNOWLEDGE, json={**ENTRY, **wrong}, headers=owner),
        await front.http.patch(one, json=wrong, headers=owner),
    ):
        assert code(answer) == (400, "invalid_content")
        assert named in answer.json()["error"]
    assert (await front.http.get(one, headers=owner)).json() == made


async def test_five_thousand_and_no_more(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    async with front.database.tenant(shop.tenant, patience_s=30) as connection:
        await connection.execute(
            sa.insert(knowledge_entries),
            [
                {
                    **ENTRY, "client_id": shop.client_id, "id": new_ulid(), "search_text": "x",
                    "created_at": utc_now(),
                }
                for _ in range(MAX_ENTRIES - 1)
            ],
        )  # fmt: skip
    await create(front, owner)
    refused = await front.http.post(KNOWLEDGE, json=ENTRY, headers=owner)
    assert code(refused) == (409, "too_much_content")
