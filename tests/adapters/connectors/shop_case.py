"""Connectors over a network, as their tests see them: one paid order, and possible failures."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import pytest

from adapters.connectors.shopify import Shopify
from adapters.connectors.stripe import Stripe
from adapters.connectors.woocommerce import WooCommerce
from domain.core.money import Money
from domain.integrations.integration import Integration
from domain.integrations.order import Order
from domain.integrations.ports import Shop
from domain.integrations.providers import Provider
from tests.support.agent.orders import an_order
from tests.support.servers import shopify, stripe, woocommerce
from tests.support.servers.http_service import Fault
from tests.support.servers.shopify_order import Payment, ShopifyOrder

KEY = "3f2b7c1e-0000-5000-8000-000000000001"
CUSTOMER = "lea@example.com"
PART = Money(minor=1500, currency="EUR")
SLOW = (Fault.HANG, Fault.DRIP)
# Failures that only the deadline ends.
_WAITED_FOR = (*SLOW, Fault.LATE)
QUICK = [fault for fault in Fault if fault not in SLOW]


@contextmanager
def patience_for(fault: Fault) -> Iterator[None]:
    """Return the timeout; shorter for calls that only the deadline ends."""
    with pytest.MonkeyPatch.context() as patch:
        if fault in _WAITED_FOR:
            patch.setattr("adapters.connectors.http.CALL_S", 1.5)
            patch.setattr("adapters.connectors.http.READ_S", 1.0)
        yield


@dataclass(frozen=True)
class Case:
    """A shop with one paid order, number 1001 over 49.90 EUR. `read`, `verify` and `act`: how its
    server distinguishes a lookup, a refund check and a refund."""

    server: shopify.ShopifyServer | stripe.StripeServer | woocommerce.WooCommerceServer
    integration: Integration
    credentials: dict[str, str]
    make: Callable[[Integration, dict[str, str], httpx.AsyncClient], Shop]
    order_id: str
    moved: Callable[[], list[int]]
    read: str
    verify: str
    act: str

    @property
    def order(self) -> Order:
        return an_order(id=self.order_id, customer_email=CUSTOMER)


@contextmanager
def shopify_case() -> Iterator[Case]:
    payments = [Payment("gid://shopify/OrderTransaction/1", 4990)]
    order = ShopifyOrder("#1001", CUSTOMER, payments)
    with shopify.shopify_server(order) as server:
        settings = {"shop": "acme.myshopify.com", "base_url": server.url}
        yield Case(
            server,
            Integration(id="i", provider=Provider.SHOPIFY, settings=settings, sealed="sealed"),
            {"access_token": shopify.TOKEN},
            Shopify.of,
            order.id,
            lambda: [refund.minor for refund in server.refunds],
            "FindOrder",
            "Refundable",
            "Refund",
        )


@contextmanager
def stripe_case() -> Iterator[Case]:
    payment = stripe.StripePayment("pi_1", 4990, email=CUSTOMER, metadata={"order_number": "1001"})
    with stripe.stripe_server(payment) as server:
        settings = {"base_url": server.url}
        yield Case(
            server,
            Integration(id="i", provider=Provider.STRIPE, settings=settings, sealed="sealed"),
            {"api_key": stripe.API_KEY},
            Stripe.of,
            payment.id,
            lambda: [refund.amount for refund in server.refunds],
            "GET",
            "GET",
            "POST",
        )


@contextmanager
def woocommerce_case() -> Iterator[Case]:
    order = woocommerce.WooOrder(1001, 4990, CUSTOMER)
    with woocommerce.woocommerce_server(order) as server:
        settings = {"url": "https://shop.example", "base_url": server.url}
        yield Case(
            server,
            Integration(id="i", provider=Provider.WOOCOMMERCE, settings=settings, sealed="sealed"),
            {"consumer_key": woocommerce.KEY, "consumer_secret": woocommerce.SECRET},
            WooCommerce.of,
            str(order.id),
            lambda: [refund.minor for refund in server.refunds],
            "GET",
            "GET",
            "POST",
        )


# Deadlines are handled in `http.py`, so two shops are enough for these failures.
FAULTS = [
    *((shop, fault) for shop in (shopify_case, stripe_case) for fault in Fault),
    *((woocommerce_case, fault) for fault in QUICK),
]
