"""The order that the agent found for a customer's message."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.order_changes import order_after
from domain.core.ids import TenantId
from domain.intake.event import UnifiedEvent
from domain.integrations.order import LookupState, Order
from store.runs.order_changes import order_changes

# A message that joined a review may have no lookup of its own.
_FOUND: Final = sa.text(f"""
    WITH own AS (
        SELECT id, joined_review FROM engine_runs
        WHERE client_id = :client_id AND event_id = :event_id
    )
    SELECT run.id, run.lookup -> 'order' AS order, event.unified
    FROM engine_runs AS run
    JOIN engine_events AS event ON event.client_id = :client_id AND event.id = :event_id
    WHERE run.client_id = :client_id AND run.lookup ->> 'state' = '{LookupState.FOUND}'
      AND run.id IN (
          SELECT id FROM own
          UNION ALL
          SELECT review.run_id FROM own
          JOIN escalation_tickets AS review
            ON review.client_id = :client_id AND review.id = own.joined_review
      )
    ORDER BY run.id DESC LIMIT 1
""")  # noqa: S608 - our own code


async def found_order(connection: AsyncConnection, tenant: TenantId, event_id: str) -> Order | None:
    """Return the customer's order that the agent looked up for a message, or for the review that
    the message joined. Actions executed since the lookup are taken into account.

    Return None if the message's sender may not read the order: several customers may write in one
    ticket."""
    this = {"client_id": tenant, "event_id": event_id}
    row = (await connection.execute(_FOUND, this)).one_or_none()
    if row is None or row.unified is None:
        return None
    sender, order = UnifiedEvent.model_validate(row.unified), Order.model_validate(row.order)
    if not sender.may_read or not order.belongs_to(sender.customer_email):
        return None
    changes = await order_changes(connection, tenant, row.id)
    return order_after(order, changes)
