"""Deliveries that request permits, run, and end when the test releases them."""

import asyncio

from activities.webhooks.delivery_limiter import DeliveryLimiter
from domain.webhooks.errors import Deferred
from domain.webhooks.ports import TakenPlace


class Alone:
    """The slots of an installation without other workers."""

    async def take(self, client_id: str, webhook_id: str) -> TakenPlace | None:  # noqa: ARG002
        return TakenPlace(())

    def give_back(self, place: TakenPlace) -> None:
        pass


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Sending:
    """One delivery that holds its permit until the test ends it."""

    def __init__(self, delivery_limiter: DeliveryLimiter, tenant: str, endpoint: str) -> None:
        self.tenant = tenant
        self.endpoint = endpoint
        self.active = False
        self._end = asyncio.Event()
        self.task = asyncio.create_task(self._send(delivery_limiter))

    async def _send(self, delivery_limiter: DeliveryLimiter) -> None:
        async with delivery_limiter.of(self.tenant, self.endpoint):
            self.active = True
            await self._end.wait()

    def end(self) -> None:
        self._end.set()

    @property
    def deferred(self) -> float | None:
        """Return the seconds by which the delivery was deferred, or None."""
        if not self.task.done() or self.task.cancelled():
            return None
        error = self.task.exception()
        assert error is None or isinstance(error, Deferred)
        return None if error is None else error.retry_after_s


async def settle() -> None:
    """Run every task as far as possible."""
    for _ in range(6):
        await asyncio.sleep(0)


async def end(*sent: Sending) -> None:
    for one in sent:
        one.end()
        one.task.cancel()
    await asyncio.gather(*(one.task for one in sent), return_exceptions=True)
