"""Conversations with human agents: messages that join a review, as normalization leaves them."""

from datetime import datetime

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.core.contracts import RunRef
from services.intake.admission import Admitted
from store.core.database import Database
from store.reviews.escalations import EscalationRepository
from store.reviews.tables import escalation_tickets
from store.runs.tables import ai_conversations, engine_messages, engine_runs
from tests.support.core.rows import only_row
from tests.support.intake.admission import try_to_admit
from tests.support.tenants.shop import Shop


async def converse(
    database: Database, shop: Shop, *review_ids: str, now: datetime | None = None
) -> str:
    """Create a conversation that starts with the messages of these reviews, and return its id."""
    conversation_id, at = new_ulid(), now or utc_now()
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.insert(ai_conversations).values(
                client_id=shop.client_id,
                id=conversation_id,
                key=conversation_id,
                channel="api",
                summary="",
                created_at=at,
                last_message_at=at,
            )
        )
    await put_into(database, shop, conversation_id, *review_ids)
    return conversation_id


async def put_into(database: Database, shop: Shop, conversation_id: str, *review_ids: str) -> None:
    """Put the reviewed messages into the conversation."""
    for review_id in review_ids:
        review = await only_row(database, escalation_tickets, id=review_id)
        run = await only_row(database, engine_runs, id=review["run_id"])
        await _file(database, shop, run["event_id"], conversation_id)


async def write(
    database: Database,
    shop: Shop,
    conversation_id: str,
    text: str = "Et alors ?",
    *,
    now: datetime | None = None,
    **run: object,
) -> RunRef:
    """Create another message, admitted and assigned. `run`: columns of its run."""
    admitted = await try_to_admit(database, shop, message=text, now=now)
    assert isinstance(admitted, Admitted)
    await _file(database, shop, admitted.ref.event_id, conversation_id, body=text)
    if run:
        await set_run(database, shop, admitted.ref.run_id, **run)
    return admitted.ref


async def join(database: Database, shop: Shop, conversation_id: str, event_id: str) -> str | None:
    """Return the review that the message joined, in a separate transaction."""
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.select(ai_conversations.c.id)
            .where(ai_conversations.c.id == conversation_id)
            .with_for_update(key_share=True)
        )
        return await EscalationRepository(connection, shop.tenant).join(
            conversation_id, event_id=event_id
        )


async def write_and_join(
    database: Database, shop: Shop, conversation_id: str, text: str = "Et alors ?", **more: object
) -> str:
    """Create a message for human agents, and return its event."""
    now = more.pop("now", None)
    assert now is None or isinstance(now, datetime)
    ref = await write(database, shop, conversation_id, text, now=now, **more)
    assert await join(database, shop, conversation_id, ref.event_id) is not None
    return ref.event_id


async def set_run(database: Database, shop: Shop, run_id: str, **columns: object) -> None:
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_runs).where(engine_runs.c.id == run_id).values(columns)
        )


async def _file(
    database: Database, shop: Shop, event_id: str, conversation_id: str, **columns: object
) -> None:
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_messages)
            .where(engine_messages.c.event_id == event_id)
            .values(conversation_id=conversation_id, **columns)
        )
        talk = ai_conversations.c
        await connection.execute(
            sa.update(ai_conversations)
            .where(talk.id == conversation_id)
            .values(waiting_since=sa.func.coalesce(talk.waiting_since, talk.last_message_at))
        )
        runs = sa.select(engine_runs.c.id).where(engine_runs.c.event_id == event_id)
        await connection.execute(
            sa.update(escalation_tickets)
            .where(escalation_tickets.c.run_id.in_(runs))
            .values(conversation_id=conversation_id)
        )
