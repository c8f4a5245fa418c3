"""The configured price list."""

import pytest

from domain.billing.errors import NotForSale
from domain.billing.prices import PriceList
from domain.core.errors import InvalidInput
from domain.core.money import Money
from domain.tenants.client import Plan

PLANS = {Plan.STARTER: "49.00", Plan.PRO: "149"}


def test_what_is_for_sale() -> None:
    prices = PriceList.parse("EUR", plans=PLANS, packs=" 500=50, 100=12.00")

    assert prices.of_plan(Plan.PRO) == Money(minor=14900, currency="EUR")
    assert list(prices.packs) == [100, 500]
    assert prices.of_pack(100) == Money(minor=1200, currency="EUR")
    for plan in (Plan.FREE, Plan.ENTERPRISE):
        with pytest.raises(NotForSale):
            prices.of_plan(plan)
    with pytest.raises(NotForSale):
        prices.of_pack(200)


@pytest.mark.parametrize(
    ("plans", "packs"),
    [
        ({**PLANS, Plan.STARTER: "free"}, "100=12"),
        ({**PLANS, Plan.STARTER: "0.00"}, "100=12"),
        ({**PLANS, Plan.STARTER: "-1"}, "100=12"),
        ({**PLANS, Plan.STARTER: "49.001"}, "100=12"),
        ({**PLANS, Plan.STARTER: "149"}, "100=12"),
        ({**PLANS, Plan.STARTER: "150"}, "100=12"),
        (PLANS, ""),
        (PLANS, "100"),
        (PLANS, "100="),
        (PLANS, "0=12"),
        (PLANS, "-5=12"),
        (PLANS, "1.5=12"),
        (PLANS, "100=12,100=13"),
        (PLANS, "100=12,"),
    ],
)
def test_no_price_list(plans: dict[Plan, str], packs: str) -> None:
    with pytest.raises(InvalidInput):
        PriceList.parse("EUR", plans=plans, packs=packs)
