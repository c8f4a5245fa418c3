"""The installation's own Shopify app signs for all shops, and signs only the body."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from adapters.system import new_ulid, utc_now
from domain.intake.rate_limit import Limit, LimitScope
from domain.integrations.providers import Provider
from domain.tenants.client import Plan
from store.inbound import webhooks
from store.integrations.integrations import IntegrationRepository
from tests.api.inbound.test_inbound_addresses import APP, RECEIVED, REFUSED, app_secrets, by_app
from tests.support.core.engine import LiveEngine
from tests.support.inbound.arriving import order_of, status_of, taken
from tests.support.inbound.stored import listen_to
from tests.support.intake.admission import on_plan
from tests.support.tenants.shop import Shop

__all__ = ["app_secrets"]


@pytest.fixture
async def name(app_secrets: LiveEngine, shop: Shop) -> str:
    """The domain of the client's shop, which its own credentials have opened."""
    made = f"{new_ulid().lower()}.myshopify.com"
    async with app_secrets.database.tenant(shop.tenant) as connection:
        here = await listen_to(connection, shop.tenant, Provider.SHOPIFY)
        await IntegrationRepository(connection, shop.tenant).prove(here, made)
    return made


async def sent(front: LiveEngine, shop: Shop, *requests: dict[str, Any]) -> list[tuple[int, str]]:
    return [status_of(await front.http.post(APP, **one)) for one in requests]


@pytest.mark.parametrize(
    "text",
    [
        b"host=YWRtaW4&shop=attacker.myshopify.com&timestamp=1337178173",
        b' {"shop_domain":"%s"}',
        b"[]",
        b"",
    ],
)
async def test_a_signed_text_that_is_no_webhook(
    app_secrets: LiveEngine, shop: Shop, name: str, text: bytes
) -> None:
    """Attack: the parameters of a link that the app signed are sent as webhooks of another shop,
    each with a new id."""
    body = text.replace(b"%s", name.encode())
    answers = await sent(app_secrets, shop, *(by_app(body, name) for _ in range(3)))
    assert answers == [REFUSED] * 3
    assert await taken(app_secrets, shop) == []


@pytest.mark.parametrize(
    ("topic", "body"),
    [
        ("orders/updated", order_of("attacker.myshopify.com")),
        ("orders/updated", order_of("shop.example")),
        ("orders/updated", {"id": 7}),
        ("orders/updated", {"id": 7, "order_status_url": "https://[/"}),
        ("orders/delete", {"id": 7}),
        ("fulfillments/update", {"id": 7, "order_id": 8}),
        ("customers/redact", {"customer": {"email": "victim@example.com"}}),
        ("carts/update", {"id": "a"}),
    ],
)
async def test_a_body_of_another_shop(
    app_secrets: LiveEngine, shop: Shop, name: str, topic: str, body: dict[str, Any]
) -> None:
    """Attack: a body that was signed for one's own shop is sent with another shop's header."""
    assert await sent(app_secrets, shop, by_app(body, name, topic=topic)) == [RECEIVED]
    assert await taken(app_secrets, shop) == []


async def test_one_signed_body_is_one_webhook(
    app_secrets: LiveEngine, shop: Shop, name: str
) -> None:
    """Attack: one signed body is sent under new ids, names and topics until the day is full."""
    order = order_of(name)
    topics = ("orders/updated", "orders/updated", "a/a", "a/b", "a/c")
    requests = [by_app(order, name, topic=topic) for topic in topics]
    for number, one in enumerate(requests):
        one["headers"] |= {"x-shopify-name": f"n{number}", "x-shopify-webhook-id": new_ulid()}
    assert await sent(app_secrets, shop, *requests) == [RECEIVED] * 5
    kept = await taken(app_secrets, shop)
    assert [(row["topic"], row["duplicates"]) for row in kept] == [
        ("orders/updated", 1),
        ("a/a", 2),
    ]


async def test_a_compliance_request_counts_once_a_day(
    app_secrets: LiveEngine, shop: Shop, name: str
) -> None:
    """Shopify sends the same bytes again if the customer is to be erased again."""
    redact = by_app({"shop_domain": name, "customer": {"id": 1}}, name, topic="customers/redact")
    await sent(app_secrets, shop, redact, redact)
    resources = app_secrets.app.state.resources
    tomorrow = utc_now() + timedelta(days=1)
    app_secrets.app.state.resources = replace(resources, now=lambda: tomorrow)
    await sent(app_secrets, shop, redact)
    assert [row["duplicates"] for row in await taken(app_secrets, shop)] == [1, 0]


async def test_orders_leave_room_for_compliance_requests(
    app_secrets: LiveEngine, shop: Shop, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "DAY_ROWS_WITHOUT_PLAN", 2)
    await on_plan(app_secrets.database, shop, Plan.FREE)
    redact = by_app({"shop_domain": name}, name, topic="customers/redact")
    orders = [by_app(order_of(name, note=str(number)), name) for number in range(2)]
    busy = (503, "inbound_busy")
    assert await sent(app_secrets, shop, *orders, redact) == [RECEIVED, busy, RECEIVED]


async def test_accepted_requests_are_limited_by_address(
    app_secrets: LiveEngine, shop: Shop, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limiter = app_secrets.app.state.resources.limiter
    few = {LimitScope.INBOUND_APP: Limit(LimitScope.INBOUND_APP, 2)}
    monkeypatch.setattr(limiter, "_limits", {**limiter._limits, **few})
    order = by_app(order_of(name), name)
    limited = (429, "too_many_requests")
    assert await sent(app_secrets, shop, *[order] * 3) == [RECEIVED, RECEIVED, limited]
