"""A customer's records: conversations, orders, refunds, sentiment and risk.

Every query uses an index and reads a limited number of rows per customer.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import sqlalchemy as sa

from domain.agent.plan import ON_ORDERS, StepState
from domain.analytics.churn import ChurnLevel
from domain.core.money import Money
from domain.customers.customer import AgentRefund
from domain.customers.customer_orders import CustomerOrder, order_of_fact, order_of_lookup
from domain.integrations.known_order import KnownOrder
from domain.integrations.order import Order
from store.core.repository import TenantRepository
from store.intake.events import IS_AUTHENTICATED

# The query selects the conversations that contain a message from the customer's address, or that
# are in the customer's memory.
_CONVERSATIONS: Final = f"""
    SELECT theirs.id, coalesce(bool_or(theirs.is_verified), true) AS is_verified FROM (
        (SELECT message.conversation_id AS id, {IS_AUTHENTICATED} AS is_verified FROM (
            SELECT conversation_id, event_id FROM engine_messages
            WHERE client_id = :client_id AND normalized_key = customer.key
              AND direction = 'inbound'
            ORDER BY created_at DESC LIMIT :examined
        ) AS message
        CROSS JOIN LATERAL (
            SELECT unified FROM engine_events
            WHERE client_id = :client_id AND id = message.event_id OFFSET 0
        ) AS event)
        UNION
        (SELECT id, NULL FROM ai_conversations
         WHERE client_id = :client_id AND memory_key = 'email:' || customer.key
         ORDER BY last_message_at DESC LIMIT :examined)
    ) AS theirs WHERE theirs.id IS NOT NULL GROUP BY theirs.id"""  # noqa: S608 - our own SQL
_EACH: Final = "FROM unnest(CAST(:keys AS text[])) AS customer(key)"
# OFFSET 0 forces row-by-row joins on unique keys. Without it, the planner may choose to read all of
# a client's conversations or runs.
_CONTACTS: Final = sa.text(f"""
    SELECT customer.key, count(*) AS conversations,
           (array_agg(talk.sentiment ORDER BY talk.last_message_at DESC)
               FILTER (WHERE talk.sentiment IS NOT NULL))[1] AS sentiment
    {_EACH}
    CROSS JOIN LATERAL ({_CONVERSATIONS}) AS theirs
    CROSS JOIN LATERAL (
        SELECT sentiment, last_message_at FROM ai_conversations
        WHERE client_id = :client_id AND id = theirs.id OFFSET 0
    ) AS talk
    GROUP BY customer.key
""")  # noqa: S608 - our own SQL
_TALKS: Final = sa.text(f"""
    SELECT theirs.id, theirs.is_verified
    FROM (SELECT CAST(:key AS text) AS key) AS customer
    CROSS JOIN LATERAL ({_CONVERSATIONS}) AS theirs
    CROSS JOIN LATERAL (
        SELECT last_message_at FROM ai_conversations
        WHERE client_id = :client_id AND id = theirs.id OFFSET 0
    ) AS talk
    ORDER BY talk.last_message_at DESC, theirs.id DESC LIMIT :limit
""")  # noqa: S608 - likewise
_FACTS: Final = sa.text(f"""
    SELECT customer.key, fact.order_id, fact.facts, fact.provider
    {_EACH}
    CROSS JOIN LATERAL (
        SELECT known.order_id, known.facts, integration.provider FROM (
            SELECT order_id, facts, integration_id FROM order_facts
            WHERE client_id = :client_id AND customer_key = customer.key
            ORDER BY version DESC LIMIT :examined
        ) AS known
        CROSS JOIN LATERAL (
            SELECT provider FROM integrations
            WHERE client_id = :client_id AND id = known.integration_id OFFSET 0
        ) AS integration
    ) AS fact
""")  # noqa: S608 - likewise
_LOOKUPS: Final = sa.text(f"""
    SELECT customer.key, run.received_at, run.found
    {_EACH}
    CROSS JOIN LATERAL (
        SELECT event_id FROM engine_messages
        WHERE client_id = :client_id AND normalized_key = customer.key AND direction = 'inbound'
        ORDER BY created_at DESC LIMIT :examined
    ) AS said
    LEFT JOIN LATERAL (
        SELECT received_at, lookup -> 'order' AS found FROM engine_runs
        WHERE client_id = :client_id AND event_id = said.event_id OFFSET 0
    ) AS run ON true
