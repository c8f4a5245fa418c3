"""Delivery permits: examples, and ten minutes of a tenant with hanging receivers.

The tests control the clock and do not sleep.
"""

import heapq
import random
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest

from activities.webhooks.delivery_limiter import LONGEST_S, SHORTEST_S, DeliveryLimiter
from domain.webhooks.errors import Deferred
from tests.support.webhooks.sending import Alone, Sending, Time, end, settle

HANGING_S = 10.0
SECONDS = 600


async def send(
    delivery_limiter: DeliveryLimiter, tenant: str, endpoint: str, count: int = 1
) -> list[Sending]:
    begun = [Sending(delivery_limiter, tenant, endpoint) for _ in range(count)]
    await settle()
    return begun


def active(sent: list[Sending]) -> int:
    return sum(one.active for one in sent)


async def test_four_to_an_endpoint_eight_of_a_tenant() -> None:
    delivery_limiter = DeliveryLimiter(Alone())
    one = await send(delivery_limiter, "a", "one", 6)
    assert active(one) == 4

    two = await send(delivery_limiter, "a", "two", 4)
    three = await send(delivery_limiter, "a", "three", 1)
    assert (active(two), active(three)) == (4, 0)

    other = await send(delivery_limiter, "b", "one", 4)
    assert active(other) == 4
    await end(*one, *two, *three, *other)


async def test_hanging_endpoint_leaves_the_healthy_one_of_its_tenant_its_places() -> None:
    delivery_limiter = DeliveryLimiter(Alone())
    hanging = await send(delivery_limiter, "a", "hanging", 100)
    healthy = await send(delivery_limiter, "a", "healthy", 16)

    for _ in range(4):
        done = [one for one in healthy if one.active]
        assert len(done) == 4
        for one in done:
            one.end()
            healthy.remove(one)
        await settle()

    assert not healthy
    await end(*hanging)


async def test_freed_place_goes_to_the_endpoint_with_the_fewest_going_on() -> None:
    delivery_limiter = DeliveryLimiter(Alone())
    hanging = [
        *await send(delivery_limiter, "a", "x", 10),
        *await send(delivery_limiter, "a", "y", 10),
    ]
    late = await send(delivery_limiter, "a", "late")
    assert active(late) == 0

    hanging[0].end()
    await settle()

    assert active(late) == 1
    await end(*hanging, *late)


async def test_within_an_endpoint_first_come_first_served() -> None:
    delivery_limiter = DeliveryLimiter(Alone(), per_endpoint=1)
    sent = await send(delivery_limiter, "a", "x", 3)

    for place in range(3):
        assert [one.active for one in sent] == [at <= place for at in range(3)]
        sent[place].end()
        await settle()


async def test_puts_off_whoever_finds_no_place_to_wait() -> None:
    delivery_limiter = DeliveryLimiter(Alone(), clock=Time(), randomness=lambda: 0.0)
    sent = await send(delivery_limiter, "a", "x", 19)

    waits = [one.deferred for one in sent if one.deferred is not None]

    assert waits == [1.75, 2.5, 3.25]
    await end(*sent)


async def test_waits_of_all_tenants_together_are_limited_and_hold_nobody_up_who_need_not_wait() -> (
    None
):
    delivery_limiter = DeliveryLimiter(Alone(), waiting=3)
    a = await send(delivery_limiter, "a", "x", 7)
    b = await send(delivery_limiter, "b", "x", 5)

    assert [one.deferred is None for one in a] == [True] * 7
    assert [one.deferred is None for one in b] == [True] * 4 + [False]
    assert active(b) == 4
    await end(*a, *b)


async def test_wait_has_an_end() -> None:
    delivery_limiter = DeliveryLimiter(Alone(), longest_wait_s=0.01)
    sent = await send(delivery_limiter, "a", "x", 5)

    with pytest.raises(Deferred):
        await sent[4].task

    await end(*sent)
    assert not delivery_limiter._tenants


