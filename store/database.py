"""The database: one engine a process, and the one way to a transaction."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import orjson
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from domain.errors import EngineUnavailable

# A caller is told within 5 s that the database is away; each of these must be shorter.
_CONNECT_TIMEOUT_S: Final = 3
_POOL_TIMEOUT_S: Final = 3
_LOCK_TIMEOUT: Final = "2s"
_STATEMENT_TIMEOUT: Final = "4s"


def psycopg_url(url: str) -> sa.URL:
    """A PostgreSQL URL as SQLAlchemy's psycopg dialect wants it; sa.exc.ArgumentError if none."""
    return sa.make_url(url).set(drivername="postgresql+psycopg")


class Database:
    """A pool of connections. Every repository works on a connection that comes from here."""

    def __init__(self, url: str, *, pool_size: int = 10) -> None:
        self.engine: AsyncEngine = create_async_engine(
            psycopg_url(url),
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=_POOL_TIMEOUT_S,
            pool_pre_ping=True,
            json_serializer=_dump,
            json_deserializer=orjson.loads,
            connect_args={
                "connect_timeout": _CONNECT_TIMEOUT_S,
                "options": f"-c lock_timeout={_LOCK_TIMEOUT} "
                f"-c statement_timeout={_STATEMENT_TIMEOUT} "
                "-c idle_in_transaction_session_timeout=30s -c timezone=UTC",
            },
        )

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """One transaction, committed when the block ends and rolled back when it raises.

        Raises EngineUnavailable when PostgreSQL cannot be reached or went away meanwhile.
        """
        try:
            async with self.engine.begin() as connection:
                yield connection
        except (OperationalError, PoolTimeout) as error:
            raise EngineUnavailable("the database did not answer") from error
        except DBAPIError as error:
            if error.connection_invalidated:
                raise EngineUnavailable("the database went away") from error
            raise

    async def close(self) -> None:
        await self.engine.dispose()


def _dump(value: object) -> str:
    return orjson.dumps(value).decode()
