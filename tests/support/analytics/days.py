"""Events of days long past, as admission and the engine would have left them: their ids are drawn
at their times."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection
from ulid import ULID

from store.core.database import Database
from store.intake.tables import engine_events
from store.reviews.tables import escalation_tickets
from store.runs.tables import ai_conversations, engine_messages, engine_runs, sentiment_logs
from tests.support.tenants.shop import Shop


def ulid_at(at: datetime) -> str:
    return str(ULID.from_datetime(at))


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
    **run: object,
) -> str:
    """An event with its message, and what came of it. `status`: of its run, None for no playbook.
    `reviews`: the status of each round. `run`: what else its run says. Returns the event's id."""
    event_id = ulid_at(at)
    mine = {"client_id": shop.client_id}
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.insert(engine_events).values(
                **mine, id=event_id, event_type="x", received_at=at,
                outcome="run" if status else "no_playbook",
            )
        )  # fmt: skip
        await _message(connection, shop, event_id, at, customer)
        if replied_after is not None:
            await _message(connection, shop, event_id, at + replied_after, None, author="agent")
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
                        reason="low_confidence", draft="d", created_at=at, expires_at=at,
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
) -> None:
    direction = "inbound" if author == "customer" else "outbound"
    await connection.execute(
        sa.insert(engine_messages).values(
            client_id=shop.client_id, id=ulid_at(at), event_id=event_id, direction=direction,
            customer_key=customer, author=author, body="b", created_at=at,
        )
    )  # fmt: skip


async def _mood(
    connection: AsyncConnection, shop: Shop, event_id: str, at: datetime, score: float
) -> None:
    conversation_id = ulid_at(at)
    await connection.execute(
        sa.insert(ai_conversations).values(
            client_id=shop.client_id, id=conversation_id, key=f"event:{event_id}", channel="api",
            summary="", created_at=at, last_message_at=at,
        )
    )  # fmt: skip
    await connection.execute(
        sa.insert(sentiment_logs).values(
            client_id=shop.client_id, id=ulid_at(at + timedelta(hours=5)), event_id=event_id,
            conversation_id=conversation_id, score=score, is_critical=False, created_at=at,
        )
    )  # fmt: skip
