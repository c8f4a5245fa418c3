"""Compare two sequences of text units with bounded work.

In `difflib`, repeated units or many small differences in an untrusted text take too long. All diffs
in the product use `comparison` or `unified`.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from typing import Final

from domain.core.effort import spend

MOST_STEPS: Final = 250_000
"""Maximum number of steps of one comparison. A step examines one unit, or one pair of equal
units."""

MOST_UNITS: Final = 4_000
"""Maximum number of compared units (lines, words or characters) in both texts together."""

PAGE_STEPS: Final = 4 * MOST_STEPS
"""Maximum number of steps for all comparisons of one page or response."""

# The measured costs of a search for the longest match, in steps. The search itself has a cost, and
# so has each unit in its range of the first text.
_SEARCH_STEPS: Final = 20
_UNIT_STEPS: Final = 2


class _TooManySteps(Exception):
    """The comparison exceeds its limit."""


@dataclass(slots=True)
class DiffBudget:
    """The number of steps that remain for the comparisons of one page or response."""

    left: int = PAGE_STEPS

    @property
    def is_used_up(self) -> bool:
        """True if the page shows its remaining texts without a comparison."""
        return self.left < MOST_UNITS


class _BoundedMatcher(SequenceMatcher[str]):
    """A SequenceMatcher that raises _TooManySteps after too many steps.

    Unlike `difflib`, `find_longest_match` does not visit equal units outside the searched range.
    The result is the same.
    """

    # SequenceMatcher sets these attributes. The type stubs do not contain them.
    b2j: dict[str, list[int]]
    bjunk: set[str]

    def __init__(
        self,
        old: Sequence[str],
        new: Sequence[str],
        *,
        is_blank: Callable[[str], bool] | None,
        autojunk: bool,
        budget: DiffBudget,
    ) -> None:
        super().__init__(is_blank, old, new, autojunk)
        self._old = old
        self._new = new
        self._budget = budget
        self._left = min(MOST_STEPS, budget.left)

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        old_end = len(self._old) if ahi is None else ahi
        new_end = len(self._new) if bhi is None else bhi
        self._take(_UNIT_STEPS * (old_end - alo) + _SEARCH_STEPS)
        old_at, new_at, size = alo, blo, 0
        # The length of the match that ends before the current unit of the first text, keyed by its
        # last place in the second text.
        lengths: dict[int, int] = {}
        places = self.b2j
        for place in range(alo, old_end):
            equal = places.get(self._old[place])
            longer: dict[int, int] = {}
            if equal is None:
                lengths = longer
                continue
            if len(equal) > 1:
                equal = equal[bisect_left(equal, blo) : bisect_left(equal, new_end)]
                self._take(len(equal))
            elif not blo <= equal[0] < new_end:
                equal = []
            for other in equal:
                length = longer[other] = lengths.get(other - 1, 0) + 1
                if length > size:
                    old_at, new_at, size = place - length + 1, other - length + 1, length
            lengths = longer
        return self._extended(old_at, new_at, size, (alo, old_end, blo, new_end))

    def _extended(
        self, old_at: int, new_at: int, size: int, within: tuple[int, int, int, int]
    ) -> Match:
        """Return the match extended by equal units on both sides: first by units that are not
        blank, then by blank units."""
        old_from, old_end, new_from, new_end = within
        old, new = self._old, self._new
        for extends_blank in (False, True):
            while (
                old_at > old_from
                and new_at > new_from
                and (new[new_at - 1] in self.bjunk) is extends_blank
                and old[old_at - 1] == new[new_at - 1]
            ):
                old_at, new_at, size = old_at - 1, new_at - 1, size + 1
            while (
                old_at + size < old_end
                and new_at + size < new_end
                and (new[new_at + size] in self.bjunk) is extends_blank
                and old[old_at + size] == new[new_at + size]
            ):
                size += 1
        self._take(size)
        return Match(old_at, new_at, size)

    def _take(self, steps: int) -> None:
        """Count steps before they are taken. Raises _TooManySteps."""
        if steps > self._left:
            raise _TooManySteps
        self._left -= steps
        self._budget.left -= steps


def comparison(
    old: Sequence[str],
    new: Sequence[str],
    *,
    is_blank: Callable[[str], bool] | None = None,
    autojunk: bool = False,
    budget: DiffBudget | None = None,
) -> SequenceMatcher[str] | None:
    """Return the comparison of two sequences with its matching blocks, or None beyond MOST_UNITS,
    MOST_STEPS or the budget. Spends the budget.

    `is_blank` and `autojunk` are passed to `SequenceMatcher`.
    """
    units = len(old) + len(new)
    spend(units)
    budget = DiffBudget() if budget is None else budget
    is_small = units <= min(MOST_UNITS, budget.left)
    budget.left = max(0, budget.left - units)
    if not is_small:
        return None
    matcher = _BoundedMatcher(old, new, is_blank=is_blank, autojunk=autojunk, budget=budget)
    before = budget.left
    try:
        matcher.get_matching_blocks()
    except _TooManySteps:
        return None
    finally:
        spend(before - budget.left)
    return matcher


def unified(
    old: Sequence[str], new: Sequence[str], budget: DiffBudget | None = None
) -> Iterator[str]:
    """Yield the lines of `diff -u` between two texts, with line breaks. Beyond the limits, yield
    both texts in full."""
    matcher = comparison(old, new, autojunk=True, budget=budget)
    yield from ("--- before\n", "+++ after\n")
    if matcher is None:
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
        return
    for group in matcher.get_grouped_opcodes():
        (_, old_from, _, new_from, _), (_, _, old_to, _, new_to) = group[0], group[-1]
        yield f"@@ -{_range(old_from, old_to)} +{_range(new_from, new_to)} @@\n"
        for tag, first, end, new_first, new_end in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[first:end])
                continue
            yield from (f"-{line}" for line in old[first:end])
            yield from (f"+{line}" for line in new[new_first:new_end])


def _range(start: int, end: int) -> str:
    """Return a range of lines in the format of `diff -u`. An empty range names the line before
    it."""
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"
