"""Stripe: order payments and their refunds. Stripe stores no shipments and cannot cancel orders."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Final, Self

import httpx
from pydantic import AliasPath, BaseModel, Field, ValidationError

from adapters.connectors.http import ConnectorCall, Reply, Rows, verifying
from domain.core.errors import InvalidInput
from domain.core.money import Money
from domain.integrations.errors import ActionRefused, ActionUnknown, ActionUnreachable
from domain.integrations.integration import Integration
from domain.integrations.order import Order, OrderState
from domain.integrations.providers import Provider
from domain.integrations.stripe_payment import NUMBER_KEYS, money_of, number_in, units_of

_URL: Final = "https://api.stripe.com"
# Stripe's response formats depend on this version. Without it, Stripe would use the version
# configured in the account.
_VERSION: Final = "2024-06-20"
_NUMBER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,49}", re.ASCII)
_OUR_KEY: Final = "action_key"
_PAGE: Final = 100
_NOT_MOVED: Final = frozenset({"failed", "canceled"})

_Amount = Annotated[int, Field(ge=0, le=10**10)]


class _Charge(BaseModel):
    captured: _Amount = Field(alias="amount_captured")
    refunded: _Amount = Field(alias="amount_refunded")
    disputed: bool
    email: str | None = Field(default=None, validation_alias=AliasPath("billing_details", "email"))


class _Payment(BaseModel):
    """A payment. Stripe calls it a PaymentIntent."""

    id: str
    amount: _Amount
    currency: str = Field(pattern="^[a-z]{3}$")
    status: str
    created: int = Field(ge=0, le=10**11, description="Unix seconds.")
    description: str | None
    receipt_email: str | None
    metadata: dict[str, str]
    charge: _Charge | None = Field(alias="latest_charge")

    @property
    def number(self) -> str:
        return number_in(self.metadata)

    def order(self, integration_id: str) -> Order:
        """Return the payment in the order format shared by all shops."""
        charge = self.charge
        # A disputed payment has no refundable amount, because the dispute may already have returned
        # the money.
        left = 0 if charge is None or charge.disputed else charge.captured - charge.refunded
        return Order(
            integration_id=integration_id,
            provider=Provider.STRIPE,
            id=self.id,
            number=self.number,
            customer_email=(charge and charge.email) or self.receipt_email,
            state=OrderState.CANCELLED if self.status == "canceled" else OrderState.UNKNOWN,
            total=_money(self.amount, self.currency),
            refundable=_money(max(left, 0), self.currency),
            placed_at=datetime.fromtimestamp(self.created, UTC),
            note=self.description or "",
        )


class _Payments(BaseModel):
    data: Rows[_Payment]


class _Refund(BaseModel):
    id: str
    status: str | None
    metadata: dict[str, str] = {}


class _Refunds(BaseModel):
    data: Rows[_Refund]
    has_more: bool


class _Account(BaseModel):
    id: str = Field(max_length=255)


class _Failure(BaseModel):
    kind: str | None = Field(default=None, validation_alias=AliasPath("error", "type"))
    code: str | None = Field(default=None, validation_alias=AliasPath("error", "code"))


class Stripe:
    """A Stripe account. An order is a payment with `order_number` or `order_id` in its metadata.
    Cancellation is not supported, because it would not stop the parcel."""

    def __init__(
        self, http: httpx.AsyncClient, base_url: str, api_key: str, integration_id: str
    ) -> None:
        self._http = http
        self._base_url = base_url
        self._api_key = api_key
        self._integration_id = integration_id

    @classmethod
    def of(
        cls, integration: Integration, credentials: Mapping[str, str], http: httpx.AsyncClient
    ) -> Self:
        """Return the connector for an integration. `api_key`: preferably a restricted key (`rk_…`)
        with permission to read payments and write refunds."""
        base_url = integration.base_url(_URL)
        return cls(http, base_url, credentials["api_key"], integration.id)

    async def find_order(self, number: str | None, email: str | None) -> Order | None:
        """Return the order with that number, or None.

        Return None without a number, because payments cannot be searched by customer. A new payment
        may take a minute to appear.
        """
        wanted = (number or "").strip().removeprefix("#")
        if not _NUMBER.fullmatch(wanted):
            return None
        query = " OR ".join(
            f"metadata['{key}']:'{prefix}{wanted}'" for key in NUMBER_KEYS for prefix in ("", "#")
        )
        request = self._http.build_request(
            "GET",
            f"{self._base_url}/v1/payment_intents/search",
            params={"query": query, "limit": "20", "expand[]": "data.latest_charge"},
            headers=self._headers,
        )
        found = await ConnectorCall(self._http).read(request, _Payments)
        called_so = [one for one in found.data if one.number.casefold() == wanted.casefold()]
        if not called_so:
            return None
        # Several payments may have this order number: failed payments, and payments at another
        # shop. Prefer this customer's latest successful payment.
        orders = {one.id: one.order(self._integration_id) for one in called_so}
        best = max(
            called_so,
            key=lambda one: (
                orders[one.id].belongs_to(email),
                one.status == "succeeded",
                one.created,
            ),
        )
        return orders[best.id]

    async def account(self) -> str:
        """Return the id of the Stripe account that the API key belongs to."""
        url = f"{self._base_url}/v1/account"
        request = self._http.build_request("GET", url, headers=self._headers)
        return (await ConnectorCall(self._http).read(request, _Account)).id

    async def refund(self, order: Order, amount: Money, key: str, *, again: bool) -> str:
        """Refund `amount` of the payment, and return the refund's id.

        Stripe deduplicates by `key` for a day. Later, a refund with `key` in its metadata shows
        that it was made.
        """
        if amount.currency != order.total.currency or amount.minor == 0:
            raise ActionRefused("nothing to refund in this currency", sent=False)
        exchange = ConnectorCall(self._http)
        done = await self._find_refund(exchange, order, key) if again else None
        if done is None:
            request = self._http.build_request(
                "POST",
                f"{self._base_url}/v1/refunds",
                data={
                    "payment_intent": order.id,
                    "amount": str(_units(amount)),
                    "reason": "requested_by_customer",
                    f"metadata[{_OUR_KEY}]": key,
                },
                headers={**self._headers, "idempotency-key": key},
            )
            done = await exchange.effect(request, _Refund, doubted=_about_an_earlier_one)
        if done.status in _NOT_MOVED:
            raise ActionRefused("the payment cannot be refunded")
        return done.id

    async def _find_refund(self, exchange: ConnectorCall, order: Order, key: str) -> _Refund | None:
        request = self._http.build_request(
            "GET",
            f"{self._base_url}/v1/refunds",
            params={"payment_intent": order.id, "limit": str(_PAGE)},
            headers=self._headers,
        )
        with verifying():
            found = await exchange.read(request, _Refunds)
        for refund in found.data:
            if refund.metadata.get(_OUR_KEY) == key:
                return refund
        if found.has_more:
            raise ActionUnknown("more refunds than are looked at")
        return None

    @property
    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._api_key}", "stripe-version": _VERSION}


def _about_an_earlier_one(reply: Reply) -> bool:
    """Return True if Stripe rejected the request because of an earlier request with the same
    idempotency key."""
    if reply.status == 409:
        return True
    try:
        failure = _Failure.model_validate_json(reply.body)
    except ValidationError:
        return False
    return failure.kind == "idempotency_error" or failure.code == "idempotency_key_in_use"


def _money(units: int, currency: str) -> Money:
    try:
        return money_of(units, currency)
    except InvalidInput:
        raise ActionUnreachable("an amount of no known shape") from None


def _units(amount: Money) -> int:
    try:
        return units_of(amount)
    except InvalidInput:
        raise ActionRefused("an amount that Stripe cannot move", sent=False) from None
