"""Look up a client by its widget key."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId

# The statement calls a database function (`migrations/`), because no row may be read before the
# tenant is known.
_CLIENT_OF: Final = sa.text("SELECT client_of_widget(:key, :now)")


async def client_of_widget(connection: AsyncConnection, key: str, now: datetime) -> TenantId | None:
    """Return the client with this widget key, or None. During the overlap after a rotation, the
    previous key is also valid."""
    found = await connection.scalar(_CLIENT_OF, {"key": key, "now": now})
    return None if found is None else TenantId(found)
