"""The number of a client's open reviews."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId

MOST: Final = 1_000
"""The number of open reviews above which counting stops."""

_COUNT: Final = sa.text("""
    SELECT count(*) FROM (
        SELECT FROM escalation_tickets
        WHERE client_id = :client_id AND status IN ('pending', 'claimed') LIMIT :most
    ) AS open
""")


async def count_open(connection: AsyncConnection, tenant: TenantId) -> int:
    """Return the number of open reviews. Return MOST + 1 if there are more than MOST."""
    found = await connection.scalar(_COUNT, {"client_id": tenant, "most": MOST + 1})
    return int(found or 0)
