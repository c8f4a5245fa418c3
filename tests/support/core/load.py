"""Callers of the gateway that continue while its processes are disturbed."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

import httpx

from tests.support.core.waiting import eventually
from tests.support.tenants.shop import ORDER_QUESTION, Shop

Post = Callable[..., Awaitable[httpx.Response]]
"""A function that sends an event to the gateway: post(shop, message=…)."""


class Load:
    """Callers of the gateway, each with one message at a time. A call without a response fails the
    test."""

    def __init__(self, post: Post, shops: Sequence[Shop]) -> None:
        """Create the callers. `shops`: enough shops that none of them exceeds its hourly limit."""
        self._post = post
        self._shops = itertools.cycle(shops)
        self._goes_on = True
        self.answers: list[httpx.Response] = []

    @asynccontextmanager
    async def running(self, callers: int) -> AsyncIterator[None]:
        """Run the callers during the block, until the last call is answered."""
        async with asyncio.TaskGroup() as calling:
            for _ in range(callers):
                calling.create_task(self._call())
            try:
                yield
            finally:
                self._goes_on = False

    async def answered(self, number: int) -> None:
        """Wait for this number of further answers. Raises TimeoutError after five minutes, which
        even a slow machine does not need."""
        await eventually(partial(self._reached, len(self.answers) + number), 300)

    def statuses(self) -> set[tuple[int, str]]:
        return {(one.status_code, one.json().get("status", one.text)) for one in self.answers}

    async def _call(self) -> None:
        while self._goes_on:
            self.answers.append(await self._post(next(self._shops), message=ORDER_QUESTION))

    async def _reached(self, number: int) -> bool:
        return len(self.answers) >= number
