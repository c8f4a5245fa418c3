"""Stripe Checkout for the service's own account: payment pages for plans and credits.

Stripe's library would use 31 MB for three calls, and slow down each process's start. With httpx,
calls end by our deadline and report whether they may have had an effect.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final

import httpx
from pydantic import BaseModel, Field

from adapters.connectors.http import ConnectorCall, Reply
from domain.billing.checkout import Checkout
from domain.billing.errors import PaymentsUnreachable
from domain.billing.ports import OpenedCheckout
from domain.core.money import Money
from domain.integrations.errors import ActionRefused, ActionUnknown, ActionUnreachable
from settings.payments import PaymentSettings

# Stripe's response formats depend on this version. Without it, Stripe would use the version
# configured in the account.
_VERSION: Final = "2024-06-20"
_OVER: Final = frozenset({"canceled", "incomplete_expired"})
_PLAN: Final = "Abonnement mensuel"
_REST: Final = "Abonnement, mois en cours"


class _Session(BaseModel):
    id: str
    url: str


class _Price(BaseModel):
    product: str


class _Item(BaseModel):
    id: str
    price: _Price


class _Items(BaseModel):
    data: tuple[_Item, ...] = Field(min_length=1)


class _Subscription(BaseModel):
    id: str
    status: str
    items: _Items


class _Done(BaseModel):
    """A Stripe response. Only its id is used."""

    id: str


class StripeCheckout:
    """Stripe's payment pages. `return_url` is the URL that the browser returns to after payment."""

    def __init__(
        self, http: httpx.AsyncClient, base_url: str, secret_key: str, return_url: str
    ) -> None:
        self._http = http
        self._base_url = base_url
        self._secret_key = secret_key
        self._return_url = return_url

    async def open(self, checkout: Checkout) -> OpenedCheckout:
        """Open a payment page. Stripe deduplicates by the checkout's id for a day. Raises
        PaymentsUnreachable."""
        page = self._page(checkout)
        request = self._request("POST", "/v1/checkout/sessions", page, key=checkout.id)
        with _only_unreachable():
            call = ConnectorCall(self._http)
            try:
                session = await call.effect(request, _Session, doubted=_in_use)
            except ActionUnknown:
                # A retry with the same key returns the same page, even if the first attempt
                # succeeded.
                session = await call.effect(request, _Session, doubted=_in_use)
        return OpenedCheckout(session.id, session.url)

    async def renew(self, subscription_id: str, monthly: Money | None) -> None:
        """Change the subscription's price starting next month, or end the subscription at that time
        if `monthly` is None. The current month is not billed again. Raises PaymentsUnreachable."""
        path = f"/v1/subscriptions/{subscription_id}"
        with _only_unreachable():
            call = ConnectorCall(self._http)
            change = {"cancel_at_period_end": "true"}
            if monthly is not None:
                found = await call.read(self._request("GET", path), _Subscription)
                item = found.items.data[0]
                change = {
                    "cancel_at_period_end": "false",
                    "proration_behavior": "none",
                    "items[0][id]": item.id,
                    "items[0][price_data][product]": item.price.product,
                    **_monthly("items[0][price_data]", monthly),
                }
            await call.effect(self._request("POST", path, change), _Done)

    async def end(self, subscription_id: str) -> None:
        """End the subscription now. Do nothing if it has already ended, because Stripe would reject
        the request. Raises PaymentsUnreachable."""
        path = f"/v1/subscriptions/{subscription_id}"
        with _only_unreachable():
            call = ConnectorCall(self._http)
            found = await call.read(self._request("GET", path), _Subscription)
            if found.status not in _OVER:
                await call.effect(self._request("DELETE", path), _Done)

    def _page(self, checkout: Checkout) -> dict[str, str]:
        """Return the form fields for the payment page. They are always the same for a checkout
        because Stripe requires identical parameters for the same idempotency key."""
        back = f"{self._return_url}?checkout={checkout.id}"
        ours = {"checkout_id": checkout.id, "client_id": checkout.client_id}
        form = {
            "success_url": back,
            "cancel_url": back,
            "client_reference_id": checkout.client_id,
            "expires_at": _seconds(checkout.expires_at),
            **_metadata("metadata", ours),
        }
        if checkout.customer_id is not None:
            form["customer"] = checkout.customer_id
        if checkout.monthly is None or checkout.renews_at is None:
            return {
                **form,
                "mode": "payment",
                **_line(0, f"{checkout.credits} crédits", checkout.amount),
                **_metadata("payment_intent_data[metadata]", ours),
            }
        # The payment due now is a separate line item. The subscription's full months start when its
        # trial ends.
        return {
            **form,
            "mode": "subscription",
            **_line(0, _PLAN, checkout.monthly),
            **_monthly("line_items[0][price_data]", checkout.monthly),
            **_line(1, _REST, checkout.amount),
            "subscription_data[trial_end]": _seconds(checkout.renews_at),
            **_metadata("subscription_data[metadata]", ours),
        }

    def _request(
        self, method: str, path: str, form: dict[str, str] | None = None, *, key: str | None = None
    ) -> httpx.Request:
        headers = {"authorization": f"Bearer {self._secret_key}", "stripe-version": _VERSION}
        if key is not None:
            headers["idempotency-key"] = key
        return self._http.build_request(
            method, f"{self._base_url}{path}", data=form, headers=headers
        )


def stripe_checkout(
    settings: PaymentSettings, http: httpx.AsyncClient, dashboard_url: str
) -> StripeCheckout | None:
    """Return the checkout, or None if no Stripe account is configured. After payment, the browser
    returns to the dashboard's plan page."""
    if settings.stripe_secret_key is None:
        return None
    key = settings.stripe_secret_key.get_secret_value()
    return StripeCheckout(http, settings.stripe_api_url, key, f"{dashboard_url}/billing/plan")


def _line(number: int, name: str, amount: Money) -> dict[str, str]:
    price = f"line_items[{number}][price_data]"
    return {
        f"line_items[{number}][quantity]": "1",
        f"{price}[product_data][name]": name,
        **_amount(price, amount),
    }


def _monthly(price: str, amount: Money) -> dict[str, str]:
    return {f"{price}[recurring][interval]": "month", **_amount(price, amount)}


def _amount(price: str, amount: Money) -> dict[str, str]:
    return {
        f"{price}[currency]": amount.currency.lower(),
        f"{price}[unit_amount]": str(amount.minor),
    }


def _metadata(name: str, values: dict[str, str]) -> dict[str, str]:
    return {f"{name}[{key}]": value for key, value in values.items()}


def _seconds(at: datetime) -> str:
    return str(int(at.timestamp()))


def _in_use(reply: Reply) -> bool:
    """Return whether an earlier request with the same idempotency key is still running."""
    return reply.status == 409


@contextmanager
def _only_unreachable() -> Iterator[None]:
    """Raise PaymentsUnreachable for every failure in the block. Callers can retry these calls
    because the calls charge nothing."""
    try:
        yield
    except (ActionRefused, ActionUnknown, ActionUnreachable) as error:
        raise PaymentsUnreachable(error.code) from error
