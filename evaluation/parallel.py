"""Run a trial for every row in a set, several at a time, and keep the open and sealed parts
separate."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from evaluation.sealing import Identified, LabelledSet

Tried = TypeVar("Tried", bound=Identified)
Made = TypeVar("Made", bound=Identified)


async def try_all(
    rows: LabelledSet[Tried], trial: Callable[[Tried], Awaitable[Made]], *, at_once: int
) -> LabelledSet[Made]:
    """Return the result for each row, in order. `at_once` is the maximum number of concurrent
    trials."""
    free = asyncio.Semaphore(at_once)

    async def one(row: Tried) -> Made:
        async with free:
            return await trial(row)

    async def part(kept: tuple[Tried, ...]) -> tuple[Made, ...]:
        return tuple(await asyncio.gather(*(one(row) for row in kept)))

    opened = None if rows.sealed is None else await part(rows.sealed)
    return LabelledSet(await part(rows.open), opened)
