"""The client that a widget's key belongs to."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId

# A function of the database (`migrations/`): no row may be read before the tenant is known.
_CLIENT_OF: Final = sa.text("SELECT client_of_widget(:key, :now)")


async def client_of_widget(connection: AsyncConnection, key: str, now: datetime) -> TenantId | None:
    """The client whose key this is, or was until a rotation whose overlap has not ended."""
    found = await connection.scalar(_CLIENT_OF, {"key": key, "now": now})
    return None if found is None else TenantId(found)
