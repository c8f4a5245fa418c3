"""Which deliveries are deferred during a failure of our own network, and for how long. The tests
control the clock."""

from functools import partial

import pytest

from activities.webhooks.network_self_check import FIRST_WAIT_S, NetworkSelfCheck
from domain.webhooks.breaker import OwnPart
from domain.webhooks.delivery import DeliveryAttempt, DeliveryStatus, FailureKind
from domain.webhooks.errors import Deferred
from tests.support.webhooks.sending import Time

NO_NAME = DeliveryAttempt(FailureKind.DNS, 3000)
NO_WAY = DeliveryAttempt(FailureKind.CONNECT, 10, dns_ms=1, remote_ip="93.184.216.34")
ANSWERED = DeliveryAttempt(None, 10, dns_ms=1, connect_ms=2, remote_ip="93.184.216.34")


class Told:
    """Records the notifications of the self-check."""

    def __init__(self) -> None:
        self.failing: list[tuple[OwnPart, bool]] = []

    def tried(self, status: DeliveryStatus, attempt: DeliveryAttempt | None) -> None:
        pass

    def part_failing(self, part: OwnPart, *, failing: bool) -> None:
        self.failing.append((part, failing))


def url_of(client: int) -> str:
    return f"https://hooks.shop{client}.example/in"


async def judged(network: NetworkSelfCheck, client: int, done: DeliveryAttempt) -> bool:
    """Return whether the failure is attributed to the receiver."""
    try:
        await network.judge(f"client {client}", url_of(client), done, tries=1)
    except Deferred:
        return False
    return True


async def admitted(network: NetworkSelfCheck, client: int, url: str = "") -> bool:
    try:
        network.admit(f"client {client}", url or url_of(client), tries=1)
    except Deferred:
        return False
    return True


@pytest.mark.parametrize(("done", "part"), [(NO_NAME, OwnPart.NAMES), (NO_WAY, OwnPart.NETWORK)])
async def test_the_fifth_client_is_not_counted(done: DeliveryAttempt, part: OwnPart) -> None:
    told = Told()
    network = NetworkSelfCheck(None, told, clock=Time())

    assert [await judged(network, client, done) for client in range(6)] == [True] * 4 + [False] * 2
    assert told.failing == [(part, True)]
    assert not await admitted(network, 0)
    assert await admitted(network, 7)


async def test_what_has_another_cause_is_counted_all_the_same() -> None:
    network = NetworkSelfCheck(None, Told(), clock=Time())
    for client in range(6):
        await judged(network, client, NO_NAME)

    refused = DeliveryAttempt(FailureKind.HTTP_5XX, 10, dns_ms=1, connect_ms=2)
    assert await judged(network, 7, refused)
    # A resolved name says nothing about a failing resolver.
    assert await judged(network, 8, NO_WAY)


async def test_a_url_with_an_address_needs_no_names() -> None:
    network = NetworkSelfCheck(None, Told(), clock=Time())
    for client in range(6):
        await judged(network, client, NO_NAME)

    assert await admitted(network, 0, "https://93.184.216.34/in")


async def test_it_closes_by_itself_and_says_so() -> None:
    told, time = Told(), Time()
    network = NetworkSelfCheck(None, told, clock=time)
    for client in range(6):
        await judged(network, client, NO_NAME)
    for client in range(6):
        await judged(network, client, ANSWERED)

    assert await admitted(network, 7)
    assert told.failing == [(OwnPart.NAMES, True), (OwnPart.NAMES, False)]


@pytest.mark.parametrize(
    ("tries", "wait_s"), [(1, FIRST_WAIT_S), (2, 30), (3, 60), (6, 300), (5000, 300)]
)
async def test_waits_grow_and_have_an_end(tries: int, wait_s: float) -> None:
    for randomness in (0.0, 1.0):
        network = NetworkSelfCheck(
            None, Told(), clock=Time(), randomness=partial(float, randomness)
        )
        for client in range(5):
            await judged(network, client, NO_NAME)
        with pytest.raises(Deferred) as put_off:
            await network.judge("client 0", url_of(0), NO_NAME, tries=tries)
        assert put_off.value.retry_after_s == wait_s * (1 - randomness / 2)


@pytest.mark.parametrize("known", [True, False])
async def test_the_canary_is_believed_once_it_was_found(*, known: bool) -> None:
    answers = iter([known, False])

    async def canary() -> bool:
        return next(answers)

    network = NetworkSelfCheck(canary, Told(), clock=Time())
    await network.begin()

    assert await judged(network, 1, NO_NAME) is not known
