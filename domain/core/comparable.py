"""Limits for comparing two texts in bounded time: untrusted text may repeat one line."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from domain.core.effort import spend

MOST_PAIRS: Final = 40_000
"""The maximum number of pairs of equal units. For one repeated letter, it grows quadratically."""

MOST_UNITS: Final = 4_000
"""The maximum number of units in both texts together."""


def is_comparable(old: Sequence[str], new: Sequence[str], *, but_blanks: bool = False) -> bool:
    """Return whether `difflib` compares the units within milliseconds. `but_blanks`: blank units
    are excluded from the comparison."""
    spend(len(old) + len(new))
    if len(old) + len(new) > MOST_UNITS:
        return False
    in_old, in_new = Counter(old), Counter(new)
    pairs = sum(
        count * in_new[unit]
        for unit, count in in_old.items()
        if not (but_blanks and unit.isspace())
    )
    return pairs <= MOST_PAIRS
