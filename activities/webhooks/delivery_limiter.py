"""Limit concurrent deliveries, so that a receiver or tenant cannot delay others.

A receiver may hang for 10 s and occupy a slot of the worker. Active deliveries are limited across
all workers, and waiting ones per worker, by endpoint and tenant. A delivery beyond the limit waits
in Temporal.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from domain.webhooks.errors import Deferred
from domain.webhooks.ports import Places

SHORTEST_S: Final = 1.0
LONGEST_S: Final = 600.0
LONGEST_WAIT_S: Final = 45.0
"""Maximum wait for a permit, in seconds. With the default limits, the last of 24 waiting deliveries
gets its permit after 30 s, even if every delivery hangs for 10 s."""

# Pauses, in seconds, between attempts to acquire a slot while other workers occupy all slots. After
# the last pause, the delivery is deferred.
_ASKED_AGAIN_S: Final = (0.05, 0.1, 0.2, 0.4, 0.8)
# Until the first delivery has ended, a delivery is assumed to take `_HELD_S` seconds. `_WEIGHT` is
# the weight of the newest duration in the moving average.
_HELD_S: Final = 3.0
_WEIGHT: Final = 0.2
# This fraction of the longest deferral is random. A delivery whose deferral would exceed LONGEST_S
# is therefore retried at a random time in the second half of that period.
_SPREAD: Final = 0.5
_JITTER: Final = 0.1


@dataclass(slots=True)
class _Line:
    """The active and waiting deliveries of a tenant or endpoint. `places` and `room` are their
    maximum numbers."""

    places: int
    room: int
    active: int = 0
    waiting: int = 0
    held_s: float = _HELD_S
    next_at: float = 0.0

    def ended(self, held_s: float) -> None:
        self.active -= 1
        self.held_s += _WEIGHT * (held_s - self.held_s)

    def put_off(self, now: float, randomness: float) -> Deferred:
        """Return the deferral of a delivery. Retries follow one another at the rate of recently
        released slots, so that few are deferred twice."""
        self.next_at = max(self.next_at, now + SHORTEST_S) + self.held_s / self.places
        wait, spread = self.next_at - now, _JITTER
        if wait > LONGEST_S:
            self.next_at = now + LONGEST_S
            wait, spread = LONGEST_S, _SPREAD
        return Deferred(max(SHORTEST_S, wait * (1 - spread * randomness)))


@dataclass(frozen=True, slots=True, eq=False)
class _Waiter:
    endpoint: _Line
    granted: "asyncio.Future[None]"


@dataclass(frozen=True, slots=True, eq=False)
class _Tenant:
    line: _Line
    endpoints: dict[str, _Line] = field(default_factory=dict)
    queue: list[_Waiter] = field(default_factory=list)

    def free(self, endpoint: _Line) -> bool:
        return self.line.active < self.line.places and endpoint.active < endpoint.places

    def next(self) -> _Waiter | None:
        """Return the next waiting delivery, or None.

        The endpoint with a free slot and the fewest active deliveries comes first, so that hanging
        receivers do not delay others.
        """
        ready = [one for one in self.queue if not one.granted.done() and self.free(one.endpoint)]
        return min(ready, key=lambda one: one.endpoint.active, default=None)


class DeliveryLimiter:
    """The delivery permits of one process and one event loop. `places` are the slots of all
    workers. `waiting` limits the waiting deliveries of all tenants.

    A delivery with a free slot for its endpoint and tenant does not wait. An endpoint has the same
    share of waiting deliveries as of permits.
    """

    def __init__(
        self,
        places: Places,
        *,
        per_endpoint: int = 4,
        per_tenant: int = 8,
        waiting_per_tenant: int = 24,
        waiting: int = 200,
        longest_wait_s: float = LONGEST_WAIT_S,
        clock: Callable[[], float] = time.monotonic,
        randomness: Callable[[], float] = random.random,
    ) -> None:
        self._places = places
        self._per_endpoint = per_endpoint
        self._per_tenant = per_tenant
        self._waiting_per_tenant = waiting_per_tenant
        self._room = waiting
        self._longest_wait_s = longest_wait_s
        self._clock = clock
        self._chance = randomness
        self._tenants: dict[str, _Tenant] = {}
        self._waiting = 0
        self._closed = False

    @asynccontextmanager
    async def of(self, client_id: str, webhook_id: str) -> AsyncIterator[None]:
        """Hold a permit to send to this webhook while the block runs. Raises Deferred if too many
        deliveries wait, after `longest_wait_s`, or if other workers occupy all slots."""
        if self._closed:
            raise Deferred(SHORTEST_S)
        tenant = self._tenants.setdefault(client_id, self._new_tenant())
        endpoint = tenant.endpoints.setdefault(webhook_id, self._new_endpoint())
        try:
            await self._take(tenant, endpoint)
            held_s = endpoint.held_s
            try:
                async with self._shared(client_id, webhook_id, tenant):
                    began = self._clock()
                    try:
                        yield
                    finally:
                        held_s = self._clock() - began
            finally:
                self._give_back(tenant, endpoint, held_s)
        finally:
            self._forget(client_id, webhook_id)

    def close(self) -> None:
        """Grant no more permits, and defer all waiting deliveries, because the process is about to
        exit."""
        self._closed = True
        for tenant in self._tenants.values():
            for waiter in tenant.queue:
                if not waiter.granted.done():
                    waiter.granted.set_exception(Deferred(SHORTEST_S))

    @asynccontextmanager
    async def _shared(
        self, client_id: str, webhook_id: str, tenant: _Tenant
    ) -> AsyncIterator[None]:
        pauses = iter(_ASKED_AGAIN_S)
        while (place := await self._places.take(client_id, webhook_id)) is None:
            pause = next(pauses, None)
            if pause is None or self._closed:
                raise tenant.line.put_off(self._clock(), self._chance())
            await asyncio.sleep(pause)
        try:
            yield
        finally:
            self._places.give_back(place)

    async def _take(self, tenant: _Tenant, endpoint: _Line) -> None:
        if tenant.free(endpoint):
            self._grant(tenant, endpoint)
            return
        for line in (endpoint, tenant.line):
            if line.waiting >= line.room:
                raise line.put_off(self._clock(), self._chance())
        if self._waiting >= self._room:
            raise tenant.line.put_off(self._clock(), self._chance())
        await self._wait(tenant, endpoint)

    async def _wait(self, tenant: _Tenant, endpoint: _Line) -> None:
        waiter = _Waiter(endpoint, asyncio.get_running_loop().create_future())
        tenant.queue.append(waiter)
        self._count(tenant, endpoint, 1)
        got = False
        try:
            async with asyncio.timeout(self._longest_wait_s):
                await waiter.granted
            got = True
        except TimeoutError:
            raise tenant.line.put_off(self._clock(), self._chance()) from None
        finally:
            if waiter in tenant.queue:
                tenant.queue.remove(waiter)
                self._count(tenant, endpoint, -1)
            elif not got:
                # The permit was granted just as the wait timed out.
                self._give_back(tenant, endpoint, endpoint.held_s)

    def _grant(self, tenant: _Tenant, endpoint: _Line) -> None:
        tenant.line.active += 1
        endpoint.active += 1

    def _give_back(self, tenant: _Tenant, endpoint: _Line, held_s: float) -> None:
        tenant.line.ended(held_s)
        endpoint.ended(held_s)
        while waiter := tenant.next():
            tenant.queue.remove(waiter)
            self._count(tenant, waiter.endpoint, -1)
            self._grant(tenant, waiter.endpoint)
            waiter.granted.set_result(None)

    def _count(self, tenant: _Tenant, endpoint: _Line, waiting: int) -> None:
        self._waiting += waiting
        tenant.line.waiting += waiting
        endpoint.waiting += waiting

    def _forget(self, client_id: str, webhook_id: str) -> None:
        """Remove an idle endpoint and an idle tenant from memory, because there can be many of
        them."""
        tenant = self._tenants[client_id]
        endpoint = tenant.endpoints[webhook_id]
        if not endpoint.active and not endpoint.waiting:
            del tenant.endpoints[webhook_id]
        if not tenant.endpoints:
            del self._tenants[client_id]

    def _new_tenant(self) -> _Tenant:
        return _Tenant(_Line(self._per_tenant, self._waiting_per_tenant))

    def _new_endpoint(self) -> _Line:
        room = self._waiting_per_tenant * self._per_endpoint // self._per_tenant
        return _Line(self._per_endpoint, room)
