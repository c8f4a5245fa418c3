"""Counts of rejected requests to clients' webhook endpoints, per hour."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.inbound.errors import RefusalReason
from store.inbound.tables import inbound_refusals
from store.integrations.tables import integrations

_count: Final = inbound_refusals.c


@dataclass(frozen=True, slots=True)
class RefusalsOfHour:
    """The number of requests rejected in the hour that starts at `hour`, and the time of the last
    rejection."""

    tenant: TenantId
    integration_id: str
    reason: RefusalReason
    hour: datetime
    count: int
    last_at: datetime


class RefusalRepository:
    """The counts of rejected requests, for all clients. Each call of `add` writes many counts at
    once."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, refused: Sequence[RefusalsOfHour]) -> None:
        """Add these numbers to the counts of rejected requests. Counts for a deleted connection are
        dropped."""
        for one in refused:
            lives = sa.exists().where(
                integrations.c.client_id == one.tenant, integrations.c.id == one.integration_id
            )
            values = sa.select(
                *(
                    sa.literal(value, _count[name].type).label(name)
                    for name, value in _values(one).items()
                )
            ).where(lives)
            statement = insert(inbound_refusals).from_select(list(_values(one)), values)
            await self._connection.execute(
                statement.on_conflict_do_update(
                    index_elements=list(inbound_refusals.primary_key.columns),
                    set_={
                        "count": _count.count + statement.excluded["count"],
                        "last_at": sa.func.greatest(_count.last_at, statement.excluded.last_at),
                    },
                )
            )


def _values(one: RefusalsOfHour) -> dict[str, object]:
    return {
        "client_id": one.tenant,
        "integration_id": one.integration_id,
        "reason": one.reason,
        "hour": one.hour,
        "count": one.count,
        "created_at": one.hour,
        "last_at": one.last_at,
    }
