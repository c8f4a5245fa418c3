"""The price list: the monthly prices of plans, and the prices of credit packs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from domain.billing.errors import NotForSale
from domain.core.errors import InvalidInput
from domain.core.money import Money
from domain.tenants.client import Plan


@dataclass(frozen=True, slots=True)
class PriceList:
    """The prices of one installation: monthly by plan, and by number of credits for packs."""

    plans: Mapping[Plan, Money]
    packs: Mapping[int, Money]

    @classmethod
    def parse(cls, currency: str, *, plans: Mapping[Plan, str], packs: str) -> Self:
        """Return the price list. Prices are decimals in the currency. `packs` has the form
        `100=12.00,500=50.00`.

        Raises InvalidInput for an invalid or zero price, a repeated pack, or a higher plan that
        costs no more than a lower one.
        """
        prices = {plan: _price(amount, currency) for plan, amount in plans.items()}
        ascending = [prices[plan].minor for plan in Plan if plan in prices]
        if ascending != sorted(set(ascending)):
            raise InvalidInput("a higher plan must cost more than a lower one")
        pairs = [one.strip().partition("=") for one in packs.split(",")]
        if not all(size.isascii() and size.isdigit() and int(size) > 0 for size, _, _ in pairs):
            raise InvalidInput("packs of credits like 100=12.00,500=50.00 expected")
        sold = {int(size): _price(amount, currency) for size, _, amount in pairs}
        if len(sold) != len(pairs):
            raise InvalidInput("a pack of credits has one price")
        return cls(prices, dict(sorted(sold.items())))

    def of_plan(self, plan: Plan) -> Money:
        """Return the monthly price of a plan. Raises NotForSale if the plan has no price."""
        if plan not in self.plans:
            raise NotForSale(plan.value)
        return self.plans[plan]

    def of_pack(self, credits_: int) -> Money:
        """Return the price of a credit pack. Raises NotForSale if there is no such pack."""
        if credits_ not in self.packs:
            raise NotForSale("credits")
        return self.packs[credits_]


def _price(amount: str, currency: str) -> Money:
    price = Money.parse(amount, currency)
    if price.minor == 0:
        raise InvalidInput("a price is more than nothing")
    return price
