"""PostgreSQL's connection limits."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

# The setting `reserved_connections` was added in PostgreSQL 16.
_LIMITS: Final = """
    SELECT current_setting('max_connections')::int AS allowed,
           current_setting('superuser_reserved_connections')::int
             + coalesce(current_setting('reserved_connections', true)::int, 0) AS reserved,
           (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS open_now
"""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """The connection limits of a PostgreSQL server. `reserved` is the part of `max_connections` for
    privileged roles. `open_now` counts all programs' connections."""

    max_connections: int
    reserved: int
    open_now: int

    @property
    def usable(self) -> int:
        return self.max_connections - self.reserved


async def connection_limits(connection: AsyncConnection) -> ConnectionLimits:
    """Return the connection limits of the whole server, for all databases on it."""
    row = (await connection.exec_driver_sql(_LIMITS)).one()
    return ConnectionLimits(
        max_connections=row.allowed, reserved=row.reserved, open_now=row.open_now
    )
