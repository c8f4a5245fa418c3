"""Arrivals: the rows of an event that is admitted, each kind in one statement."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.intake.customer_email import customer_key
from domain.intake.event import InboundEvent
from domain.playbooks.playbook import Playbook
from domain.runs.run import EventOutcome, RunStatus
from store.core.repository import TenantRepository
from store.intake.idempotency import IdempotencyKey
from store.intake.tables import engine_events
from store.runs.tables import engine_messages, engine_runs


@dataclass(frozen=True, slots=True)
class Arrival:
    """One event at the door. The ids are those of the rows to be, drawn by the caller.

    `request_id`: for the logs of the run.
    """

    event: InboundEvent
    event_id: str
    run_id: str
    message_id: str
    received_at: datetime
    idempotency: IdempotencyKey | None = None
    request_id: str = ""


class ArrivalRepository(TenantRepository):
    async def store(self, arrival: Arrival, at: datetime) -> None:
        """The event and its message, with the note that no playbook wants it."""
        values = self._values(arrival, at)
        await self._connection.execute(
            _STORE_MESSAGE, {**values, "event_outcome": EventOutcome.NO_PLAYBOOK}
        )

    async def store_with_run(self, arrival: Arrival, playbook: Playbook, at: datetime) -> None:
        """The event, its message and its run."""
        await self._connection.execute(
            _STORE_RUN,
            {
                **self._values(arrival, at),
                "event_outcome": EventOutcome.RUN,
                "run": arrival.run_id,
                "run_status": RunStatus.RECEIVED,
                "playbook": playbook.id,
                "version": playbook.version,
            },
        )

    def _values(self, arrival: Arrival, at: datetime) -> dict[str, object]:
        event = arrival.event
        return {
            "tenant": self._tenant,
            "event": arrival.event_id,
            "given_source": event.source,
            "given_type": event.event_type,
            "given_email": event.customer_email,
            "given_message": event.message,
            "given_payload": event.payload,
            "received": arrival.received_at,
            "message_key": arrival.message_id,
            "customer": customer_key(event.customer_email),
            "said": event.message or "",
            "now": at,
        }


_STORE_EVENT: Final = sa.insert(engine_events).values(
    client_id=sa.bindparam("tenant"),
    id=sa.bindparam("event"),
    source=sa.bindparam("given_source"),
    event_type=sa.bindparam("given_type"),
    customer_email=sa.bindparam("given_email"),
    message=sa.bindparam("given_message"),
    payload=sa.bindparam("given_payload"),
    outcome=sa.bindparam("event_outcome"),
    received_at=sa.bindparam("received"),
)

# One statement, two or three rows: foreign keys are checked when it ends. No parameter is named
# like a column: SQLAlchemy would set that column.
_STORE_MESSAGE: Final = (
    sa.insert(engine_messages)
    .values(
        client_id=sa.bindparam("tenant"),
        id=sa.bindparam("message_key"),
        event_id=sa.bindparam("event"),
        direction="inbound",
        customer_key=sa.bindparam("customer"),
        author="customer",
        body=sa.bindparam("said"),
        created_at=sa.bindparam("now"),
    )
    .add_cte(_STORE_EVENT.cte("stored_event"))
)

_STORE_RUN: Final = _STORE_MESSAGE.add_cte(
    sa.insert(engine_runs)
    .values(
        client_id=sa.bindparam("tenant"),
        id=sa.bindparam("run"),
        event_id=sa.bindparam("event"),
        playbook_id=sa.bindparam("playbook"),
        playbook_version=sa.bindparam("version"),
        status=sa.bindparam("run_status"),
        received_at=sa.bindparam("received"),
    )
    .cte("stored_run")
)
