"""Usage statistics of a connection pool."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import QueuePool


class PoolUse:
    """The current usage of a connection pool. Any thread may read it. `waiting` counts the tasks
    that wait for a connection."""

    def __init__(self, engine: AsyncEngine) -> None:
        pool = engine.pool
        if not isinstance(pool, QueuePool):
            raise TypeError("a pool of a fixed size is expected")
        self._pool = pool
        self.waiting = 0

    @property
    def size(self) -> int:
        return self._pool.size()

    @property
    def in_use(self) -> int:
        return self._pool.checkedout()

    @contextmanager
    def wait(self) -> Iterator[None]:
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1
