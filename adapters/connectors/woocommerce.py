"""WooCommerce's REST API: the orders, refunds and cancellations in one shop."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Final, Self, TypeVar

import httpx
from pydantic import AfterValidator, BaseModel, Field, RootModel

from adapters.connectors.http import ConnectorCall, Rows, verifying
from domain.core.errors import InvalidInput
from domain.core.money import Money
from domain.integrations.errors import ActionRefused, ActionUnknown, ActionUnreachable
from domain.integrations.integration import Integration
from domain.integrations.order import Order, OrderState
from domain.integrations.providers import Provider
from domain.integrations.woocommerce_status import state_in

_API: Final = "/wp-json/wc/v3"
_NUMBER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,49}", re.ASCII)
_ID: Final = re.compile("[1-9][0-9]{0,18}", re.ASCII)
_PAGE: Final = 100
_SEARCHED: Final = 20
Listed = TypeVar("Listed", bound=BaseModel)
_STOPPED: Final = frozenset({"cancelled", "refunded"})


def _in_utc(time: datetime) -> datetime:
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time


_Gmt = Annotated[datetime, AfterValidator(_in_utc)]
_Amount = Annotated[str, Field(max_length=40)]


class _Billing(BaseModel):
    email: str | None = None


class _Item(BaseModel):
    name: str
    quantity: int


class _RefundLine(BaseModel):
    """A refund in an order's refund list. `total` is a negative amount."""

    total: _Amount


class _Order(BaseModel):
    id: int
    number: str
    status: str
    currency: str = Field(pattern="^[A-Za-z]{3}$")
    total: _Amount
    created: _Gmt = Field(alias="date_created_gmt")
    paid: _Gmt | None = Field(default=None, alias="date_paid_gmt")
    billing: _Billing
    items: Rows[_Item] = Field(alias="line_items")
    refunds: Rows[_RefundLine] = ()
    note: str = Field(default="", alias="customer_note")

    def order(self, integration_id: str) -> Order:
        """Return the order in the format shared by all shops. An unpaid order has no refundable
        amount."""
        total = self._money(self.total)
        back = sum(self._money(one.total.strip().removeprefix("-")).minor for one in self.refunds)
        left = max(total.minor - back, 0) if self.paid is not None else 0
        return Order(
            integration_id=integration_id,
            provider=Provider.WOOCOMMERCE,
            id=str(self.id),
            number=self.number.removeprefix("#"),
            customer_email=self.billing.email or None,
            state=state_in(self.status),
            total=total,
            refundable=Money(minor=left, currency=total.currency),
            placed_at=self.created,
            items=tuple(f"{item.quantity} × {item.name}" for item in self.items),
            note=self.note,
        )

    def _money(self, amount: str) -> Money:
        try:
            return Money.parse(amount, self.currency)
        except InvalidInput:
            raise ActionUnreachable("an amount of no known shape") from None


class _Orders(RootModel[Rows[_Order]]):
    pass


class _Refund(BaseModel):
    """A refund for an order. `is_paid_back` is False until the payment provider returns the money.
    If it declines, WooCommerce deletes the refund."""

    id: int
    reason: str = ""
    is_paid_back: bool = Field(default=False, alias="refunded_payment")


class _Refunds(RootModel[Rows[_Refund]]):
    pass


