"""An order in the local Shopify, and its payments."""

from dataclasses import dataclass, field

from domain.core.money import Money


@dataclass
class Payment:
    """The amount of one payment method, in minor units of the customer's currency."""

    id: str
    minor: int
    refunded: int = 0
    gateway: str = "shopify_payments"

    @property
    def left(self) -> int:
        return self.minor - self.refunded


@dataclass
class ShopifyOrder:
    """An order in Shopify. `name` is the number with its "#". `rate` is units of `paid_in` per unit
    of the shop's currency."""

    name: str
    email: str | None
    payments: list[Payment]
    currency: str = "EUR"
    paid_in: str = "EUR"
    rate: int = 1
    note: str | None = None
    created_at: str = "2026-03-01T10:00:00Z"
    updated_at: str = ""
    cancelled_at: str | None = None
    fulfillment: str = "UNFULFILLED"
    parcels: list[tuple[str, str | None]] = field(default_factory=list)
    items: list[tuple[str, int]] = field(default_factory=list)
    shop_id: str = ""

    @property
    def id(self) -> str:
        return f"gid://shopify/Order/{self.shop_id or self.name.removeprefix('#')}"

    @property
    def changed_at(self) -> str:
        return self.updated_at or self.created_at

    def bag(self, paid_minor: int) -> dict[str, object]:
        return {
            "presentmentMoney": _amount(paid_minor, self.paid_in),
            "shopMoney": _amount(paid_minor // self.rate, self.currency),
        }


def _amount(minor: int, currency: str) -> dict[str, str]:
    return {"amount": Money(minor=minor, currency=currency).decimal(), "currencyCode": currency}
