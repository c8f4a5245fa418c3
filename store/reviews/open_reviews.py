"""The number of a client's tickets that need the team."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from store.reviews.inbox_sources import needs_team

MOST: Final = 1_000
"""The number of tickets above which counting stops."""

_COUNT: Final = sa.text(f"SELECT count(*) FROM ({needs_team()}) AS found")  # noqa: S608


async def count_needs(connection: AsyncConnection, tenant: TenantId, now: datetime) -> int:
    """Return the number of tickets that need the team: those of the inbox's view `needs`. Return
    MOST + 1 if there are more than MOST."""
    found = await connection.scalar(_COUNT, {"client_id": tenant, "now": now, "window": MOST + 1})
    return int(found or 0)
