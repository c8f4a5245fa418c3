"""Hourly counts of ended and failed deliveries for each webhook."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa

from domain.webhooks.delivery import DeliveryStatus
from store.core.repository import TenantRepository
from store.webhooks.tables import webhook_deliveries

HOURS: Final = 24

_TABLE: Final = webhook_deliveries.c
_AGE: Final = sa.func.floor(
    sa.extract("epoch", sa.bindparam("now", type_=sa.DateTime(timezone=True)) - _TABLE.finished_at)
    / 3600
)
_COUNTS: Final = (
    sa.select(
        _TABLE.webhook_id,
        sa.cast(_AGE, sa.Integer).label("hours_ago"),
        sa.func.count().label("ended"),
        sa.func.count().filter(_TABLE.status == DeliveryStatus.FAILED.value).label("failed"),
    )
    .where(
        _TABLE.client_id == sa.bindparam("tenant"),
        _TABLE.status != sa.literal_column("'pending'"),
        _TABLE.finished_at > sa.bindparam("since"),
        _TABLE.finished_at <= sa.bindparam("now", type_=sa.DateTime(timezone=True)),
    )
    .group_by(_TABLE.webhook_id, sa.text("hours_ago"))
)


@dataclass(frozen=True, slots=True)
class DeliveryHour:
    ended: int = 0
    failed: int = 0


NO_HOURS: Final = (DeliveryHour(),) * HOURS


class DeliveryHours(TenantRepository):
    async def all(self, now: datetime) -> Mapping[str, tuple[DeliveryHour, ...]]:
        """Return the hourly counts of the stored deliveries for the last `HOURS` hours, by webhook,
        oldest first. Webhooks without deliveries are omitted."""
        rows = await self._connection.execute(
            _COUNTS, {"tenant": self._tenant, "now": now, "since": now - timedelta(hours=HOURS)}
        )
        hours: dict[str, list[DeliveryHour]] = {}
        for row in rows:
            mine = hours.setdefault(row.webhook_id, list(NO_HOURS))
            mine[HOURS - 1 - min(row.hours_ago, HOURS - 1)] = DeliveryHour(row.ended, row.failed)
        return {webhook_id: tuple(mine) for webhook_id, mine in hours.items()}
