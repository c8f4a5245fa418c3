"""Limits that keep the comparison of two texts fast. Untrusted text may repeat one line many times,
which makes `difflib` slow."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from domain.core.effort import spend

MOST_PAIRS: Final = 40_000
"""Maximum number of pairs of equal units. A pair has one unit from each text. The number of pairs
grows quadratically for texts that repeat a single letter."""

MOST_UNITS: Final = 4_000
"""Maximum number of compared units (lines, words or characters) in both texts together."""


def is_comparable(old: Sequence[str], new: Sequence[str], *, but_blanks: bool = False) -> bool:
    """Return True if `difflib` can compare the two sequences within milliseconds.

    `but_blanks`: do not count pairs of blank units.
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