class WooCommerce:
    """A WooCommerce shop. `http` must be a guarded client because the merchant chooses the host.

    The API has no idempotency keys. The refund's reason contains the key, by which a retry finds an
    earlier attempt.
    """

    def __init__(
        self, http: httpx.AsyncClient, base_url: str, keys: tuple[str, str], integration_id: str
    ) -> None:
        """Create the connector. `keys` is the consumer key and the consumer secret for
        WooCommerce's REST API."""
        self._http = http
        self._orders = f"{base_url}{_API}/orders"
        self._auth = httpx.BasicAuth(*keys)
        self._integration_id = integration_id

    @classmethod
    def of(
        cls, integration: Integration, credentials: Mapping[str, str], http: httpx.AsyncClient
    ) -> Self:
        """Return the connector for an integration. Its consumer key needs read and write
        permission."""
        base_url = integration.base_url(integration.settings["url"].rstrip("/"))
        keys = (credentials["consumer_key"], credentials["consumer_secret"])
        return cls(http, base_url, keys, integration.id)

    async def find_order(self, number: str | None, email: str | None) -> Order | None:
        """Return the order with that number or id, or None. Without either, return the customer's
        latest order."""
        if number is not None:
            return await self._find_by_number(number.strip().removeprefix("#"))
        if email is not None and email.isprintable():
            found = await self._find(ConnectorCall(self._http), search=email)
            return next((one for one in found if one.belongs_to(email)), None)
        return None

    async def list_orders(self, query: Mapping[str, str], shape: type[Listed]) -> Listed:
        """Return the shop's orders that match the query. Raises ActionRefused,
        ActionUnreachable."""
        request = self._request("GET", params=query)
        return await ConnectorCall(self._http).read(request, shape)

    async def refund(self, order: Order, amount: Money, key: str, *, again: bool) -> str:
        """Refund `amount` using the order's payment method, and return the refund's id."""
        if amount.currency != order.total.currency or amount.minor == 0:
            raise ActionRefused("nothing to refund in this currency", sent=False)
        exchange = ConnectorCall(self._http)
        now, done = await self._seen(exchange, order, key, again=again)
        if done is not None:
            return done
        # The amount is checked here because WooCommerce reports an excessive refund as an internal
        # error.
        if amount.minor > now.order(self._integration_id).refundable.minor:
            raise ActionRefused("more than the order has left to refund")
        return await self._refund(exchange, order, amount, key)

    async def cancel(self, order: Order, key: str, *, again: bool) -> str:
        """Cancel the order, restock its goods, refund the remaining amount, and return the order's
        id. Raises ActionRefused if it was shipped, or cancelled elsewhere."""
        exchange = ConnectorCall(self._http)
        now, done = await self._seen(exchange, order, key, again=again)
        is_stopped = now.status in _STOPPED
        if not (is_stopped and again) and state_in(now.status) is not OrderState.OPEN:
            raise ActionRefused("the order cannot be stopped any more")
        if not is_stopped:
            request = self._request("PUT", f"/{now.id}", json={"status": "cancelled"})
            await exchange.effect(request, _Order)
        left = now.order(self._integration_id).refundable
        if done is None and left.minor:
            try:
                await self._refund(exchange, order, left, key)
            except (ActionRefused, ActionUnreachable) as error:
                # The order is already cancelled but not refunded. ActionUnknown makes a human agent
                # check it.
                raise ActionUnknown("cancelled, and not given back") from error
        return order.id

    async def _seen(
        self, exchange: ConnectorCall, order: Order, key: str, *, again: bool
    ) -> tuple[_Order, str | None]:
        """Return the current order. On a retry, also return the refund id from the earlier attempt,
        or None."""
        if not again:
            return await self._one(exchange, order), None
        with verifying():
            done = await self._find_refund(exchange, order, key)
            return await self._one(exchange, order), done

    async def _find_by_number(self, number: str) -> Order | None:
        if not _NUMBER.fullmatch(number):
            return None
        exchange = ConnectorCall(self._http)
        # An order's number is its id, unless the shop uses its own numbering.
        by_id = await self._find(exchange, include=number) if _ID.fullmatch(number) else ()
        found = [one for one in by_id if one.number == number]
        if not found:
            searched = await self._find(exchange, search=number)
            called_so = [one for one in searched if one.number.casefold() == number.casefold()]
            found = called_so or list(by_id)
        return next(iter(found), None)

    async def _find(self, exchange: ConnectorCall, **wanted: str) -> tuple[Order, ...]:
        """Return the orders that match the search, newest first."""
        params = {**wanted, "per_page": str(_SEARCHED), "orderby": "date", "order": "desc"}
        found = await exchange.read(self._request("GET", params=params), _Orders)
        return tuple(one.order(self._integration_id) for one in found.root)

    async def _one(self, exchange: ConnectorCall, order: Order) -> _Order:
        return await exchange.read(self._request("GET", f"/{_path_id(order)}"), _Order)

    async def _find_refund(self, exchange: ConnectorCall, order: Order, key: str) -> str | None:
        path = f"/{_path_id(order)}/refunds"
        request = self._request("GET", path, params={"per_page": str(_PAGE)})
        found = (await exchange.read(request, _Refunds)).root
        done = next((one for one in found if key in one.reason), None)
        if done is None and len(found) == _PAGE:
            raise ActionUnknown("more refunds than are looked at")
        if done is not None and not done.is_paid_back:
            raise ActionUnknown("written down, and not given back yet")
        return None if done is None else str(done.id)

    async def _refund(self, exchange: ConnectorCall, order: Order, amount: Money, key: str) -> str:
        request = self._request(
            "POST",
            f"/{_path_id(order)}/refunds",
            json={
                "amount": amount.decimal(),
                "reason": f"Refunded by the support agent, {key}",
                # By default, WooCommerce sends the refund to the payment provider. The parameter is
                # set explicitly so that a refund is never only recorded.
                "api_refund": True,
                # The goods are not restocked, because the customer still has them.
                "api_restock": False,
            },
        )
        return str((await exchange.effect(request, _Refund)).id)

    def _request(
        self,
        method: str,
        path: str = "",
        *,
        params: Mapping[str, str] | None = None,
        json: Mapping[str, object] | None = None,
    ) -> httpx.Request:
        request = self._http.build_request(
            method, f"{self._orders}{path}", params=params, json=json
        )
        # The credentials are added here because passing `auth` would start httpx's own
        # authentication flow.
        return next(self._auth.auth_flow(request))


def _path_id(order: Order) -> str:
    if not _ID.fullmatch(order.id):
        raise ActionRefused("the shop has no such order")
    return order.id
