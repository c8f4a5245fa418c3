"""The rows of a change that loosens rules, as its page shows them."""

from collections.abc import Iterable
from dataclasses import dataclass

from domain.core.errors import InvalidInput
from domain.core.money import Money
from domain.tenants.loosening import LoosenedRule


@dataclass(frozen=True, slots=True)
class LoosenedRow:
    """A loosened rule with its old and new value. `place` is the rule's path without its channel.
    `patterns` are the event types of the channels that the row applies to."""

    place: str
    patterns: tuple[str, ...]
    before: str
    after: str


def loosened_rows(differences: Iterable[LoosenedRule]) -> tuple[LoosenedRow, ...]:
    """Return one row for the channels that share a rule and its change. A rule outside a playbook
    keeps its whole path."""
    patterns: dict[tuple[str, str, str], list[str]] = {}
    for one in differences:
        pattern, colon, rest = one.place.rpartition(": ")
        is_pattern = bool(colon) and (pattern == "*" or "." in pattern or pattern == "api_direct")
        place = rest if is_pattern else one.place
        sharing = patterns.setdefault((place, one.before, one.after), [])
        if is_pattern:
            sharing.append(pattern)
    return tuple(
        LoosenedRow(place, tuple(sharing), before, after)
        for (place, before, after), sharing in patterns.items()
    )


def money_in(value: str) -> Money | None:
    """Return the amount in a value such as `50.00 EUR`, or None if the value is no amount."""
    amount, _, currency = value.partition(" ")
    try:
        return Money.parse(amount, currency)
    except InvalidInput:
        return None
