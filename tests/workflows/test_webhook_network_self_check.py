"""Our own resolver fails: deliveries wait without being counted, and all arrive afterwards."""

import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from activities.webhooks.network_self_check import WAITS_AT_MOST_S, NetworkSelfCheck
from adapters.observability.metrics import Metrics
from adapters.seal import FernetSealer
from adapters.system import utc_now
from adapters.webhooks import HttpWebhookSender
from domain.webhooks.breaker import PROBE_S
from store.webhooks.tables import webhook_deliveries, webhook_subscriptions
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.servers.webhook_receiver import WebhookReceiver
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.sending import Time
from tests.support.webhooks.webhook_engine import ended
from tests.support.webhooks.webhooks import subscribe, tell
from workers.webhooks import build_activities

pytestmark = pytest.mark.own_database

CANARY = "canary.service.example"


class Resolver:
    """`answers` False: fails like a machine's resolver. `away`: names that do not exist. `clock`:
    of the worker that uses it."""

    def __init__(self) -> None:
        self.answers = True
        self.clock = Time()
        self.away: set[str] = set()

    def heal(self) -> None:
        """Repair it, and advance the time until the next attempt."""
        self.answers = True
        self.clock.now += PROBE_S

    def __call__(self, name: str) -> Sequence[str]:
        if not self.answers:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        if name in self.away:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return ["127.0.0.1"]


@asynccontextmanager
async def delivering(
    engine: LiveEngine, resolver: Resolver, receiver: WebhookReceiver, *, canary: bool
) -> AsyncIterator[None]:
    """Run a worker with this resolver; deferred deliveries return soon."""
    sender = HttpWebhookSender(allow_private=True, ca_file=receiver.ca_file, look_up=resolver)
    built = build_activities(engine.settings, engine.worker_database, sender, engine.metrics)
    network = NetworkSelfCheck(
        _finds(sender) if canary else None, engine.metrics, first_wait_s=0.3, clock=resolver.clock
    )
    built.deliver._network = network
    engine.deliveries = type(built)(built.deliver, built.delivery_limiter, built.places, network)
    async with engine.working(), engine.delivering():
        yield


def _finds(sender: HttpWebhookSender) -> Callable[[], Awaitable[bool]]:
    async def canary() -> bool:
        return await sender.finds(CANARY)

    return canary


async def told(engine: LiveEngine, shop: Shop, receiver: WebhookReceiver, host: str) -> str:
    """Create an event for a shop whose webhook has that host. Returns the delivery's id."""
    sealer = FernetSealer(engine.settings.seal.key.get_secret_value())
    if not await rows(engine.database, webhook_subscriptions, client_id=shop.client_id):
        await subscribe(engine.database, shop, url=receiver.url_of(host), sealer=sealer)
    (delivery_id,) = await tell(engine.database, shop)
    await engine.engine.send_webhooks(shop.client_id, [delivery_id])
    return delivery_id


async def put_off(engine: LiveEngine, delivery_id: str) -> dict[str, Any]:
    async def row() -> dict[str, Any] | None:
        found = await only_row(engine.database, webhook_deliveries, id=delivery_id)
        return found if found["next_attempt_at"] is not None else None

    return await eventually(row)


async def failures(engine: LiveEngine, shop: Shop) -> int:
    count: int = (await only_row(engine.database, webhook_subscriptions, client_id=shop.client_id))[
        "failure_count"
    ]
    return count


def shown(metrics: Metrics, part: str) -> float | None:
    return metrics.registry.get_sample_value("engine_webhook_own_failure", {"part": part})


