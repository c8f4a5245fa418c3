"""The customer sweep, which adds messages normalized by an earlier version to the customer
index."""

from typing import Final

from temporalio import activity

from activities.runtime.one_by_one import Tally
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import NewId
from domain.runs.contracts import SweepInput, SweepResult
from store.core.database import Database
from store.customers.customer_index import PAGE, CustomerIndex, next_client

PAGES: Final = 50
"""Maximum number of pages indexed by one sweep. The next sweep continues."""


class SweepCustomers:
    def __init__(self, database: Database, new_id: NewId) -> None:
        self._database = database
        self._new_id = new_id

    @activity.defn(name=names.SWEEP_CUSTOMERS)
    async def index(self, _: SweepInput) -> SweepResult:
        """Index the customer of each message without a customer key, page by page. Return the
        number of indexed messages.

        Only messages from an earlier version have no customer key. Idempotency key: the customer
        key, stored in the message's row.
        """
        tally, after = Tally("customers not indexed"), ""
        for _page in range(PAGES):
            activity.heartbeat()
            async with self._database.service() as connection:
                client = await next_client(connection, after)
            if client is None:
                break
            before = tally.picked_up
            await tally.add(self._index_page(client), client_id=client)
            if tally.picked_up - before < PAGE:
                after = client
        tally.check()
        return tally.result

    async def _index_page(self, client: TenantId) -> int:
        async with self._database.tenant(client) as connection:
            return await CustomerIndex(connection, client).index_page(self._new_id)
