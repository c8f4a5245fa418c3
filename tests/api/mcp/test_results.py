"""Results within the limit: at most 50 KB, truncated with a notice, and paginated."""

from typing import Any

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from api.mcp.results import MAX_RESULT
from domain.agent.brain import Category, Template
from domain.content.content import MAX_BODY
from store.content.content import ContentRepository
from store.content.tables import response_templates
from store.runs.conversation_search import LOOKED_THROUGH
from store.runs.tables import ai_conversations, engine_messages
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.runs.conversation import write
from tests.support.tenants.mcp_client import message, refused, told
from tests.support.tenants.shop import Shop

# Twelve bytes each on the wire, the maximum for a character.
DEAR = "\U0001f600"


async def _fill(front: LiveEngine, shop: Shop, count: int, body: str) -> None:
    async with front.database.tenant(shop.tenant) as connection:
        for number in range(count):
            await ContentRepository(connection, shop.tenant).add_template(
                Template(
                    id=new_ulid(),
                    name=f"template {number}",
                    category=Category.OTHER,
                    language="fr",
                    body=body,
                ),
                utc_now(),
            )


@pytest.mark.parametrize(("count", "body"), [(60, "é" * MAX_BODY), (3, DEAR * MAX_BODY)])
async def test_a_page_fits_and_the_next_one_goes_on(
    front: LiveEngine, shop: Shop, count: int, body: str
) -> None:
    await _fill(front, shop, count, body)
    wanted = [
        row["id"]
        for row in await rows(front.database, response_templates, client_id=shop.client_id)
    ]
    seen: list[str] = []
    cursor = None
    while True:
        arguments = {"limit": 50, "cursor": cursor}
        answer = await message(
            front, shop, "tools/call", {"name": "list_templates", "arguments": arguments}
        )
        assert len(answer.content) <= MAX_RESULT
        page = answer.json()["result"]["structuredContent"]
        assert page["templates"]
        seen += [one["template_id"] for one in page["templates"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
        assert page["note"] is None or "did not fit into 50 KB" in page["note"]

    assert seen == sorted(wanted)


async def test_a_text_that_is_cut_says_so(front: LiveEngine, shop: Shop) -> None:
    await _fill(front, shop, 1, "é" * MAX_BODY)
    templates = (await told(front, shop, "list_templates", limit=50))["templates"]

    assert f"cut: {MAX_BODY} characters" in templates[-1]["body"]


async def test_a_long_conversation_is_read_page_by_page(front: LiveEngine, shop: Shop) -> None:
    texts = [f"{number} {DEAR * 3_000}" for number in range(7)]
    for text in texts:
        await write(front.database, shop, text)
    (conversation,) = await rows(front.database, ai_conversations, client_id=shop.client_id)
    read: list[dict[str, Any]] = []
    cursor = None
    while True:
        page = await told(
            front, shop, "get_conversation",
            conversation_id=conversation["id"], limit=3, cursor=cursor,
        )  # fmt: skip
        read = page["messages"] + read
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert [one["text"]["text"][0] for one in read] == [text[0] for text in texts]
    assert all(one["text"]["is_cut"] for one in read)


async def test_knowledge_and_its_resource_fit(front: LiveEngine, shop: Shop) -> None:
    entry_id = new_ulid()
    async with front.database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_knowledge(
            entry_id=entry_id, title="Lin", body="lin " + DEAR * 19_000, language="fr",
            now=utc_now(),
        )  # fmt: skip

    found = (await told(front, shop, "search_knowledge", query="lin"))["passages"]
    resource = await message(
        front, shop, "resources/read", {"uri": f"knowledge://{found[0]['knowledge_id']}"}
    )

    assert found[0]["knowledge_id"] == entry_id
    assert len(resource.content) <= MAX_RESULT
    text = resource.json()["result"]["contents"][0]["text"]
    assert text.startswith("# Lin\n\nlin ")
    assert "[cut: " in text


async def test_every_outbound_event_fits(front: LiveEngine, shop: Shop) -> None:
    everything = await message(front, shop, "resources/read", {"uri": "webhook-events://all"})
    (content,) = everything.json()["result"]["contents"]
    assert "ticket.resolved" in content["text"]
    for event in ("ticket.resolved", "ticket.escalated"):
        one = await message(front, shop, "resources/read", {"uri": f"webhook-events://{event}"})
        assert len(one.content) <= MAX_RESULT
        assert '"$schema"' in one.json()["result"]["contents"][0]["text"]


async def test_resources_are_listed_page_by_page(front: LiveEngine, shop: Shop) -> None:
    async with front.database.tenant(shop.tenant, patience_s=60) as connection:
        for number in range(51):
            await ContentRepository(connection, shop.tenant).add_knowledge(
                entry_id=new_ulid(), title=f"t{number}", body="b", language="fr", now=utc_now()
            )

    first = (await message(front, shop, "resources/list", {})).json()["result"]
    second = (await message(front, shop, "resources/list", {"cursor": first["nextCursor"]})).json()[
        "result"
    ]
    wrong = await message(front, shop, "resources/list", {"cursor": "nonsense"})

    assert (len(first["resources"]), len(second["resources"])) == (51, 1)
    assert "nextCursor" not in second
    assert wrong.json()["error"]["code"] == -32602


async def test_a_search_looks_at_a_thousand_and_goes_on_behind_them(
    front: LiveEngine, shop: Shop
) -> None:
    ref = await write(front.database, shop, "le parcours du colis")
    async with front.database.tenant(shop.tenant) as connection:
        now = utc_now()
        await connection.execute(
            sa.insert(ai_conversations),
            [
                {
                    "client_id": shop.client_id, "id": new_ulid(), "key": f"k{number}",
                    "channel": "api", "summary": "", "created_at": now, "last_message_at": now,
                }
                for number in range(LOOKED_THROUGH)
            ],
        )  # fmt: skip
    (inbound,) = await rows(front.database, engine_messages, event_id=ref.event_id)

    first = await told(front, shop, "search_conversations", words="colis parcours")
    second = await told(
        front, shop, "search_conversations", words="colis", cursor=first["next_cursor"]
    )

    assert first["conversations"] == []
    assert "to search earlier conversations" in first["note"]
    (found,) = second["conversations"]
    assert found["conversation_id"] == inbound["conversation_id"]
    assert second["next_cursor"] is None


@pytest.mark.parametrize(
    ("words", "there"),
    [("colis", True), ("COLIS parcours", True), ("parcels", True), ("colis refund", False),
     ("'; DROP TABLE clients; --", False), ("& | !", False)],
)  # fmt: skip
async def test_words_are_found_in_any_form(
    front: LiveEngine, shop: Shop, words: str, there: bool
) -> None:
    await write(front.database, shop, "Le parcours des colis, and two parcel labels")

    found = await told(front, shop, "search_conversations", words=words)

    assert bool(found["conversations"]) is there


async def test_a_customers_conversations_are_found_by_the_address(
    front: LiveEngine, shop: Shop
) -> None:
    await write(front.database, shop, "one", customer="Ann@B.example", key="email:ann@b.example")
    await write(front.database, shop, "two", customer="c@b.example", key="email:c@b.example")

    found = await told(front, shop, "search_conversations", customer="ann@b.EXAMPLE")

    assert [one["latest_message"]["text"] for one in found["conversations"]] == ["one"]


async def test_metrics_of_the_last_day_that_there_is(front: LiveEngine, shop: Shop) -> None:
    page = await told(front, shop, "get_metrics", first_day="9999-12-31", last_day="9999-12-31")

    assert page == {"days": [], "next_first_day": None}


async def test_metrics_go_on_day_by_day(front: LiveEngine, shop: Shop) -> None:
    page = await told(
        front, shop, "get_metrics", first_day="2026-01-01", last_day="2026-03-01", limit=31
    )
    last = await told(
        front, shop, "get_metrics", first_day="2026-02-01", last_day="2026-03-01", limit=31
    )

    assert page["next_first_day"] == "2026-02-01"
    assert last["next_first_day"] is None
    text = await refused(front, shop, "get_metrics", first_day="2026-03-02", last_day="2026-03-01")
    assert "first_day must not be after last_day" in text
