"""Limits for comparing two texts in bounded time, because untrusted text may repeat one line."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from domain.core.effort import spend

MOST_PAIRS: Final = 40_000
"""Maximum number of pairs of equal units, which grows quadratically for text that repeats one
letter."""

MOST_UNITS: Final = 4_000
"""Maximum number of units in both texts together."""


def is_comparable(old: Sequence[str], new: Sequence[str], *, but_blanks: bool = False) -> bool:
    """Return whether `difflib` can compare the units within milliseconds.

    `but_blanks`: exclude blank units from the comparison.
    """
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
