"""Concurrent requests with one key: their number, their wait, and shared results."""

import asyncio

import pytest

from domain.core.errors import CallerBusy, EngineUnavailable
from services.core.concurrent_callers import ConcurrentCallers
from services.core.gate import Gate
from services.core.shared_reads import SharedReads


def test_crowd_of_one_key_is_bounded() -> None:
    crowd: ConcurrentCallers[str] = ConcurrentCallers(at_most=1)
    with crowd.join("a"):
        with pytest.raises(CallerBusy) as refused, crowd.join("a"):
            pass
        with crowd.join("b"):
            pass
    with crowd.join("a"):
        assert refused.value.retry_after_s == 1
    assert not crowd._present, "nobody is there any more"


async def test_gate_sends_away_who_is_too_many() -> None:
    gate: Gate[str] = Gate(patience_s=60, at_most=2)
    async with gate.enter("a"):
        waiting = asyncio.create_task(_pass(gate))
        await asyncio.sleep(0)
        with pytest.raises(CallerBusy):
            await _pass(gate)
        async with gate.enter("b"):
            pass
    await waiting
    await _pass(gate)


async def test_a_turn_lasts_while_others_wait_and_holds_up_no_other_key() -> None:
    gate: Gate[str] = Gate(patience_s=0.05, turn_s=3_600)
    await _pass(gate)
    await _pass(gate)  # nobody waited for the turn to end
    async with gate.enter("a"):
        waiting = asyncio.create_task(_pass(gate))
        await asyncio.sleep(0)
    async with gate.enter("b"):
        pass
    with pytest.raises(CallerBusy):
        await waiting


async def test_patience_of_a_crowd_ends_as_the_callers_own_doing() -> None:
    gate: Gate[str] = Gate(patience_s=0.05)
    async with gate.enter("a"):
        with pytest.raises(CallerBusy):
            await _pass(gate)


async def test_patience_behind_an_outage_ends_as_an_outage() -> None:
    gate: Gate[str] = Gate(patience_s=0.05)
    waited = asyncio.Event()

    async def fails() -> None:
        async with gate.enter("a"):
            await waited.wait()
            raise EngineUnavailable("away")

    async def waits() -> None:
        async with gate.enter("a"):
            with pytest.raises(EngineUnavailable):
                await _pass(gate)

    first, second = asyncio.create_task(fails()), asyncio.create_task(waits())
    await asyncio.sleep(0)
    waited.set()
    with pytest.raises(EngineUnavailable):
        await first
    await second


async def _pass(gate: Gate[str]) -> None:
    async with gate.enter("a"):
        pass


class Slow:
    """Reads that last until they are released."""

    def __init__(self) -> None:
        self.begun = 0
        self.free = asyncio.Event()
        self.away = False

    async def read(self, key: str) -> str:
        self.begun += 1
        number = self.begun
        await self.free.wait()
        if self.away:
            raise EngineUnavailable("away")
        return f"{key}{number}"


async def test_crowd_shares_the_next_reading_and_none_that_began_before_it_came() -> None:
    slow = Slow()
    reads = SharedReads(slow.read)
    first = asyncio.create_task(reads.get("a"))
    await asyncio.sleep(0)
    crowd = [asyncio.create_task(reads.get("a")) for _ in range(100)]
    other = asyncio.create_task(reads.get("b"))
    await asyncio.sleep(0)
    crowd[0].cancel()
    slow.free.set()

    assert await first == "a1"
    assert await other == "b2"
    assert set(await asyncio.gather(*crowd[1:])) == {"a3"}
    assert await reads.get("a") == "a4"
    assert not reads._running
    assert not reads._next


async def test_outage_of_a_shared_reading_is_everybodys_at_once() -> None:
    slow = Slow()
    slow.away = True
    reads = SharedReads(slow.read)
    tasks = [asyncio.create_task(reads.get("a")) for _ in range(100)]
    await asyncio.sleep(0)
    slow.free.set()

    outcomes = await asyncio.gather(*tasks, return_exceptions=True)

    assert {type(one) for one in outcomes} == {EngineUnavailable}
    assert slow.begun == 1
    slow.away = False
    assert await reads.get("a") == "a2"
