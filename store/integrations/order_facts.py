"""What webhooks and polls have told of a client's orders."""

from collections.abc import Collection
from datetime import datetime

from domain.integrations.known_order import FoundOrder
from domain.integrations.order_fact import OrderFact
from store.core.repository import TenantRepository


class OrderFactRepository(TenantRepository):
    async def apply(self, integration_id: str, fact: OrderFact, now: datetime) -> bool:
        """Merge a fact into what is known of its order; whether it said anything new.

        Any order of arrival of the same facts gives the same row.
        """
        raise NotImplementedError

    async def find(self, number: str | None, email: str | None) -> FoundOrder | None:
        """The order with that number, or without one the latest of that customer; of connections
        that have not ended. Whose it is must still be checked."""
        raise NotImplementedError

    async def forget(self, integration_id: str) -> int:
        """Delete all that came from a connection; how many orders it was."""
        raise NotImplementedError

    async def forget_orders(self, integration_id: str, order_ids: Collection[str]) -> int:
        """Delete what is known of some orders of a connection; how many were known."""
        raise NotImplementedError
