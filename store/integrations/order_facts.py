"""Facts about a client's orders, as reported by webhooks and polls."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.intake.customer_email import customer_key
from domain.integrations.integration import IntegrationStatus
from domain.integrations.known_order import KnownOrder, number_key, order_of
from domain.integrations.order import Order
from domain.integrations.order_fact import OrderFact
from domain.integrations.providers import Provider
from store.core.repository import TenantRepository
from store.integrations.tables import integrations, order_facts

# An order has one row for each connection that reports it, for example a shop and a payment
# provider.
_AT_MOST: Final = 20

_COLUMNS: Final = (
    order_facts.c.integration_id,
    order_facts.c.order_id,
    order_facts.c.facts,
    integrations.c.provider,
)
_MINE: Final = order_facts.c.client_id == sa.bindparam("tenant")
_LIVE: Final = (
    sa.select(*_COLUMNS)
    .join_from(
        order_facts,
        integrations,
        sa.and_(
            integrations.c.client_id == order_facts.c.client_id,
            integrations.c.id == order_facts.c.integration_id,
        ),
    )
    .where(_MINE, integrations.c.status != IntegrationStatus.DISCONNECTED)
    .limit(_AT_MOST)
)
_BY_NUMBER: Final = _LIVE.where(order_facts.c.number == sa.bindparam("number")).order_by(
    order_facts.c.version.desc(), order_facts.c.integration_id, order_facts.c.order_id
)
_BY_CUSTOMER: Final = _LIVE.where(order_facts.c.customer_key == sa.bindparam("customer")).order_by(
    sa.cast(order_facts.c.facts["told"]["placed_at"]["value"].astext, sa.DateTime(timezone=True))
    .desc()
    .nulls_last(),
    order_facts.c.order_id,
)
_IS_OF_SHOP: Final = order_facts.c.integration_id == sa.bindparam("integration")
_ABOUT: Final = _LIVE.where(
    sa.or_(
        _IS_OF_SHOP & (order_facts.c.order_id == sa.bindparam("order")),
        sa.not_(_IS_OF_SHOP) & (order_facts.c.number == sa.bindparam("number")),
    )
).order_by(
    _IS_OF_SHOP.desc(),
    order_facts.c.version.desc(),
    order_facts.c.integration_id,
    order_facts.c.order_id,
)


@dataclass(frozen=True, slots=True)
class _Found:
    integration_id: str
    provider: str
    fact: OrderFact


class OrderFactRepository(TenantRepository):
    async def apply(self, integration_id: str, fact: OrderFact, now: datetime) -> bool:
        """Merge a fact into the stored facts of its order, and return whether the fact was new. The
        result does not depend on the order in which facts arrive."""
        known_orders = KnownOrder.of(fact)
        if await self._insert(integration_id, fact.order_id, known_orders, now):
            return True
        this = (
            order_facts.c.client_id == self._tenant,
            order_facts.c.integration_id == integration_id,
            order_facts.c.order_id == fact.order_id,
        )
        stored = await self._connection.scalar(
            sa.select(order_facts.c.facts).where(*this).with_for_update()
        )
        known = KnownOrder.model_validate(stored)
        merged = known.merged(known_orders)
        if merged == known:
            return False
        values = _row(merged, fact.order_id, now)
        await self._connection.execute(sa.update(order_facts).where(*this).values(values))
        return _said(merged, fact.order_id) != _said(known, fact.order_id)

    async def knows(self, integration_id: str, fact: OrderFact) -> bool:
        """Return True if a fact is already known. Storing it again would change only its
        version."""
        stored = await self._connection.scalar(
            sa.select(order_facts.c.facts).where(
                order_facts.c.client_id == self._tenant,
                order_facts.c.integration_id == integration_id,
                order_facts.c.order_id == fact.order_id,
            )
        )
        if stored is None:
            return False
        known = KnownOrder.model_validate(stored)
        return _said(known.merged(KnownOrder.of(fact)), fact.order_id) == _said(
            known, fact.order_id
        )

    async def find(
        self, number: str | None, email: str | None, *, but_of: Collection[str] = ()
    ) -> Order | None:
        """Return the order with this number, preferably an order of the customer. Without a number,
        return the customer's latest order.

        Ended connections and those in `but_of` are ignored. The caller must check that the order
        belongs to the customer.
        """
        if number is not None:
            found = await self._found(_BY_NUMBER, number=number_key(number))
        elif customer_key(email) is not None:
            found = await self._found(_BY_CUSTOMER, customer=customer_key(email))
        else:
            return None
        known_orders = [
            order
            for one in found
            if one.integration_id not in but_of
            and (order := order_of(one.fact, one.integration_id, Provider(one.provider)))
        ]
        return next(
            (it for it in known_orders if it.belongs_to(email)), next(iter(known_orders), None)
        )

    async def about(self, order: Order) -> tuple[OrderFact, ...]:
        """Return all facts about an order returned by a shop. The shop's own facts match by id, and
        other connections' facts, such as a payment provider's, by number."""
        found = await self._found(
            _ABOUT,
            integration=order.integration_id,
            order=order.id,
            number=number_key(order.number),
        )
        return tuple(one.fact for one in found)

    async def of_customer(
        self, email: str | None, *, named_by: str | None, order_ids: Collection[str], limit: int
    ) -> tuple[OrderFact, ...]:
        """Return all facts about a customer's orders, including facts from ended connections. An
        order is the customer's if it has the customer's address, or if a platform attributes it to
        the customer."""
        row, key = order_facts.c, customer_key(email)
        # An empty address would match orders without an address.
        has_address = sa.false() if key is None else row.customer_key == key
        rows = await self._connection.execute(
            sa.select(order_facts.c.order_id, order_facts.c.facts)
            .where(
                row.client_id == self._tenant,
                sa.or_(
                    has_address,
                    (row.integration_id == named_by) & row.order_id.in_(order_ids),
                ),
            )
            .order_by(order_facts.c.integration_id, order_facts.c.order_id)
            .limit(limit)
        )
        return tuple(KnownOrder.model_validate(row.facts).fact(row.order_id) for row in rows)

    async def forget(self, integration_id: str) -> int:
        """Delete all order facts of a connection, and return the number of orders deleted."""
        return await self._delete(order_facts.c.integration_id == integration_id)

    async def forget_orders(self, integration_id: str, order_ids: Collection[str]) -> int:
        """Delete the facts that a connection reported about these orders, and return the number of
        orders deleted."""
        return await self._delete(
            order_facts.c.integration_id == integration_id, order_facts.c.order_id.in_(order_ids)
        )

    async def _insert(
        self, integration_id: str, order_id: str, known_orders: KnownOrder, now: datetime
    ) -> bool:
        added = await self._connection.execute(
            insert(order_facts)
            .values(
                client_id=self._tenant,
                integration_id=integration_id,
                order_id=order_id,
                **_row(known_orders, order_id, now),
            )
            .on_conflict_do_nothing()
            .returning(order_facts.c.order_id)
        )
        return added.one_or_none() is not None

    async def _found(self, query: sa.Select[Any], **values: str | None) -> list[_Found]:
        rows = await self._connection.execute(query, {"tenant": self._tenant, **values})
        return [
            _Found(
                row.integration_id,
                row.provider,
                KnownOrder.model_validate(row.facts).fact(row.order_id),
            )
            for row in rows
        ]

    async def _delete(self, *which: sa.ColumnElement[bool]) -> int:
        gone = await self._connection.execute(
            sa.delete(order_facts).where(order_facts.c.client_id == self._tenant, *which)
        )
        return gone.rowcount


def _row(known: KnownOrder, order_id: str, now: datetime) -> dict[str, object]:
    fact = known.fact(order_id)
    return {
        "number": number_key(fact.number),
        "customer_key": customer_key(fact.customer_email),
        "facts": known.model_dump(mode="json"),
        "version": known.version,
        "updated_at": now,
    }


def _said(known: KnownOrder, order_id: str) -> OrderFact:
    """Return an order's facts without their version, for comparison."""
    return known.fact(order_id).model_copy(update={"version": None})
