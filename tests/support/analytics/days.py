"""Events on past days, in the state that admission and the engine would leave. Their ids match
their times."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection
from ulid import ULID

from adapters.system import new_ulid
from store.core.database import Database
from store.intake.tables import engine_events
from store.reviews.tables import escalation_tickets
from store.runs.tables import ai_conversations, engine_messages, engine_runs, sentiment_logs
from tests.support.tenants.shop import Shop


def ulid_at(at: datetime) -> str:
    return str(ULID.from_datetime(at))


@dataclass(frozen=True)
class Said:
    """A message, its answer and its conversation."""

    text: str = "b"
    answer: str = "b"
    conversation_id: str | None = None
    channel: str | None = None


SOMETHING: Final = Said()


async def conversation(database: Database, shop: Shop, at: datetime) -> str:
    conversation_id = new_ulid()
    async with database.tenant(shop.tenant) as connection:
        await _converse(connection, shop, conversation_id, at)
    return conversation_id


async def past_event(
    database: Database,
    shop: Shop,
    at: datetime,
    *,
    status: str | None = "completed",
    reviews: Sequence[str] = (),
    customer: str | None = "a@b.example",
    duration_ms: int | None = 100,
    mood: float | None = None,
    classification: str | None = "order_status",
    replied_after: timedelta | None = None,
    reason: str = "low_confidence",
    said: Said = SOMETHING,
    **run: object,
) -> str:
    """Create an event with its message and outcome, and return its id. `status` is the run's, or
    None without a playbook. `reviews` has each round's status. `run` sets further values."""
    event_id = ulid_at(at)
    mine = {"client_id": shop.client_id}
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.insert(engine_events).values(
                **mine, id=event_id, event_type="x", received_at=at,
                outcome="run" if status else "no_playbook",
            )
        )  # fmt: skip
        await _message(connection, shop, event_id, at, customer, said=said)
        if replied_after is not None:
            answer = replace(said, text=said.answer)
            await _message(
                connection, shop, event_id, at + replied_after, None, author="agent", said=answer
            )
        if mood is not None:
            await _mood(connection, shop, event_id, at, mood)
        if status:
            run_id = ulid_at(at)
            await connection.execute(
                sa.insert(engine_runs).values(
                    **mine, id=run_id, event_id=event_id, playbook_id=shop.playbook_id,
                    playbook_version=1, status=status, classification=classification,
                    duration_ms=duration_ms, received_at=at, **run,
                )
            )  # fmt: skip
            for round_, state in enumerate(reviews):
                await connection.execute(
                    sa.insert(escalation_tickets).values(
                        **mine, id=ulid_at(at), run_id=run_id, round=round_, status=state,
                        reason=reason, draft="d", created_at=at, expires_at=at,
                    )
                )  # fmt: skip
    return event_id


async def _message(
    connection: AsyncConnection,
    shop: Shop,
    event_id: str,
    at: datetime,
    customer: str | None,
    *,
    author: str = "customer",
    said: Said,
) -> None:
    direction = "inbound" if author == "customer" else "outbound"
    await connection.execute(
        sa.insert(engine_messages).values(
            client_id=shop.client_id, id=ulid_at(at), event_id=event_id, direction=direction,
            customer_key=customer, author=author, body=said.text, created_at=at,
            conversation_id=said.conversation_id, channel=said.channel,
        )
    )  # fmt: skip


async def _mood(
    connection: AsyncConnection, shop: Shop, event_id: str, at: datetime, score: float
) -> None:
    conversation_id = ulid_at(at)
    await _converse(connection, shop, conversation_id, at)
    await connection.execute(
        sa.insert(sentiment_logs).values(
            client_id=shop.client_id, id=ulid_at(at + timedelta(hours=5)), event_id=event_id,
            conversation_id=conversation_id, score=score, is_critical=False, created_at=at,
        )
    )  # fmt: skip


async def _converse(
    connection: AsyncConnection, shop: Shop, conversation_id: str, at: datetime
) -> None:
    await connection.execute(
        sa.insert(ai_conversations).values(
            client_id=shop.client_id, id=conversation_id, key=f"event:{conversation_id}",
            channel="api", summary="", created_at=at, last_message_at=at,
        )
    )  # fmt: skip
