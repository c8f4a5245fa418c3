"""Process a batch with bisection: split a failed batch in two, so that one failing item does not
stop the others."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError

from domain.core.errors import EngineUnavailable
from store.core.database import Database

R = TypeVar("R")


async def bisect_batch(
    database: Database,
    items: Sequence[str],
    work: Callable[[Sequence[str]], Awaitable[R]],
    *,
    beat: Callable[[], None],
) -> tuple[list[R], list[str]]:
    """Return the results of `work` for all items, and the items that failed.

    A failed or slow batch is split in two, down to single items. `beat` is called before each
    attempt. Raises EngineUnavailable if the database is down.
    """
    made: list[R] = []
    failed: list[str] = []
    waiting = [items]
    while waiting:
        part = waiting.pop()
        beat()
        try:
            made.append(await work(part))
        except (EngineUnavailable, SQLAlchemyError):
            await database.ping()
            if len(part) == 1:
                failed += part
                continue
            middle = len(part) // 2
            waiting += [part[middle:], part[:middle]]
    return made, failed
