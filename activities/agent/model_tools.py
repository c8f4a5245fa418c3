"""The lookups of a language model, bound to one client and to the sender of one message."""

from activities.agent.gather import useful_embedder
from activities.agent.order_search import OrderSearch
from domain.agent.brain import Passage
from domain.agent.ports import Embedder
from domain.core.ids import TenantId
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Lookup
from store.content.knowledge_search import KnowledgeSearch
from store.core.database import Database


class ModelTools:
    """The `BrainTools` for one event. `orders` is the search for orders, or None if no order may
    be looked up."""

    def __init__(
        self,
        database: Database,
        tenant: TenantId,
        event: UnifiedEvent,
        embedder: Embedder | None,
        *,
        orders: OrderSearch | None,
    ) -> None:
        self._database = database
        self._tenant = tenant
        self._event = event
        self._embedder = embedder
        self._orders = orders if event.may_read else None

    @property
    def reads_orders(self) -> bool:
        return self._orders is not None

    async def search(self, query: str) -> tuple[Passage, ...]:
        async with self._database.reading(self._tenant) as connection:
            useful = await useful_embedder(connection, self._tenant, self._embedder)
        near = await useful.near(self._tenant, query, live=True) if useful else None
        async with self._database.reading(self._tenant) as connection:
            return await KnowledgeSearch(connection, self._tenant).find(query, near)

    async def order(self, number: str) -> Lookup:
        if self._orders is None:
            return Lookup.of(None, number, None)
        return await self._orders.numbered(self._tenant, number, self._event.customer_email)
