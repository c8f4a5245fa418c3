"""Transactions that wait for other transactions in the database."""

import sqlalchemy as sa

from store.core.database import Database
from tests.support.core.waiting import eventually


async def until_waiting(database: Database, number: int = 1) -> None:
    """Wait until this many transactions of this database wait for another one. Raises
    TimeoutError."""

    async def wait() -> bool:
        async with database.unscoped() as connection:
            found = await connection.scalar(
                sa.text(
                    "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted AND pid IN "
                    "(SELECT pid FROM pg_stat_activity WHERE datname = current_database())"
                )
            )
        return int(found or 0) == number

    await eventually(wait)
