"""Stripe's payments: which order one is of, and how Stripe counts money."""

from collections.abc import Mapping
from typing import Final

from domain.core.errors import InvalidInput
from domain.core.money import Money, digits_of

NUMBER_KEYS: Final = ("order_number", "order_id")
"""The metadata that name a payment's order, the better one first."""
# Where Stripe counts other minor units than ISO 4217, by how many digits behind the point.
_DIGITS: Final = {"ISK": 2, "UGX": 2, "MGA": 0}


def number_in(metadata: Mapping[str, str]) -> str:
    """The number of the order, without "#"; empty where the metadata name none."""
    given = next((metadata[key] for key in NUMBER_KEYS if metadata.get(key)), "")
    return given.removeprefix("#")


def money_of(units: int, currency: str) -> Money:
    """What Stripe counts in its own units; `currency` in any case. Raises InvalidInput for what it
    cannot mean."""
    code = currency.upper()
    ours, theirs = digits_of(code), _DIGITS.get(code, digits_of(code))
    minor, rest = divmod(units * int(10**ours), int(10**theirs))
    if rest:
        raise InvalidInput("amount: no whole minor units")
    return Money(minor=minor, currency=code)


def units_of(amount: Money) -> int:
    """The amount as Stripe counts it. Raises InvalidInput for one that it cannot move."""
    ours = digits_of(amount.currency)
    theirs = _DIGITS.get(amount.currency, ours)
    units, rest = divmod(amount.minor * int(10**theirs), int(10**ours))
    if rest:
        raise InvalidInput("amount: more digits than Stripe moves")
    return units
