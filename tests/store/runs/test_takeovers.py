"""Conversations that a member has taken over: the agent is held until they are handed back."""

from datetime import timedelta

import pytest

from adapters.system import new_ulid, utc_now
from domain.runs.errors import ConversationNotFound, ConversationTaken
from store.core.database import Database
from store.reviews.tables import escalation_tickets
from store.runs.cases import CaseRepository
from store.runs.tables import ai_conversations
from store.runs.takeovers import TakeoverRepository
from tests.support.core.rows import only_row
from tests.support.reviews.conversations import converse, join
from tests.support.reviews.conversations import write as write_in
from tests.support.reviews.reviews import open_review
from tests.support.runs.conversation import CUSTOMER, admitted, filed, write
from tests.support.tenants.shop import Shop

NOW = utc_now()


async def take(
    database: Database, shop: Shop, conversation_id: str, by: str = "anna", *, force: bool = False
) -> None:
    async with database.tenant(shop.tenant) as connection:
        await TakeoverRepository(connection, shop.tenant).take(
            conversation_id, by, NOW, force=force
        )


async def hand_back(database: Database, shop: Shop, conversation_id: str) -> None:
    async with database.tenant(shop.tenant) as connection:
        await TakeoverRepository(connection, shop.tenant).hand_back(conversation_id)


async def test_one_person_has_it_until_it_is_handed_back(database: Database, shop: Shop) -> None:
    ref = await write(database, shop, now=NOW)
    row = await only_row(database, ai_conversations, of=shop)
    await take(database, shop, row["id"])
    await take(database, shop, row["id"])
    with pytest.raises(ConversationTaken):
        await take(database, shop, row["id"], "ben")
    await take(database, shop, row["id"], "ben", force=True)

    taken = await only_row(database, ai_conversations, of=shop)
    assert (taken["taken_by"], taken["taken_at"], taken["handed_over_at"]) == ("ben", NOW, NOW)
    async with database.tenant(shop.tenant) as connection:
        case = await CaseRepository(connection, shop.tenant).read(ref.run_id)
    assert (case.is_taken, case.is_held) == (True, True)

    await hand_back(database, shop, row["id"])
    await hand_back(database, shop, row["id"])
    assert await only_row(database, ai_conversations, of=shop) == row
    with pytest.raises(ConversationNotFound):
        await take(database, shop, new_ulid())


async def test_it_does_not_end_while_somebody_has_it(database: Database, shop: Shop) -> None:
    await write(database, shop, now=NOW)
    first = (await only_row(database, ai_conversations, of=shop))["id"]
    await take(database, shop, first)
    later = NOW + timedelta(days=9)
    ref = await admitted(database, shop, customer=CUSTOMER, now=later)
    assert (await filed(database, shop, ref, now=later)).id == first


async def test_what_comes_joins_the_open_review_and_no_closed_one(
    database: Database, shop: Shop
) -> None:
    """Without an open review, the message is processed, and opens one."""
    review_id = await open_review(database, shop)
    conversation_id = await converse(database, shop, review_id)
    await take(database, shop, conversation_id)
    ref = await write_in(database, shop, conversation_id)
    assert await join(database, shop, conversation_id, ref.event_id) == review_id

    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            escalation_tickets.update().values(
                status="rejected", decision="reject", decided_at=NOW, decided_by="anna"
            )
        )
    ref = await write_in(database, shop, conversation_id)
    assert await join(database, shop, conversation_id, ref.event_id) is None
