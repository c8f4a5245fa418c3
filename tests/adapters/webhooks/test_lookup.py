"""Hanging DNS lookups: their client waits until the deadline, and other clients do not wait. A
delivery without a free thread is deferred, and does not count as a failure."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from adapters.webhooks import HttpWebhookSender
from adapters.webhooks.failures import PostFailed
from adapters.webhooks.lookup import Names
from domain.webhooks.delivery import DeliveryAttempt, FailureKind
from domain.webhooks.errors import Deferred
from tests.support.core.waiting import eventually
from tests.support.servers.tls import CertificateAuthority
from tests.support.servers.webhook_receiver import WebhookReceiver

HANGING = ".hanging.example"


class BlackHole:
    """Name servers that do not respond for `*.hanging.example` until `let_go`."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.let_go = threading.Event()
        self._lock = threading.Lock()
        self._waiting = 0
        self.most_waiting = 0

    def __call__(self, name: str) -> Sequence[str]:
        with self._lock:
            self.asked[name] += 1
        if name.endswith(HANGING):
            with self._lock:
                self._waiting += 1
                self.most_waiting = max(self.most_waiting, self._waiting)
            self.let_go.wait(30)
            with self._lock:
                self._waiting -= 1
        return ["127.0.0.1"]

    async def empty(self) -> None:
        async def nobody() -> bool:
            return self._waiting == 0

        await eventually(nobody)


@pytest.fixture
def hole() -> Iterator[BlackHole]:
    found = BlackHole()
    yield found
    found.let_go.set()


PUT_OFF = "put off"


async def look_up(names: Names, client_id: str, name: str) -> Sequence[str]:
    return await names.found(await names.begin(client_id, name))


async def kind_of(names: Names, client_id: str, name: str) -> FailureKind | str | None:
    try:
        await look_up(names, client_id, name)
    except PostFailed as failed:
        return failed.kind
    except Deferred:
        return PUT_OFF
    return None


async def test_a_clients_hanging_names_take_four_threads_and_no_more(hole: BlackHole) -> None:
    names = Names(hole, 0.2, patience_s=0.1)
    kinds = await asyncio.gather(
        *(kind_of(names, "a", f"{number}{HANGING}") for number in range(20))
    )
    assert Counter(kinds) == {FailureKind.DNS: 4, PUT_OFF: 16}
    assert hole.most_waiting == 4
    # The client's other names are not looked up until a thread is free …
    assert await kind_of(names, "a", "good.example") is PUT_OFF
    # … but another client's names are.
    assert await kind_of(names, "b", "good.example") is None
    hole.let_go.set()
    await hole.empty()
    assert await kind_of(names, "a", "good.example") is None


async def test_all_clients_together_take_so_many_threads_and_no_more(hole: BlackHole) -> None:
    names = Names(hole, 0.2, threads=6, patience_s=0.1)

    kinds = await asyncio.gather(
        *(kind_of(names, client, f"{number}{HANGING}") for client in "abc" for number in range(4))
    )

    assert Counter(kinds) == {FailureKind.DNS: 6, PUT_OFF: 6}
    hole.let_go.set()
    await hole.empty()
    assert {await kind_of(names, client, "good.example") for client in "abcd"} == {None}


async def test_the_wait_for_a_thread_does_not_count(
    hole: BlackHole, authority: CertificateAuthority, receiver: WebhookReceiver
) -> None:
    sender = HttpWebhookSender(
        allow_private=True, ca_file=authority.file, look_up=hole, budget_s=20, lookup_s=20
    )

    def post(host: str) -> "asyncio.Task[DeliveryAttempt]":
        url = receiver.url_of(host)
        return asyncio.create_task(sender.post(url, {}, b"{}", client_id="a"))

    hanging = [post(f"{number}.x{HANGING}") for number in range(4)]

    async def taken() -> bool:
        return hole.most_waiting == 4

    await eventually(taken)
    waiting = post("hooks.shop.example")
    began = time.monotonic()
    await asyncio.sleep(0.5)  # the time that must not count
    assert not waiting.done()
    hole.let_go.set()
    done = await waiting
    waited_ms = (time.monotonic() - began) * 1000
    assert done.failure is None
    assert done.duration_ms < waited_ms - 400
    await asyncio.gather(*hanging)


async def test_one_name_is_looked_up_once_at_a_time(hole: BlackHole) -> None:
    names = Names(hole, 0.2)
    name = f"one{HANGING}"
    kinds = await asyncio.gather(*(kind_of(names, "a", name) for _ in range(20)))
    assert set(kinds) == {FailureKind.DNS}
    assert hole.asked[name] == 1
    # A request during the lookup receives its result.
    asking = asyncio.create_task(look_up(names, "a", name))
    await asyncio.sleep(0)
    hole.let_go.set()
    assert await asking == ["127.0.0.1"]
    assert hole.asked[name] == 1
    # Later requests look the name up again: nothing is cached.
    assert await kind_of(names, "a", name) is None
    assert hole.asked[name] == 2


async def test_one_tenants_black_hole_does_not_delay_another(
    hole: BlackHole, authority: CertificateAuthority, receiver: WebhookReceiver
) -> None:
    sender = HttpWebhookSender(
        allow_private=True, ca_file=authority.file, look_up=hole, budget_s=20, lookup_s=2
    )

    async def post(client_id: str, host: str) -> tuple[FailureKind | None, int]:
        done = await sender.post(receiver.url_of(host), {}, b"{}", client_id=client_id)
        return done.failure, done.duration_ms

    hanging = [asyncio.create_task(post("a", f"{number}.x{HANGING}")) for number in range(30)]

    async def taken() -> bool:
        return hole.most_waiting == 4

    await eventually(taken)
    for _ in range(10):
        failure, duration_ms = await post("b", "hooks.shop.example")
        assert failure is None
        assert duration_ms < 1900
    looked_up, waiting = hanging[:4], hanging[4:]
    for failure, duration_ms in await asyncio.gather(*looked_up):
        assert failure is FailureKind.DNS
        assert 2000 <= duration_ms < 4000
    assert hole.most_waiting == 4
    hole.let_go.set()
    # They reach the receiver, whose certificate is for another name.
    assert {failure for failure, _ in await asyncio.gather(*waiting)} == {FailureKind.TLS}
