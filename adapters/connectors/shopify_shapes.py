"""The inputs to and responses from the GraphQL documents in `shopify_documents.py`."""

from datetime import datetime
from typing import Annotated, Final, Generic, Literal, TypeVar

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from adapters.connectors.http import Rows
from domain.core.errors import InvalidInput
from domain.core.money import Money
from domain.integrations.order import Order, OrderState, first_link, state_of
from domain.integrations.providers import Provider

_DELIVERED: Final = "DELIVERED"
_SHIPPED: Final = frozenset({"FULFILLED", "PARTIALLY_FULFILLED"})


def _money(value: object) -> object:
    match value:
        case {"amount": str(amount), "currencyCode": str(currency)}:
            try:
                return Money.parse(amount, currency)
            except InvalidInput as error:
                raise ValueError(str(error)) from None
    raise ValueError("an amount with its currency expected")


_Money = Annotated[Money, BeforeValidator(_money)]


class _InShop(BaseModel):
    shop: _Money = Field(alias="shopMoney")


class _AsPaid(BaseModel):
    paid: _Money = Field(alias="presentmentMoney")


class InBoth(_InShop, _AsPaid):
    """The same amount in the shop's currency and in the customer's currency."""


class _MostInShop(BaseModel):
    most: _InShop = Field(alias="maximumRefundableSet")


class _Tracking(BaseModel):
    url: str | None


class _Fulfillment(BaseModel):
    status: str | None = Field(alias="displayStatus")
    tracking: Rows[_Tracking] = Field(alias="trackingInfo")


class _LineItem(BaseModel):
    title: str
    quantity: int


class _LineItems(BaseModel):
    nodes: Rows[_LineItem]


class FoundOrder(BaseModel):
    """An order in the response to the FIND query."""

    id: str
    name: str
    email: str | None
    note: str | None
    placed_at: AwareDatetime = Field(alias="createdAt")
    cancelled_at: AwareDatetime | None = Field(alias="cancelledAt")
    fulfillment: str = Field(alias="displayFulfillmentStatus")
    total: _InShop = Field(alias="totalPriceSet")
    refund: _MostInShop | None = Field(alias="suggestedRefund")
    fulfillments: Rows[_Fulfillment]
    items: _LineItems = Field(alias="lineItems")

    def order(self, integration_id: str) -> Order:
        """Return the order in the format shared by all shops."""
        total = self.total.shop
        return Order(
            integration_id=integration_id,
            provider=Provider.SHOPIFY,
            id=self.id,
            number=self.name.removeprefix("#"),
            customer_email=self.email,
            state=self._state(),
            total=total,
            refundable=self.refund.most.shop
            if self.refund
            else Money(minor=0, currency=total.currency),
            placed_at=self.placed_at,
            tracking_url=self._tracking_url(),
            items=tuple(f"{item.quantity} × {item.title}" for item in self.items.nodes),
            note=self.note or "",
        )

    def _state(self) -> OrderState:
        return state_of(
            cancelled=self.cancelled_at is not None,
            shipped=self.fulfillment in _SHIPPED,
            delivered=[sent.status == _DELIVERED for sent in self.fulfillments],
        )

    def _tracking_url(self) -> str | None:
        return first_link(tracking.url for sent in self.fulfillments for tracking in sent.tracking)


class _Orders(BaseModel):
    nodes: Rows[FoundOrder]


class FoundOrders(BaseModel):
    """The orders in the response to the FIND query, newest first."""

    orders: _Orders


class _Id(BaseModel):
    id: str


class _Refund(_Id):
    note: str | None


class _Transaction(BaseModel):
    gateway: str | None
    parent: _Id | None = Field(alias="parentTransaction")
    most: _AsPaid | None = Field(alias="maximumRefundableSet")


class _Suggested(BaseModel):
    most: InBoth = Field(alias="maximumRefundableSet")
    transactions: Rows[_Transaction] = Field(alias="suggestedTransactions")


class RefundableOrder(BaseModel):
    refunds: Rows[_Refund]
    suggested: _Suggested | None = Field(alias="suggestedRefund")


class Refundable(BaseModel):
    """The response to the REFUNDABLE query."""

    order: RefundableOrder | None


class _UserError(BaseModel):
    code: str | None = None


class _RefundCreate(BaseModel):
    refund: _Id | None
    errors: Rows[_UserError] = Field(alias="userErrors")


class Refunded(BaseModel):
    """The response to the REFUND mutation."""

    result: _RefundCreate = Field(alias="refundCreate")


class _OrderCancel(BaseModel):
    job: _Id | None
    errors: Rows[_UserError] = Field(alias="orderCancelUserErrors")


class Cancel(BaseModel):
    """The response to the CANCEL mutation."""

    result: _OrderCancel = Field(alias="orderCancel")


class _CancelledOrder(BaseModel):
    at: datetime | None = Field(alias="cancelledAt")


class _Job(BaseModel):
    done: bool


class Cancelled(BaseModel):
    """The response to the CANCELLED and CANCELLING queries."""

    order: _CancelledOrder | None
    job: _Job | None = None


class TransactionInput(BaseModel):
    """The part of a refund that is returned to one payment."""

    orderId: str  # noqa: N815 - names on the wire, here and below
    parentId: str  # noqa: N815
    gateway: str
    kind: Literal["REFUND"] = "REFUND"
    amount: str


class RefundInput(BaseModel):
    orderId: str  # noqa: N815
    currency: str
    note: str
    # Disable Shopify's notification email because the agent's answer already informs the customer.
    notify: Literal[False] = False
    transactions: tuple[TransactionInput, ...]


Data = TypeVar("Data", bound=BaseModel)


def _or_none(value: object, read: ValidatorFunctionWrapHandler) -> object:
    # Ignore data in an unexpected format. A response with errors may contain incomplete data, and
    # its errors state the reason.
    try:
        return read(value)
    except ValidationError:
        return None


class _Extensions(BaseModel):
    code: str | None = None


class _Error(BaseModel):
    extensions: _Extensions = _Extensions()


class ShopifyAnswer(BaseModel, Generic[Data]):
    """Any response from Shopify's API. `data`: None if it is missing or has an unexpected
    format."""

    data: Annotated[Data | None, WrapValidator(_or_none)] = None
    errors: Rows[_Error] = ()

    @property
    def codes(self) -> frozenset[str | None]:
        return frozenset(error.extensions.code for error in self.errors)
