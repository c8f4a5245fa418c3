"""The cost of lists and run steps in conversations with very many messages: the rows read are
counted, not the time."""

from collections.abc import Mapping
from typing import Any, Final

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid, utc_now
from store.core.database import Database
from store.reviews.tables import escalation_tickets
from store.runs import cases, conversation_lists
from store.runs.conversation_lists import ConversationLists, TalkFilter
from store.runs.tables import engine_runs
from tests.support.runs.many_messages import Many, insert_many
from tests.support.tenants.shop import Shop

LONG: Final = Many(10, 300, with_runs=True)
_TABLES: Final = ("engine_messages", "engine_runs", "escalation_tickets")


def _rows_read(node: dict[str, Any]) -> float:
    own = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
    counted = own * node["Actual Loops"] if node.get("Relation Name") in _TABLES else 0
    return counted + sum(map(_rows_read, node.get("Plans", ())))


async def _explained(connection: AsyncConnection, query: str, given: Mapping[str, object]) -> float:
    plan = await connection.scalar(
        sa.text(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {query}"), given
    )
    return _rows_read(plan[0]["Plan"])


@pytest.mark.parametrize("wanted", [TalkFilter(), TalkFilter(unanswered=True)])
async def test_a_list_does_not_read_all_messages(
    database: Database, shop: Shop, wanted: TalkFilter
) -> None:
    given = {
        "client_id": shop.client_id, "at": None, "id": "", "looked_through": 31, "limit": 31,
        "now": utc_now(),
    }  # fmt: skip
    page = conversation_lists._PAGE.format(inner=wanted.inner, outer=wanted.outer)
    async with database.tenant(shop.tenant, patience_s=60) as connection:
        await insert_many(connection, shop, LONG, utc_now())
        read = await _explained(connection, page, given)

    assert read < LONG.conversations * 10


async def test_a_step_of_a_run_does_not_read_the_conversation(
    database: Database, shop: Shop
) -> None:
    async with database.tenant(shop.tenant, patience_s=60) as connection:
        [talk] = await insert_many(connection, shop, Many(1, 1_000, with_runs=True), utc_now())
        run_id = await connection.scalar(
            sa.select(sa.func.max(engine_runs.c.id)).where(
                engine_runs.c.client_id == shop.client_id
            )
        )
        held = sa.text(f"""
            EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON)
            SELECT {cases._IS_HELD} FROM engine_runs JOIN ai_conversations
              ON ai_conversations.client_id = engine_runs.client_id
             AND ai_conversations.id = :conversation_id
            WHERE engine_runs.client_id = :client_id AND engine_runs.id = :run_id
        """)  # noqa: S608 - our own SQL
        of = {"client_id": shop.client_id, "run_id": run_id, "conversation_id": talk}
        plan = await connection.scalar(held, of)

    assert _rows_read(plan[0]["Plan"]) < 20


@pytest.mark.parametrize("is_old", [False, True])
async def test_an_open_review_and_a_run_in_work_are_found(
    database: Database, shop: Shop, is_old: bool
) -> None:
    """Reviews that are older than the column have no `conversation_id`."""
    now = utc_now()
    async with database.tenant(shop.tenant, patience_s=60) as connection:
        reviewed, in_work, *_ = await insert_many(connection, shop, Many(3, 2, with_runs=True), now)
        await connection.execute(
            sa.text("UPDATE engine_messages SET direction = 'outbound' WHERE id LIKE '%000002'")
        )
        await connection.execute(
            sa.insert(escalation_tickets).values(
                client_id=shop.client_id, id=new_ulid(), run_id=_first(reviewed), round=0,
                status="claimed", reason="low_confidence", draft="d", created_at=now,
                expires_at=now, conversation_id=None if is_old else reviewed,
            )
        )  # fmt: skip
        await connection.execute(
            sa.update(engine_runs)
            .where(engine_runs.c.id == _first(in_work))
            .values(status="received")
        )
        found, _ = await ConversationLists(connection, shop.tenant).page(
            TalkFilter(unanswered=True), after=None, limit=10, now=now
        )

    assert {one.id: one.waits_for_team for one in found} == {reviewed: True, in_work: False}


def _first(conversation_id: str) -> str:
    """Return the id of the first message's event and run."""
    return f"{conversation_id[:14]}{conversation_id[20:]}000001"
