"""The bodies of Shopify's webhooks, in the format of its REST Admin API."""

from typing import Annotated, Final

from pydantic import AliasChoices, AwareDatetime, BaseModel, Field

from domain.core.money import Money
from domain.inbound.order_values import (
    Amount,
    Currency,
    money_back,
    order_email,
    order_items,
    order_money,
    order_number,
    tracking_link,
)
from domain.integrations.order import OrderState, first_link, state_of
from domain.integrations.order_fact import OrderFact

ORDER_GID: Final = "gid://shopify/Order/"
"""The prefix before the numeric id in the order ids of Shopify's GraphQL API. `Order.id` contains
the whole id."""
_SHIPPED: Final = frozenset({"fulfilled", "partial"})
_DELIVERED: Final = "delivered"
_SENT: Final = frozenset({"success"})

_Id = Annotated[int, Field(gt=0, lt=10**20)]


class _Address(BaseModel):
    email: str | None = None


class _Item(BaseModel):
    title: str = ""
    quantity: int = 1


class _Parcel(BaseModel):
    status: str | None = None
    shipment_status: str | None = None
    tracking_url: str | None = None

    @property
    def is_delivered(self) -> bool:
        return self.shipment_status == _DELIVERED


class _Transaction(BaseModel):
    kind: str = ""
    status: str = ""
    amount: Amount = "0"
    currency: str | None = None


class _Refund(BaseModel):
    transactions: tuple[_Transaction, ...] = ()


class OrderBody(BaseModel):
    """The body of the `orders/…` topics, except `orders/delete`: a whole order."""

    id: _Id
    name: str | None = None
    email: str | None = None
    contact_email: str | None = None
    customer: _Address | None = None
    currency: Currency
    total_price: Amount
    created_at: AwareDatetime | None = None
    updated_at: AwareDatetime
    cancelled_at: AwareDatetime | None = None
    fulfillment_status: str | None = None
    line_items: tuple[_Item, ...] = ()
    fulfillments: tuple[_Parcel, ...] = ()
    refunds: tuple[_Refund, ...] = ()

    def fact(self) -> OrderFact:
        """Return the order's facts. Amounts are in the shop's own currency, as in the Shopify
        connector."""
        sent = [parcel for parcel in self.fulfillments if parcel.status != "cancelled"]
        return OrderFact(
            order_id=f"{ORDER_GID}{self.id}",
            version=self.updated_at,
            number=order_number(self.name),
            customer_email=order_email(
                self.email, self.contact_email, self.customer.email if self.customer else None
            ),
            state=state_of(
                cancelled=self.cancelled_at is not None,
                shipped=self.fulfillment_status in _SHIPPED,
                delivered=[parcel.is_delivered for parcel in sent],
            ),
            total=order_money(self.total_price, self.currency),
            refunded=self._refunded(),
            placed_at=self.created_at,
            tracking_url=first_link(tracking_link(parcel.tracking_url) for parcel in sent),
            items=order_items((item.quantity, item.title) for item in self.line_items),
        )

    def _refunded(self) -> Money | None:
        """Return the total refunded. Return None if a refund was made in a presentment currency
        other than the shop's currency."""
        moved = [
            one
            for refund in self.refunds
            for one in refund.transactions
            if one.kind == "refund" and one.status == "success"
        ]
        if any(one.currency not in (None, self.currency) for one in moved):
            return None
        return money_back((one.amount for one in moved), self.currency)


class FulfillmentBody(_Parcel):
    """The body of the `fulfillments/…` topics: a parcel in an order."""

    order_id: _Id
    updated_at: AwareDatetime

    def fact(self) -> OrderFact:
        """Return the facts that the parcel provides about its order. A delivered parcel does not
        set an order state, because other parcels may still be in transit."""
        left = self.status in _SENT and not self.is_delivered
        return OrderFact(
            order_id=f"{ORDER_GID}{self.order_id}",
            version=self.updated_at,
            state=OrderState.SHIPPED if left else None,
            tracking_url=first_link((tracking_link(self.tracking_url),)),
        )


class DeletedBody(BaseModel):
    """The body of `orders/delete`, which contains only the order's id. The topic is not signed, so
    the body of a whole order must not be accepted as a deletion."""

    id: _Id
    total_price: None = None
    line_items: None = None
    order_id: None = None


class ShopBody(BaseModel):
    """The field that identifies the shop in a compliance request's body."""

    domain: str | None = Field(
        default=None, validation_alias=AliasChoices("shop_domain", "myshopify_domain")
    )


class PrivacyBody(BaseModel):
    """The body of the `customers/redact` and `customers/data_request` topics."""

    customer: _Address | None = None
    order_ids: tuple[_Id, ...] = Field(
        default=(),
        max_length=10_000,
        validation_alias=AliasChoices("orders_to_redact", "orders_requested"),
    )
