"""Old records: an event and everything that depends on it."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid
from domain.core.ids import first_ulid
from domain.core.period import period_of
from store.analytics.tables import churn_predictions, metrics_daily
from store.billing.tables import usage_ledger
from store.exports.tables import automation_events
from store.intake.tables import attachment_chunks, attachments, engine_events
from store.reviews.tables import escalation_tickets
from store.runs.tables import (
    action_ledger,
    ai_conversations,
    conversation_notes,
    conversation_replies,
    engine_messages,
    engine_runs,
    sentiment_logs,
)
from tests.support.tenants.shop import Shop


def ulid_of(at: datetime) -> str:
    """Return a new id with that day's timestamp."""
    return first_ulid(at)[:10] + new_ulid()[10:]


@dataclass(frozen=True)
class OldRecords:
    event_id: str
    run_id: str
    conversation_id: str


async def leave_records(
    connection: AsyncConnection,
    shop: Shop,
    at: datetime,
    *,
    status: str = "completed",
    taken_up: bool = True,
    conversation_id: str | None = None,
    last_message_at: datetime | None = None,
) -> OldRecords:
    """Create an event with a row in every dependent table. `taken_up` means that its review has
    ended."""
    made = OldRecords(ulid_of(at), ulid_of(at), conversation_id or ulid_of(at))
    whose = {"client_id": shop.client_id}
    if conversation_id is None:
        await connection.execute(
            sa.insert(ai_conversations).values(
                **whose,
                id=made.conversation_id,
                key=f"event:{made.event_id}",
                channel="api",
                summary="",
                created_at=at,
                last_message_at=last_message_at or at,
            )
        )
    of_event = {**whose, "event_id": made.event_id}
    of_run = {**whose, "id": ulid_of(at), "run_id": made.run_id, "round": 0}
    in_it = {"conversation_id": made.conversation_id, "created_at": at}
    for table, values in (
        (engine_events, {"id": made.event_id, "event_type": "x", "outcome": "run"}),
        (engine_messages, {"direction": "inbound", "author": "customer", "body": "b", **in_it}),
        (engine_messages, {"direction": "outbound", "author": "agent", "body": "b", **in_it}),
        (sentiment_logs, {"score": 0, "is_critical": False, **in_it}),
        (usage_ledger, {"period": period_of(at), "paid_by": "quota", "created_at": at}),
        (engine_runs, {"id": made.run_id, "playbook_id": shop.playbook_id, "status": status}),
    ):
        given = {**(whose if table is engine_events else of_event), **values}
        if table in {engine_events, engine_runs}:
            given["received_at"] = at
        if table is engine_runs:
            given["playbook_version"] = 1
        await connection.execute(
            sa.insert(table).values({"id": ulid_of(at), **given} if "id" in table.c else given)
        )
    await connection.execute(
        sa.insert(escalation_tickets).values(
            **of_run,
            status="rejected" if taken_up else "pending",
            reason="low_confidence",
            draft="d",
            expires_at=at,
            created_at=at,
            decided_at=at if taken_up else None,
            taken_up_at=at if taken_up else None,
        )
    )
    await connection.execute(
        sa.insert(action_ledger).values(
            **of_run, step=0, action="reply", state="done", detail="", planned_at=at
        )
    )
    await _leave_writing(connection, whose, made, at)
    await _leave_file(connection, whose, made.event_id, at)
    return made


async def _leave_writing(
    connection: AsyncConnection, whose: dict[str, str], made: OldRecords, at: datetime
) -> None:
    """Create a sent reply from a member, with its message, and a note."""
    reply_id = ulid_of(at)
    in_it = {"conversation_id": made.conversation_id, "body": "b", "created_at": at}
    of_event = {"event_id": made.event_id, "author": "anna"}
    reply = {"run_id": made.run_id, "step": 1_000, "state": "sent", "send_at": at}
    for table, values in (
        (conversation_replies, {"id": reply_id, **of_event, **reply}),
        (engine_messages, {"reply_id": reply_id, "direction": "outbound", "author": "human"}),
        (conversation_notes, of_event),
    ):
        given = {"id": ulid_of(at), **whose, **in_it, **values}
        await connection.execute(sa.insert(table).values(given))


async def _leave_file(
    connection: AsyncConnection, whose: dict[str, str], event_id: str, at: datetime
) -> None:
    file_id = ulid_of(at)
    await connection.execute(
        sa.insert(attachments).values(
            **whose,
            id=file_id,
            event_id=event_id,
            position=0,
            name="n",
            claimed_type="t",
            size=1,
            digest=b"d",
            state="stored",
            created_at=at,
        )
    )
    chunk = {"attachment_id": file_id, "seq": 0, "data": b"x"}
    await connection.execute(sa.insert(attachment_chunks).values(**whose, **chunk))


async def leave_figures(connection: AsyncConnection, shop: Shop, at: datetime) -> None:
    """Create a day's metrics, a week's prediction and a first-version event of that day."""
    counts = {
        column.name: 0 for column in metrics_daily.columns if isinstance(column.type, sa.Integer)
    }
    churn = {"customer_email": "a@b.example", "week": at.date(), "score": 0.5, "level": "low"}
    for table, values in (
        (automation_events, {"id": ulid_of(at), "event_type": "x", "created_at": at}),
        (metrics_daily, {"day": at.date(), "computed_at": at, **counts}),
        (churn_predictions, {"id": ulid_of(at), "created_at": at, **churn}),
    ):
        await connection.execute(sa.insert(table).values({"client_id": shop.client_id, **values}))
