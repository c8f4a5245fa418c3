"""The watchdog of the event loop."""

import asyncio
import time

from adapters.observability.loop_watch import HOLD_S, Cause, watched_loop
from adapters.observability.metrics import Metrics
from tests.support.core.waiting import eventually

HELD_S = 4 * HOLD_S


class Holds(list[tuple[Cause, float]]):
    def held(self, cause: Cause, seconds: float) -> None:
        self.append((cause, seconds))


async def seen(holds: Holds, cause: Cause) -> bool:
    """Return whether the watchdog detects the blocked loop at its next check."""

    async def found() -> bool:
        return any(one == cause and seconds >= HOLD_S for one, seconds in holds)

    return await eventually(found)


async def test_work_on_the_loop_is_its_own_hold() -> None:
    holds = Holds()
    with watched_loop(holds):
        await asyncio.sleep(0)
        until = time.thread_time() + HELD_S
        while time.thread_time() < until:
            pass
        assert await seen(holds, "own")


async def test_a_call_that_blocks_is_another_hold() -> None:
    holds = Holds()
    with watched_loop(holds):
        await asyncio.sleep(0)
        time.sleep(HELD_S)  # noqa: ASYNC251 - what is to be found
        assert await seen(holds, "other")


async def test_after_its_block_nothing_is_watched() -> None:
    holds = Holds()
    with watched_loop(holds):
        pass
    holds.clear()
    time.sleep(HELD_S)  # noqa: ASYNC251 - likewise
    await asyncio.sleep(0)

    assert holds == []


def test_holds_are_shown() -> None:
    metrics = Metrics()
    metrics.held("own", 0.2)

    labels = {"cause": "own"}
    assert metrics.registry.get_sample_value("engine_event_loop_hold_seconds_sum", labels) == 0.2