async def test_resolver_fails_and_the_canary_shows_it(
    idle_sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    resolver = Resolver()
    async with delivering(idle_sender, resolver, receiver, canary=True):
        resolver.answers = False
        delivery_id = await told(idle_sender, shop, receiver, "hooks.shop.example")
        record = await put_off(idle_sender, delivery_id)

        assert (record["status"], record["attempt"]) == ("pending", 0)
        assert await failures(idle_sender, shop) == 0
        assert shown(idle_sender.metrics, "names") == 1
        resolver.heal()
        record = await ended(idle_sender, delivery_id)

    assert (record["status"], record["attempt"]) == ("success", 1)
    assert await failures(idle_sender, shop) == 0
    assert len(receiver.seen) == 1
    assert shown(idle_sender.metrics, "names") == 0


async def test_after_a_day_a_failure_counts_whosever_it_is(
    idle_sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    resolver = Resolver()
    async with delivering(idle_sender, resolver, receiver, canary=True):
        resolver.answers = False
        deliver = idle_sender.deliveries.deliver
        delivery_id = await told(idle_sender, shop, receiver, "hooks.shop.example")
        await put_off(idle_sender, delivery_id)
        deliver._now = lambda: utc_now() + timedelta(seconds=WAITS_AT_MOST_S)
        record = await ended(idle_sender, delivery_id)

    assert (record["status"], record["failure_kind"]) == ("failed", "dns")


async def test_name_that_does_not_exist_is_counted_where_the_canary_is_found(
    idle_sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    resolver = Resolver()
    resolver.away.add("gone.shop.example")
    async with delivering(idle_sender, resolver, receiver, canary=True):
        delivery_id = await told(idle_sender, shop, receiver, "gone.shop.example")
        record = await ended(idle_sender, delivery_id)

    assert (record["status"], record["failure_kind"]) == ("failed", "dns")
    assert await failures(idle_sender, shop) == 1


async def test_canary_that_was_never_found_proves_nothing(
    idle_sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    resolver = Resolver()
    resolver.away |= {CANARY, "gone.shop.example"}
    async with delivering(idle_sender, resolver, receiver, canary=True):
        delivery_id = await told(idle_sender, shop, receiver, "gone.shop.example")
        assert (await ended(idle_sender, delivery_id))["status"] == "failed"


async def test_without_a_canary_many_clients_show_it(
    idle_sender: LiveEngine, receiver: WebhookReceiver
) -> None:
    """The first four clients' failures are counted, before it can be known."""
    resolver = Resolver()
    shops = [await open_shop(idle_sender.database) for _ in range(7)]
    async with delivering(idle_sender, resolver, receiver, canary=False):
        resolver.answers = False
        for number, shop in enumerate(shops[:4]):
            first = await told(idle_sender, shop, receiver, f"hooks.shop{number}.example")
            assert (await ended(idle_sender, first))["failure_kind"] == "dns"
        waiting = [
            await told(idle_sender, shop, receiver, "hooks.shop.example") for shop in shops[4:5]
        ]
        await put_off(idle_sender, waiting[0])
        waiting += [
            await told(idle_sender, shop, receiver, f"hooks.shop{number}.example")
            for number, shop in enumerate(shops)
        ]
        for delivery_id in waiting:
            assert (await put_off(idle_sender, delivery_id))["status"] == "pending"
        assert [await failures(idle_sender, shop) for shop in shops] == [1] * 4 + [0] * 3

        resolver.heal()
        # Its name matches the receiver's certificate.
        assert (await ended(idle_sender, waiting[0]))["status"] == "success"

        async def closed() -> bool:
            return shown(idle_sender.metrics, "names") == 0

        await eventually(closed)


async def test_a_client_with_dead_receivers_is_counted_and_holds_nobody_up(
    idle_sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    resolver = Resolver()
    resolver.away |= {f"dead.shop{number}.example" for number in range(8)}
    other = await open_shop(idle_sender.database)
    sealer = FernetSealer(idle_sender.settings.seal.key.get_secret_value())
    for number in range(8):
        url = receiver.url_of(f"dead.shop{number}.example")
        await subscribe(idle_sender.database, shop, url=url, sealer=sealer)
    async with delivering(idle_sender, resolver, receiver, canary=False):
        dead = await tell(idle_sender.database, shop)
        await idle_sender.engine.send_webhooks(shop.client_id, dead)
        for delivery_id in dead:
            assert (await ended(idle_sender, delivery_id))["status"] == "failed"
        assert shown(idle_sender.metrics, "names") != 1
        healthy = await told(idle_sender, other, receiver, "hooks.shop.example")
        assert (await ended(idle_sender, healthy))["status"] == "success"