""")  # noqa: S608 - likewise
_RISKS: Final = sa.text("""
    SELECT customer_email AS key, level FROM churn_predictions
    WHERE client_id = :client_id AND customer_email = ANY(:keys)
      AND week = (SELECT max(week) FROM churn_predictions WHERE client_id = :client_id)
""")
_ON_ORDERS: Final = ", ".join(f"'{kind}'" for kind in sorted(ON_ORDERS))
_REFUNDS: Final = sa.text(f"""
    SELECT run_id, order_key, amount, currency, coalesce(finished_at, planned_at) AS refunded_at
    FROM action_ledger
    WHERE client_id = :client_id AND customer_key = :key
      AND action IN ({_ON_ORDERS})
      AND state = '{StepState.DONE}' AND amount IS NOT NULL
    ORDER BY planned_at DESC, id DESC LIMIT :limit
""")  # noqa: S608 - likewise


@dataclass(frozen=True, slots=True)
class Contacts:
    """A customer's contacts. `conversations` is the number that was read. `sentiment` is the latest
    score, from -1 to 1."""

    conversations: int
    sentiment: float | None


@dataclass(slots=True)
class KnownOrders:
    """A customer's known orders, possibly with repetitions. `has_more` means that the row limit was
    reached."""

    orders: list[CustomerOrder] = field(default_factory=list)
    has_more: bool = False


class CustomerRecords(TenantRepository):
    """The records of the client's customers with these `keys`, results of `customer_key`. At most
    `examined` rows are read per customer."""

    async def contacts(self, keys: Sequence[str], examined: int) -> dict[str, Contacts]:
        """Return each customer's contacts, by address."""
        rows = await self._connection.execute(_CONTACTS, self._of(keys, examined))
        return {row.key: Contacts(row.conversations, row.sentiment) for row in rows}

    async def orders(self, keys: Sequence[str], examined: int) -> dict[str, KnownOrders]:
        """Return each customer's known orders, by address. The shop itself is not queried."""
        found: dict[str, KnownOrders] = defaultdict(KnownOrders)
        facts = (await self._connection.execute(_FACTS, self._of(keys, examined))).all()
        lookups = (await self._connection.execute(_LOOKUPS, self._of(keys, examined))).all()
        for rows in (facts, lookups):
            for key, read in Counter(row.key for row in rows).items():
                found[key].has_more = found[key].has_more or read >= examined
        for row in facts:
            fact = KnownOrder.model_validate(row.facts).fact(row.order_id)
            if (order := order_of_fact(fact, row.provider)) is not None:
                found[row.key].orders.append(order)
        for row in lookups:
            if not isinstance(row.found, dict):
                continue
            looked_up = Order.model_validate(row.found)
            if looked_up.belongs_to(row.key):
                found[row.key].orders.append(order_of_lookup(looked_up, row.received_at))
        return found

    async def risks(self, keys: Sequence[str]) -> dict[str, ChurnLevel]:
        """Return the customers' churn levels in the latest week with predictions, by address."""
        given = {"client_id": self._tenant, "keys": list(keys)}
        rows = await self._connection.execute(_RISKS, given)
        return {row.key: ChurnLevel(row.level) for row in rows}

    async def conversations(self, key: str, *, examined: int, limit: int) -> dict[str, bool]:
        """Return a customer's conversations by id, latest message first, and whether the author's
        address was verified.

        The value is True after one verified message, and for a conversation found only through the
        customer's memory.
        """
        given = {"client_id": self._tenant, "key": key, "examined": examined, "limit": limit}
        rows = await self._connection.execute(_TALKS, given)
        return {row.id: row.is_verified for row in rows}

    async def refunds(self, key: str, limit: int) -> list[AgentRefund]:
        """Return the amounts that the agent refunded to a customer, through refunds or cancelled
        orders, latest first. The result contains no order numbers."""
        given = {"client_id": self._tenant, "key": key, "limit": limit}
        rows = await self._connection.execute(_REFUNDS, given)
        return [
            AgentRefund(
                run_id=row.run_id,
                order_key=row.order_key,
                order_number=None,
                amount=Money(minor=row.amount, currency=row.currency),
                refunded_at=row.refunded_at,
            )
            for row in rows
        ]

    def _of(self, keys: Sequence[str], examined: int) -> dict[str, object]:
        return {"client_id": self._tenant, "keys": list(keys), "examined": examined}
