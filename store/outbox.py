"""The outbox: what a merchant's systems are to be told, written with what made it true.

Sending is another process's work; what is here will be told, and once.
"""

from datetime import datetime
from typing import Final

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.ids import TenantId
from domain.outbound_event import OutboundEvent
from store.tables import outbox

_ADD: Final = insert(outbox).on_conflict_do_nothing(
    index_elements=["client_id", "event", "dedup_key"]
)


class Outbox:
    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def add(
        self, event: OutboundEvent, *, entry_id: str, dedup_key: str, now: datetime
    ) -> None:
        """Tell of `event`. `dedup_key` names what happened (a run, a round of it): a repetition
        adds nothing."""
        await self._connection.execute(
            _ADD,
            {
                "client_id": self._tenant,
                "id": entry_id,
                "event": event.event,
                "dedup_key": dedup_key,
                "data": event.model_dump(mode="json"),
                "created_at": now,
            },
        )
