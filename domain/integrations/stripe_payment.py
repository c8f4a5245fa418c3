"""Find the order number in a Stripe payment, and convert between amounts and Stripe's units of
money."""

from collections.abc import Mapping
from typing import Final

from domain.core.errors import InvalidInput
from domain.core.money import Money, digits_of

NUMBER_KEYS: Final = ("order_number", "order_id")
"""The metadata keys of a payment that may contain its order number, in order of preference."""
# Number of decimal digits for currencies whose minor unit at Stripe differs from ISO 4217.
_DIGITS: Final = {"ISK": 2, "UGX": 2, "MGA": 0}


def number_in(metadata: Mapping[str, str]) -> str:
    """Return the order number in a payment's metadata, without "#", or "" if there is none."""
    given = next((metadata[key] for key in NUMBER_KEYS if metadata.get(key)), "")
    return given.removeprefix("#")


def money_of(units: int, currency: str) -> Money:
    """Convert a number of Stripe's minor units to an amount. Raises InvalidInput unless it is a
    whole number of ISO 4217 minor units."""
    code = currency.upper()
    ours, theirs = digits_of(code), _DIGITS.get(code, digits_of(code))
    minor, rest = divmod(units * int(10**ours), int(10**theirs))
    if rest:
        raise InvalidInput("amount: no whole minor units")
    return Money(minor=minor, currency=code)


def units_of(amount: Money) -> int:
    """Convert an amount to a number of Stripe's minor units. Raises InvalidInput if the amount has
    more decimal digits than Stripe supports."""
    ours = digits_of(amount.currency)
    theirs = _DIGITS.get(amount.currency, ours)
    units, rest = divmod(amount.minor * int(10**theirs), int(10**ours))
    if rest:
        raise InvalidInput("amount: more digits than Stripe moves")
    return units
