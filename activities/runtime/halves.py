"""Work on many at once, of which one must not keep the others from theirs."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError

from domain.core.errors import EngineUnavailable
from store.core.database import Database

R = TypeVar("R")


async def in_halves(
    database: Database,
    items: Sequence[str],
    work: Callable[[Sequence[str]], Awaitable[R]],
    *,
    beat: Callable[[], None],
) -> tuple[list[R], list[str]]:
    """What `work` made of all items, and those it cannot be done on.

    It is tried on all, and where that fails, for taking too long or for another reason, on halves,
    down to single ones. `beat`: called before each try. Raises EngineUnavailable when the database
    is away, which is nobody's fault of the items.
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
