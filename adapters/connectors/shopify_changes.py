"""Poll a Shopify shop for changed orders. Changes have the same format as `orders/updated`
webhooks."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Final

from pydantic import AwareDatetime, BaseModel, Field, JsonValue

from adapters.connectors.http import Rows
from adapters.connectors.shopify import Shopify
from domain.inbound.polling import ChangesPage, FoundChange, poll_name

_TOPIC: Final = "orders/updated"
# Shopify's search index is updated with a delay.
_LATE: Final = timedelta(minutes=2)
_STATES: Final = {"FULFILLED": "fulfilled", "PARTIALLY_FULFILLED": "partial"}

CHANGED: Final = """
query Changed($query: String!, $after: String) {
  orders(first: 25, after: $after, query: $query, sortKey: UPDATED_AT) {
    nodes {
      legacyResourceId name email createdAt updatedAt cancelledAt displayFulfillmentStatus
      totalPriceSet { shopMoney { amount currencyCode } }
      totalRefundedSet { shopMoney { amount } }
      fulfillments(first: 5) { status displayStatus trackingInfo(first: 1) { url } }
      lineItems(first: 10) { nodes { title quantity } }
    }
    pageInfo { hasNextPage endCursor }
  }
}
"""


class _Amount(BaseModel):
    amount: str
    currency: str = Field(default="", alias="currencyCode")


class _Sum(BaseModel):
    shop: _Amount = Field(alias="shopMoney")


class _Tracking(BaseModel):
    url: str | None


class _Fulfillment(BaseModel):
    status: str
    display_status: str | None = Field(alias="displayStatus")
    tracking: Rows[_Tracking] = Field(alias="trackingInfo")

    def body(self) -> JsonValue:
        return {
            "status": self.status.lower(),
            "shipment_status": (self.display_status or "").lower() or None,
            "tracking_url": next((one.url for one in self.tracking), None),
        }


class _Item(BaseModel):
    title: str
    quantity: int


class _Items(BaseModel):
    nodes: Rows[_Item]


class _ChangedOrder(BaseModel):
    id: Annotated[str, Field(alias="legacyResourceId", pattern="^[0-9]{1,19}$")]
    name: str
    email: str | None
    created_at: str = Field(alias="createdAt")
    updated_at: AwareDatetime = Field(alias="updatedAt")
    cancelled_at: str | None = Field(alias="cancelledAt")
    fulfillment: str = Field(alias="displayFulfillmentStatus")
    total: _Sum = Field(alias="totalPriceSet")
    refunded: _Sum = Field(alias="totalRefundedSet")
    fulfillments: Rows[_Fulfillment]
    items: _Items = Field(alias="lineItems")

    def change(self) -> FoundChange:
        version, currency = self.updated_at.isoformat(), self.total.shop.currency
        refund = {
            "kind": "refund",
            "status": "success",
            "amount": self.refunded.shop.amount,
            "currency": currency,
        }
        body: dict[str, JsonValue] = {
            "id": int(self.id),
            "name": self.name,
            "email": self.email,
            "currency": currency,
            "total_price": self.total.shop.amount,
            "created_at": self.created_at,
            "updated_at": version,
            "cancelled_at": self.cancelled_at,
            "fulfillment_status": _STATES.get(self.fulfillment),
            "line_items": [
                {"title": item.title, "quantity": item.quantity} for item in self.items.nodes
            ],
            "fulfillments": [one.body() for one in self.fulfillments],
            "refunds": [{"transactions": [{**refund}]}],
        }
        return FoundChange(poll_name(_TOPIC, self.id, version), json.dumps(body).encode())


class _PageInfo(BaseModel):
    has_next: bool = Field(alias="hasNextPage")
    end: str | None = Field(alias="endCursor")


class _Orders(BaseModel):
    nodes: Rows[_ChangedOrder]
    page: _PageInfo = Field(alias="pageInfo")


class _Changed(BaseModel):
    orders: _Orders


class ShopifyChanges:
    """The changes in a Shopify shop, as `domain.inbound.polling.Polls`. The access token needs the
    read_orders scope."""

    def __init__(self, shop: Shopify) -> None:
        self._shop = shop

    async def changes(self, position: Mapping[str, str], since: datetime) -> ChangesPage:
        begin = position.get("since", since.isoformat())
        variables = {"query": f"updated_at:>='{begin}'", "after": position.get("after")}
        found = (await self._shop.ask(CHANGED, variables, _Changed)).orders
        changes = tuple(order.change() for order in found.nodes)
        if found.page.has_next and found.page.end:
            return ChangesPage(changes, {"since": begin, "after": found.page.end}, has_more=True)
        last = max((one.updated_at for one in found.nodes), default=None)
        if last is not None:
            begin = max(datetime.fromisoformat(begin), last - _LATE).isoformat()
        return ChangesPage(changes, {"since": begin}, has_more=False)
