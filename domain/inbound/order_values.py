"""Validate and clean values in shop orders, for order facts."""

from collections.abc import Iterable
from typing import Annotated, Final

from pydantic import Field

from domain.core.errors import InvalidInput
from domain.core.money import Money
from domain.core.plain_text import clean_address, clean_line
from domain.inbound.errors import WebhookUnreadable

MAX_NUMBER: Final = 64
_MAX_ITEMS: Final = 100
_MAX_TITLE: Final = 200
_MAX_URL: Final = 1_000

Amount = Annotated[str, Field(max_length=40)]
"""An amount of money as a decimal string, such as "49.90"."""
Currency = Annotated[str, Field(pattern="^[A-Za-z]{3}$")]


def order_money(amount: str, currency: str) -> Money:
    """Return an amount and its currency code as Money. Raises WebhookUnreadable if either is
    invalid."""
    try:
        return Money.parse(amount, currency)
    except InvalidInput:
        raise WebhookUnreadable("amount") from None


def money_back(amounts: Iterable[str], currency: str) -> Money:
    """Return the total of the refunds as a positive amount, because some shops send negative
    amounts. Raises WebhookUnreadable."""
    minor = sum(order_money(one.strip().removeprefix("-"), currency).minor for one in amounts)
    try:
        return Money(minor=minor, currency=currency.upper())
    except ValueError:
        raise WebhookUnreadable("amount") from None


def order_number(text: str | None) -> str | None:
    """Return the order number that customers use, without "#", or None if the text is not an order
    number."""
    number = clean_line(text or "", MAX_NUMBER + 1).lstrip("# ")
    return number if 0 < len(number) <= MAX_NUMBER else None


def order_email(*given: str | None) -> str | None:
    """Return the first valid email address, or None if there is none."""
    return next((found for one in given if one and (found := clean_address(one))), None)


def order_items(items: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    """Return the order's items for display, each with quantity and title: "2 × Tea"."""
    shown = (f"{quantity} × {clean_line(title, _MAX_TITLE)}" for quantity, title in items)
    return tuple(line for line, _ in zip(shown, range(_MAX_ITEMS), strict=False))


def tracking_link(url: str | None) -> str | None:
    """Return the tracking URL, or None if it is too long or not printable."""
    return url if url and len(url) <= _MAX_URL and url.isprintable() else None
