"""PrestaShop's Webservice API: the orders in one shop. The API does not support refunds."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final, Self, TypeVar

import httpx
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, model_validator

from adapters.connectors.http import ConnectorCall, Rows
from domain.core.errors import InvalidInput
from domain.core.money import Money
from domain.integrations.errors import ActionRefused, ActionUnreachable
from domain.integrations.integration import Integration
from domain.integrations.order import Order, state_of
from domain.integrations.providers import Provider

_REFERENCE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,49}", re.ASCII)
# Characters with a special meaning in the API's filters.
_UNFILTERED: Final = frozenset("[]|")
# Ids of the order states that PrestaShop installs by default.
_DELIVERED: Final = 5
_CANCELLED: Final = 6


def _in_utc(time: datetime) -> datetime:
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time


def _no_list(value: object) -> object:
    """Convert `[]`, which PrestaShop returns if nothing was found, to an empty object. Return any
    other value unchanged."""
    return {} if value == [] else value


_Time = Annotated[datetime, AfterValidator(_in_utc)]


class _Row(BaseModel):
    name: str = Field(alias="product_name")
    quantity: int = Field(alias="product_quantity")


class _Associations(BaseModel):
    rows: Rows[_Row] = Field(default=(), alias="order_rows")


class _Order(BaseModel):
    id: int
    reference: str
    customer_id: int = Field(alias="id_customer")
    currency_id: int = Field(alias="id_currency")
    state_id: int = Field(alias="current_state")
    total: str = Field(alias="total_paid", max_length=40)
    placed_at: _Time = Field(alias="date_add")
    updated_at: _Time = Field(alias="date_upd")
    associations: Annotated[_Associations, BeforeValidator(_no_list)] = _Associations()


class _Customer(BaseModel):
    id: int
    email: str


class _Currency(BaseModel):
    id: int
    iso_code: str = Field(pattern="^[A-Za-z]{3}$")


class _State(BaseModel):
    id: int
    shipped: int


class _Table(BaseModel):
    @model_validator(mode="before")
    @classmethod
    def _rows(cls, value: object) -> object:
        return _no_list(value)


class _Orders(_Table):
    orders: Rows[_Order] = ()


class _Customers(_Table):
    customers: Rows[_Customer] = ()


class _Currencies(_Table):
    currencies: Rows[_Currency] = ()


class _States(_Table):
    order_states: Rows[_State] = ()


_Found = TypeVar("_Found", bound=_Table)


@dataclass(frozen=True, slots=True)
class ChangedOrder:
    """A changed order. `updated_at` is in the shop's local time because PrestaShop reports no UTC
    offset. `rows` are product names and quantities."""

    order: Order
    updated_at: datetime
    rows: tuple[tuple[str, int], ...]


class PrestaShop:
    """A PrestaShop shop, without cancellations. `http` must be a guarded client because the
    merchant chooses the host."""

    def __init__(
        self, http: httpx.AsyncClient, base_url: str, key: str, integration_id: str
    ) -> None:
        self._http = http
        self._url = f"{base_url}/api"
        self._auth = httpx.BasicAuth(key, "")
        self._integration_id = integration_id

    @classmethod
    def of(
        cls, integration: Integration, credentials: Mapping[str, str], http: httpx.AsyncClient
    ) -> Self:
        """Return the connector for an integration. The `webservice_key` needs GET permission for
        orders, customers, currencies and order_states."""
        base_url = integration.base_url(integration.settings["url"].rstrip("/"))
        return cls(http, base_url, credentials["webservice_key"], integration.id)

    async def find_order(self, number: str | None, email: str | None) -> Order | None:
        """Return the order with that reference, or None. Without a reference, return the customer's
        latest order."""
        exchange = ConnectorCall(self._http)
        if number is not None:
            wanted = number.strip().removeprefix("#")
            if not _REFERENCE.fullmatch(wanted):
                return None
            return await self._find(exchange, "reference", wanted)
        if email is None or not email.isprintable() or not _UNFILTERED.isdisjoint(email):
            return None
        found = await self._read(exchange, "customers", "email", [email], _Customers)
        if not found.customers:
            return None
        return await self._find(exchange, "id_customer", str(found.customers[0].id))

    async def refund(self, order: Order, amount: Money, key: str, *, again: bool) -> str:  # noqa: ARG002
        raise ActionRefused("PrestaShop gives no refunds over its API", sent=False)

    async def changed_after(self, begin: datetime, *, skip: int, most: int) -> list[ChangedOrder]:
        """Return at most `most` orders changed after `begin`, oldest change first, without the
        first `skip`. Raises ActionRefused, ActionUnreachable."""
        exchange = ConnectorCall(self._http)
        after = begin.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
        params = {
            "filter[date_upd]": f">[{after}]",
            "date": "1",
            "sort": "[date_upd_ASC,id_ASC]",
            "limit": f"{skip},{most}",
        }
        found = (await exchange.read(self._request("orders", params), _Orders)).orders
        whole = await self._whole(exchange, found)
        return [
            ChangedOrder(
                order,
                row_of_order.updated_at,
                tuple((row.name, row.quantity) for row in row_of_order.associations.rows),
            )
            for order, row_of_order in zip(whole, found, strict=True)
        ]

    async def _find(self, exchange: ConnectorCall, field: str, value: str) -> Order | None:
        """Return the latest order with this value in the field, or None."""
        found = await self._read(exchange, "orders", field, [value], _Orders)
        if not found.orders:
            return None
        (order,) = await self._whole(exchange, [max(found.orders, key=lambda one: one.id)])
        return order

    async def _whole(self, exchange: ConnectorCall, orders: Sequence[_Order]) -> list[Order]:
        """Return the orders in the format shared by all shops, completed with data from the shop's
        other tables."""
        if not orders:
            return []
        owners = {str(one.customer_id) for one in orders}
        customers = await self._read(exchange, "customers", "id", owners, _Customers)
        codes = {str(one.currency_id) for one in orders}
        currencies = await self._read(exchange, "currencies", "id", codes, _Currencies)
        numbers = {str(one.state_id) for one in orders}
        states = await self._read(exchange, "order_states", "id", numbers, _States)
        emails = {one.id: one.email for one in customers.customers}
        iso = {one.id: one.iso_code for one in currencies.currencies}
        shipped = {one.id for one in states.order_states if one.shipped}
        return [self._order(one, emails, iso, shipped) for one in orders]

    def _order(
        self, order: _Order, emails: Mapping[int, str], iso: Mapping[int, str], shipped: set[int]
    ) -> Order:
        total = _money(order.total, iso.get(order.currency_id, ""))
        return Order(
            integration_id=self._integration_id,
            provider=Provider.PRESTASHOP,
            id=str(order.id),
            number=order.reference,
            customer_email=emails.get(order.customer_id),
            state=state_of(
                cancelled=order.state_id == _CANCELLED,
                shipped=order.state_id in shipped,
                delivered=[order.state_id == _DELIVERED],
            ),
            total=total,
            # No amount is refundable, because PrestaShop's API does not support refunds.
            refundable=Money(minor=0, currency=total.currency),
            placed_at=order.placed_at,
            items=tuple(f"{row.quantity} × {row.name}" for row in order.associations.rows),
        )

    async def _read(
        self,
        exchange: ConnectorCall,
        table: str,
        field: str,
        values: Iterable[str],
        shape: type[_Found],
    ) -> _Found:
        """Return the table rows that have one of the values in the field."""
        params = {f"filter[{field}]": f"[{'|'.join(sorted(values))}]"}
        return await exchange.read(self._request(table, params), shape)

    def _request(self, table: str, params: Mapping[str, str]) -> httpx.Request:
        request = self._http.build_request(
            "GET",
            f"{self._url}/{table}",
            params={**params, "display": "full", "output_format": "JSON"},
        )
        # The credentials are added here because passing `auth` would start httpx's own
        # authentication flow.
        return next(self._auth.auth_flow(request))


def _money(amount: str, currency: str) -> Money:
    """Return an amount, which PrestaShop writes with six decimals, as Money. Raises
    ActionUnreachable for an invalid one."""
    try:
        return Money.parse(amount, currency)
    except InvalidInput:
        raise ActionUnreachable("an amount of no known shape") from None
