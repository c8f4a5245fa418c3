"""The service while tenant A replays 10,000 events from a month. The benchmark measures other
tenants' calls during the replay, and the replay's duration with and without these calls."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from adapters.system import new_ulid, utc_now
from bench.contenders import GatewayContender
from bench.load import Target
from bench.measure import BenchTurn
from bench.past_month import EVENTS, fill_month
from commands.core.nearby_engine import NearbyEngine
from domain.core.ids import TenantId
from domain.simulation.replay import Replay, ReplayAsked, ReplayState
from domain.simulation.variant import Variant
from domain.tenants.actor import Actor
from embedded.data_folder import running_stack
from services.core.unit_of_work import UnitsOfWork
from services.simulation.replays import start_replay, stop_replay
from store.core.database import Database
from store.simulation.replays import ReplayRepository

UNREPLAYED: Final = "unreplayed"
REPLAYED: Final = "replayed"

# Tenant A's shop is not one of the shops that call the gateway.
_REPLAYER: Final = 2_002
_CALLERS: Final = 4
_STEADY: Final = 8.0
_AT_LEAST_S: Final = 40.0
_LONGEST_S: Final = 900.0
_ACTOR: Final = Actor.operator("bench")


class ReplayFigures(BaseModel):
    """The figures for replays. `beside_per_second` are events per second in each turn, beside 8
    calls a second of other tenants. The others are without load. `worked_s` excludes pauses."""

    beside_per_second: list[float]
    alone_s: float
    worked_s: float
    examined: int


def replay_turns(rounds: int, seconds: float) -> Iterator[BenchTurn]:
    """Yield turns in which calls are scheduled at a steady rate. If a call starts late, its latency
    is measured from its scheduled time."""
    lasts = max(_AT_LEAST_S, 1.5 * seconds)
    for number in range(rounds):
        for name in (UNREPLAYED, REPLAYED) if number % 2 == 0 else (REPLAYED, UNREPLAYED):
            yield BenchTurn(number, name, _CALLERS, 1, lasts, rate=_STEADY)


class ReplayContender(GatewayContender):
    def __init__(self, folder: Path) -> None:
        super().__init__(UNREPLAYED, folder)
        self._replayer = TenantId("")
        self._beside: list[float] = []

    def during(self, turn: str) -> AbstractAsyncContextManager[None]:
        return self._replaying() if turn == REPLAYED else nullcontext()

    async def figures(self) -> ReplayFigures:
        """Run a whole replay after the turns, without other load, and return its figures. Raises
        RuntimeError if the replay did not complete, TimeoutError if it takes too long."""
        async with self._units() as units:
            began = time.monotonic()
            replay = await self._started(units)
            async with asyncio.timeout(_LONGEST_S):
                while replay.finished_at is None:
                    await asyncio.sleep(0.5)
                    replay = await self._read(units, replay.id)
        if replay.state is not ReplayState.DONE or replay.examined != EVENTS:
            raise RuntimeError(f"the replay ended as {replay.state} after {replay.examined}")
        return ReplayFigures(
            beside_per_second=self._beside,
            alone_s=round(time.monotonic() - began, 1),
            worked_s=round(replay.worked_ms / 1000, 1),
            examined=replay.examined,
        )

    async def _fill(self) -> None:
        self._replayer = TenantId((await self._shop(_REPLAYER)).client_id)
        database = Database(self.database_url, pool_size=1)
        try:
            async with database.tenant(self._replayer, patience_s=60) as connection:
                await fill_month(connection, self._replayer, utc_now())
        finally:
            await database.close()

    def _targets(self, port: int) -> dict[str, Target]:
        targets = super()._targets(port)
        return targets | {REPLAYED: targets[self.name]}

    @asynccontextmanager
    async def _replaying(self) -> AsyncIterator[None]:
        """Run a replay during the whole block, then stop it. Raises RuntimeError if the replay
        finished early."""
        async with self._units() as units:
            replay, began = await self._started(units), time.monotonic()
            try:
                yield
                done = await self._read(units, replay.id)
                if done.finished_at is not None or done.examined == 0:
                    raise RuntimeError(f"the replay was {done.state} at {done.examined} events")
                self._beside.append(round(done.examined / (time.monotonic() - began), 1))
            finally:
                async with units.of(self._replayer) as work:
                    await stop_replay(work, _ACTOR, replay.id)

    async def _started(self, units: UnitsOfWork) -> Replay:
        async with units.of(self._replayer) as work:
            return await start_replay(work, _ACTOR, ReplayAsked(variant=Variant(threshold=0.8)))

    async def _read(self, units: UnitsOfWork, replay_id: str) -> Replay:
        async with units.database.reading(self._replayer) as connection:
            return await ReplayRepository(connection, self._replayer).read(replay_id)

    @asynccontextmanager
    async def _units(self) -> AsyncIterator[UnitsOfWork]:
        database = Database(self.database_url, pool_size=2)
        stack = running_stack(self._folder.root)
        environment = {**os.environ, **(stack.env if stack else {})}
        try:
            yield UnitsOfWork(database, NearbyEngine(environment), utc_now, new_ulid)
        finally:
            await database.close()
