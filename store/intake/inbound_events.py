"""Which events of other platforms have been taken: each is taken once, however often it comes.

Platforms send an event again until they are answered, for some days at most; what is older than
thirty is pruned (`activities/privacy/prune.py`).
"""

from datetime import datetime

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from store.intake.tables import inbound_events


class InboundEvents:
    """Of one client."""

    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def first_sight(self, provider: str, event_id: str, now: datetime) -> bool:
        """Whether this event of a platform comes for the first time, and note that it did.

        Of many at once exactly one is the first: the others wait for its transaction, and one of
        them is the first if that one is rolled back. Take the event in the same transaction.
        """
        noted = await self._connection.scalar(
            insert(inbound_events)
            .values(client_id=self._tenant, provider=provider, event_id=event_id, created_at=now)
            .on_conflict_do_nothing()
            .returning(inbound_events.c.event_id)
        )
        return noted is not None
