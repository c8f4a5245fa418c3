"""The service while one tenant sends every kind of hostile mail at the maximum size. One email per
second is far above its limit of 200 an hour."""

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

_EVERY_S: Final = 1.0
_GATEWAY: Final = "/api/engine/gateway"
# Each turn uses a different shop because a shop may send only 200 messages an hour.
_FIRST_SHOP: Final = 2_000
_SHOPS: Final = 8
_MOST: Final = 190


class HostileAnswer(BaseModel):
    model_config = ConfigDict(frozen=True)

    shape: str
    status: int
    ms: float


class HostileContender(GatewayContender):
    """The service and the attacking tenant. `beside` names the turns during which this tenant sends
    hostile emails."""

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
        async with asyncio.TaskGroup() as group:
            task = group.create_task(self._attack(next(self._attackers), group))
            try:
                yield
            finally:
                task.cancel()

    async def _attack(self, shop: LoadShop, group: asyncio.TaskGroup) -> None:
        """Send one email each second, without waiting for earlier responses."""
        for number in range(_MOST):
            group.create_task(self._send(shop, number))
            await asyncio.sleep(_EVERY_S)

    async def _send(self, shop: LoadShop, number: int) -> None:
        name, shape = next(self._shapes)
        body = orjson.dumps(
            {
                "client_id": shop.client_id,
                "event_type": EVENT_TYPE,
                # Each message is from a different customer because the per-customer limit is not
                # measured here.
                "customer_email": f"eve{number}@hostile.example",
                **shape.make(shape.full),
            }
        )
        async with HttpClient("127.0.0.1", self.port) as client:
            began = time.perf_counter()
            status, _ = await client.post(_GATEWAY, shop.key, body)
            ms = (time.perf_counter() - began) * 1000
        self.answers.append(HostileAnswer(shape=name, status=status, ms=round(ms, 1)))