@pytest.mark.parametrize("randomness", [0.0, 0.5, 1.0])
async def test_waits_stay_within_their_bounds_however_many_are_put_off(randomness: float) -> None:
    delivery_limiter = DeliveryLimiter(Alone(), randomness=lambda: randomness)
    sent = await send(delivery_limiter, "a", "x", 6000)

    waits = [one.deferred for one in sent if one.deferred is not None]

    assert len(waits) == 6000 - 4 - 12
    assert min(waits) >= SHORTEST_S
    assert max(waits) <= LONGEST_S
    assert max(waits) >= LONGEST_S / 2
    await end(*sent)


@pytest.mark.parametrize("granted", [False, True])
async def test_cancelled_in_the_moment_of_its_permit_passes_it_on(*, granted: bool) -> None:
    delivery_limiter = DeliveryLimiter(Alone(), per_endpoint=1)
    async with delivery_limiter.of("a", "x"):
        second, third = await send(delivery_limiter, "a", "x", 2)
        if not granted:
            second.task.cancel()
    second.task.cancel()
    await settle()

    assert not second.active
    assert third.active
    await end(second, third)
    assert not delivery_limiter._tenants


async def test_closed_gives_no_permit_and_lets_go_on_what_goes_on() -> None:
    delivery_limiter = DeliveryLimiter(Alone())
    sent = await send(delivery_limiter, "a", "x", 6)

    delivery_limiter.close()
    await settle()
    late = await send(delivery_limiter, "b", "x")

    assert [one.deferred for one in (*sent[4:], *late)] == [SHORTEST_S] * 3
    assert not any(one.task.done() for one in sent[:4])
    await end(*sent, *late)
    assert not delivery_limiter._tenants


class Worker:
    """Simulates Temporal and its worker with a test clock: a deferred delivery returns when it is
    due, and a permitted one hangs for 10 s."""

    def __init__(self) -> None:
        self.time = Time()
        randomness = random.Random(7)
        self.delivery_limiter = DeliveryLimiter(
            Alone(), clock=self.time, randomness=randomness.random
        )
        self._due: list[tuple[float, int, Callable[[], Awaitable[None]]]] = []
        self._order = 0
        self.sent: list[Sending] = []
        self.tried: Counter[int] = Counter()
        self.ended = 0

    def at(self, seconds: float, what: Callable[[], Awaitable[None]]) -> None:
        self._order += 1
        heapq.heappush(self._due, (seconds, self._order, what))

    async def run(self, until: float) -> None:
        while self._due and self._due[0][0] <= until:
            self.time.now, _, what = heapq.heappop(self._due)
            await what()

    async def deliver(self, tenant: str, endpoint: str) -> None:
        self.tried[int(self.time.now)] += 1
        one = Sending(self.delivery_limiter, tenant, endpoint)
        await settle()
        if one.deferred is not None:
            self.at(self.time.now + one.deferred, lambda: self.deliver(tenant, endpoint))
            return
        self.sent.append(one)
        self._hang()

    def _hang(self) -> None:
        """Let the deliveries that received a permit hang for 10 s."""
        for one in [one for one in self.sent if one.active]:
            self.sent.remove(one)
            self.at(self.time.now + HANGING_S, lambda one=one: self._end(one))  # type: ignore[misc]

    async def _end(self, one: Sending) -> None:
        one.end()
        await settle()
        self.ended += 1
        self._hang()


async def test_tenant_whose_receivers_hang_holds_few_slots_and_comes_back_rarely() -> None:
    worker = Worker()

    async def other() -> None:
        one = Sending(worker.delivery_limiter, "b", "healthy")
        await settle()
        assert one.active
        await end(one)

    async def burst() -> None:
        for number in range(3000):
            await worker.deliver("a", f"hanging-{number % 200}")
        assert len(worker.delivery_limiter._tenants["a"].queue) == 24

    worker.at(0.0, burst)
    for second in range(SECONDS):
        worker.at(float(second), other)
    await worker.run(SECONDS)

    # Eight hanging deliveries run at a time. Each deferred delivery returns about once too early,
    # because the duration is unknown or an upper bound.
    assert worker.ended >= 0.95 * 8 * (SECONDS - HANGING_S) / HANGING_S
    assert max(worker.tried[second] for second in range(1, SECONDS)) <= 20
    assert sum(worker.tried[second] for second in range(1, SECONDS)) / SECONDS <= 8
