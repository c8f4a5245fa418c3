"""A worker is killed at every step of a refund: the refund happens once, or a human decides."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from domain.integrations.integration import BASE_URL
from domain.integrations.providers import Provider
from store.runs.tables import action_ledger
from tests.support.agent.acting import CUSTOMER, acting_shop, connect, order, promising, rules
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.processes import has_ended, process
from tests.support.core.rows import only_row
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.servers.shopify import TOKEN, shopify_server
from tests.support.servers.shopify_order import Payment, ShopifyOrder
from tests.support.servers.stripe import API_KEY as STRIPE_KEY
from tests.support.servers.stripe import StripePayment, stripe_server
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.usefixtures("missed_soon")

# The first two concern the money: requested with an unknown outcome, and refunded but not recorded.
POINTS = [
    "refund-begun",
    "refund-done",
    *(
        pytest.param(point, marks=pytest.mark.slow)
        for point in (
            "before:event.look_up",
            "after:event.look_up",
            "after:event.brain",
            "before:event.execute",
            "after:event.execute",
            "after:event.persist",
        )
    ),
]
ASKED = {
    "event_type": "shopify.ticket.created",
    "customer_email": CUSTOMER,
    "message": "Bonjour, je souhaite être remboursée de ma commande n° 2001 s'il vous plaît.",
}


@pytest.fixture
async def acting(
    database_url: str, temporal: TemporalServer, mail: MailServer
) -> AsyncIterator[LiveEngine]:
    async with live_engine(
        database_url,
        temporal.address,
        temporal.take_namespace(),
        smtp_url=mail.url,
        allow_loopback_targets=True,
    ) as engine:
        yield engine


@pytest.mark.parametrize("point", POINTS)
async def test_refund_survives_a_worker_killed_at(
    acting: LiveEngine, tmp_path: Path, point: str
) -> None:
    it = await acting_shop(acting, tmp_path, [order("2001")], rules())
    await promising(acting, it.shop)

    answer = await _with_a_death(acting, it.shop, tmp_path, point)

    assert (answer["status"], answer["steps_executed"]) == ("completed", 2)
    assert it.refunded == 4_900
    refund = await only_row(acting.database, action_ledger, action="refund")
    assert (refund["state"], refund["reference"] is not None) == ("done", True)


@pytest.mark.slow
async def test_stripe_gives_back_once_though_the_worker_dies_knowing_it(
    acting: LiveEngine, tmp_path: Path
) -> None:
    payment = StripePayment("pi_1", 4_900, email=CUSTOMER, metadata={"order_number": "2001"})
    with stripe_server(payment) as stripe:
        shop = await open_shop(acting.database, rulebook=rules())
        secrets = json.dumps({"api_key": STRIPE_KEY})
        await connect(acting, shop, Provider.STRIPE, {BASE_URL: stripe.url}, secrets)
        await promising(acting, shop)

        answer = await _with_a_death(acting, shop, tmp_path, "refund-done")

        assert (answer["status"], answer["steps_executed"]) == ("completed", 2)
        assert [refund.amount for refund in stripe.refunds] == [4_900]


@pytest.mark.slow
async def test_shopify_gives_back_once_though_the_worker_dies_knowing_it(
    acting: LiveEngine, tmp_path: Path
) -> None:
    sold = ShopifyOrder("#2001", CUSTOMER, [Payment("t1", 4_900)])
    with shopify_server(sold) as shopify:
        shop = await open_shop(acting.database, rulebook=rules())
        settings = {"shop": "demo.myshopify.com", BASE_URL: shopify.url}
        secrets = json.dumps({"access_token": TOKEN})
        await connect(acting, shop, Provider.SHOPIFY, settings, secrets)
        await promising(acting, shop)

        answer = await _with_a_death(acting, shop, tmp_path, "refund-done")

        assert (answer["status"], answer["steps_executed"]) == ("completed", 2)
        assert len(shopify.refunds) == 1


async def _with_a_death(
    acting: LiveEngine, shop: Shop, folder: Path, point: str
) -> dict[str, object]:
    """Return the answer although the worker is killed at that point and replaced."""
    settings, allowed = acting.settings, {"ALLOW_LOOPBACK_TARGETS": "true"}
    crashing = ("-m", "tests.support.core.crashing_worker", point)
    with process("dying", *crashing, settings=settings, folder=folder, **allowed) as dying:
        call = asyncio.ensure_future(acting.post(shop, **ASKED))
        await eventually(lambda: has_ended(dying))
        assert dying.exit_code == -signal.SIGKILL
        with process("worker", "worker.py", settings=settings, folder=folder, **allowed):
            answer = await call
    assert answer.status_code == 200
    body: dict[str, object] = answer.json()
    return body
