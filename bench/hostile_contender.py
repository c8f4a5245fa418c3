"""The service while one tenant sends every hostile shape at full size, two at a time."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Final

import orjson
from pydantic import BaseModel, ConfigDict

from bench.contenders import GatewayContender
from bench.http_client import HttpClient
from bench.load import LoadShop, Target
from tests.support.intake.hostile import EVENT_TYPE, SHAPES

_AT_ONCE: Final = 2
_GATEWAY: Final = "/api/engine/gateway"
# A shop for each turn, below the 200 messages that it may send within an hour.
_FIRST_SHOP: Final = 2_000
_SHOPS: Final = 8
_MOST: Final = 190


class HostileAnswer(BaseModel):
    model_config = ConfigDict(frozen=True)

    shape: str
    status: int
    ms: float


class HostileContender(GatewayContender):
    """`beside`: the turns in which another tenant sends them."""

    def __init__(self, name: str, folder: Path, *, beside: str) -> None:
        super().__init__(name, folder)
        self._beside = beside
        self._attackers: Iterator[LoadShop] = iter(())
        self._shapes = itertools.cycle(SHAPES.items())
        self.answers: list[HostileAnswer] = []

    def during(self, turn: str) -> AbstractAsyncContextManager[None]:
        return self._attacked() if turn == self._beside else nullcontext()

    async def _fill(self) -> None:
        shops = [await self._shop(_FIRST_SHOP + number) for number in range(_SHOPS)]
        self._attackers = itertools.cycle(shops)

    def _targets(self, port: int) -> dict[str, Target]:
        targets = super()._targets(port)
        return targets | {self._beside: targets[self.name]}

    @asynccontextmanager
    async def _attacked(self) -> AsyncIterator[None]:
        shop, numbers = next(self._attackers), iter(range(_MOST))
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._attack(shop, numbers)) for _ in range(_AT_ONCE)]
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()

    async def _attack(self, shop: LoadShop, numbers: Iterator[int]) -> None:
        async with HttpClient("127.0.0.1", self.port) as client:
            for number in numbers:
                name, shape = next(self._shapes)
                body = orjson.dumps(
                    {
                        "client_id": shop.client_id,
                        "event_type": EVENT_TYPE,
                        # The limit of a customer is not what is measured.
                        "customer_email": f"eve{number}@hostile.example",
                        **shape.make(shape.full),
                    }
                )
                began = time.perf_counter()
                status, _ = await client.post(_GATEWAY, shop.key, body)
                ms = (time.perf_counter() - began) * 1000
                self.answers.append(HostileAnswer(shape=name, status=status, ms=round(ms, 1)))
