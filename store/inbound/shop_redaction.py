"""Erase the data of one connection when its platform requests it."""

from typing import Final

import sqlalchemy as sa

from store.core.repository import TenantRepository
from store.inbound.poll_cursors import PollCursorRepository
from store.integrations.order_facts import OrderFactRepository

_OF_IT: Final = "client_id = :client_id AND integration_id = :integration"
# The bodies of unfinished compliance requests are kept because they are still needed.
_BODIES: Final = sa.text(f"""
    UPDATE inbound_webhooks SET body = NULL, headers = '{{}}', customer_key = NULL
    WHERE {_OF_IT} AND id <> :duty AND body IS NOT NULL AND (kind <> 'duty' OR state = 'done')
""")  # noqa: S608 - constants, here and below
_REFUSALS: Final = sa.text(f"DELETE FROM inbound_refusals WHERE {_OF_IT}")  # noqa: S608
_ANSWERED_REQUESTS: Final = sa.text(f"""
    DELETE FROM data_requests WHERE {_OF_IT} AND fulfilled_at IS NOT NULL
""")  # noqa: S608
# The order is removed from each lookup, but the record of the lookup itself is kept.
_LOOKUPS: Final = sa.text("""
    UPDATE engine_runs SET lookup = lookup - 'order' || '{"state": "unavailable"}'
    WHERE client_id = :client_id AND lookup #>> '{order,integration_id}' = :integration
""")


class ShopRedaction(TenantRepository):
    async def erase(self, integration_id: str, *, request_id: str) -> dict[str, int]:
        """Erase the connection's order facts, stored webhooks, counts of rejected requests and
        copies of orders. Return the changed rows by record class.

        `request_id` is the webhook with the erasure request, which stays readable.
        """
        this = {"client_id": self._tenant, "integration": integration_id, "duty": request_id}
        facts = OrderFactRepository(self._connection, self._tenant)
        erased = {"order_facts": await facts.forget(integration_id)}
        for name, statement in (
            ("inbound_webhooks, emptied", _BODIES),
            ("inbound_refusals", _REFUSALS),
            ("data_requests", _ANSWERED_REQUESTS),
            ("engine_runs, emptied", _LOOKUPS),
        ):
            erased[name] = (await self._connection.execute(statement, this)).rowcount
        await PollCursorRepository(self._connection, self._tenant).forget(integration_id)
        return erased
