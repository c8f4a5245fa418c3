"""Storage of admitted events: one statement writes all rows of an event."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from domain.intake.event import InboundEvent
from domain.intake.limit_key import LimitKey
from domain.intake.unproved_share import is_unproved
from domain.integrations.providers import Provider
from domain.playbooks.playbook import Playbook
from domain.runs.run import EventOutcome, RunStatus
from domain.widget.visit import WidgetVisit
from store.core.repository import TenantRepository
from store.intake.idempotency import IdempotencyKey


@dataclass(frozen=True, slots=True)
class Arrival:
    """An event to admit, with the ids of all rows to store for it.

    - `request_id`: the HTTP request, for the run's logs.
    - `visit`: the widget visit in which the message was written.
    - `received_by`: the platform that delivered the event by webhook or poll.
    - `key_id`: the API key that sent it, set by admission.
    """

    event: InboundEvent
    event_id: str
    run_id: str
    message_id: str
    received_at: datetime
    idempotency: IdempotencyKey | None = None
    request_id: str = ""
    visit: WidgetVisit | None = None
    received_by: Provider | None = None
    key_id: str | None = None

    @property
    def is_brought(self) -> bool:
        """Return True if a platform's webhook or poll delivered the event."""
        return self.received_by is not None


class ArrivalRepository(TenantRepository):
    """The admitted events of one client. In the methods, `customer` is the key of the customer
    limit that applies to the event's message, or None."""

    async def store(self, arrival: Arrival, customer: LimitKey | None, at: datetime) -> None:
        """Store an event that no playbook matched, with its message and the outcome
        `NO_PLAYBOOK`."""
        values = self._values(arrival, customer, at)
        await self._connection.execute(
            _STORE_MESSAGE, {**values, "outcome": EventOutcome.NO_PLAYBOOK}
        )

    async def store_with_run(
        self, arrival: Arrival, customer: LimitKey | None, playbook: Playbook, at: datetime
    ) -> None:
        """Store an event with its message and its run."""
        await self._connection.execute(
            _STORE_RUN,
            {
                **self._values(arrival, customer, at),
                "outcome": EventOutcome.RUN,
                "run_id": arrival.run_id,
                "status": RunStatus.RECEIVED,
                "playbook_id": playbook.id,
                "version": playbook.version,
            },
        )

    def _values(
        self, arrival: Arrival, customer: LimitKey | None, at: datetime
    ) -> dict[str, object]:
        event, asked = arrival.event, arrival.event.merchant_request
        return {
            "client_id": self._tenant,
            "event_id": arrival.event_id,
            "source": event.source,
            "event_type": event.event_type,
            "customer_email": event.customer_email,
            "message": event.message,
            "payload": event.payload,
            "author": event.author,
            "key_id": arrival.key_id,
            "merchant_request": asked.model_dump(mode="json") if asked else None,
            "received_at": arrival.received_at,
            "received_by": arrival.received_by,
            "message_id": arrival.message_id,
            "customer_key": customer and customer.customer,
            "is_claim": is_unproved(event, customer),
            "body": event.message or "",
            "now": at,
            "session_id": arrival.visit.session_id if arrival.visit else None,
        }


# One statement writes two or three rows. PostgreSQL checks their foreign keys only when the
# statement ends, so the rows may refer to each other.
_EVENT: Final = """
    WITH stored_event AS (
        INSERT INTO engine_events (client_id, id, source, event_type, customer_email, message,
                                   payload, author, key_id, merchant_request, outcome,
                                   received_at, received_by)
        VALUES (:client_id, :event_id, :source, :event_type, :customer_email, :message,
                :payload, :author, :key_id, :merchant_request, :outcome, :received_at,
                :received_by)
    )"""
_RUN: Final = """, stored_run AS (
        INSERT INTO engine_runs (client_id, id, event_id, playbook_id, playbook_version, status,
                                 received_at)
        VALUES (:client_id, :run_id, :event_id, :playbook_id, :version, :status, :received_at)
    )"""
_MESSAGE: Final = """
    INSERT INTO engine_messages (client_id, id, event_id, direction, customer_key, is_claim, author,
                                 body, created_at, widget_session_id)
    VALUES (:client_id, :message_id, :event_id, 'inbound', :customer_key, :is_claim, 'customer',
            :body, :now, :session_id)
"""
_JSON: Final = (
    sa.bindparam("payload", type_=JSONB),
    sa.bindparam("merchant_request", type_=JSONB(none_as_null=True)),
)
_STORE_MESSAGE: Final = sa.text(_EVENT + _MESSAGE).bindparams(*_JSON)
_STORE_RUN: Final = sa.text(_EVENT + _RUN + _MESSAGE).bindparams(*_JSON)
