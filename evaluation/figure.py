"""Figures: a share of a set and of each of its parts, with a target."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from evaluation.score import Share, together
from evaluation.sealing import Identified, LabelledSet, SetPart

_NO_DETAIL: Final = ""

Kept = TypeVar("Kept", bound=Identified)


@dataclass(frozen=True, slots=True)
class Hit:
    """The result of one row, and whether it counts as a hit. `detail`: what happened, for the list
    of misses."""

    id: str
    counts: bool
    detail: str = _NO_DETAIL


@dataclass(frozen=True, slots=True)
class HandFigure:
    """A share of the rows of a set.

    `least` and `most`: its target, 0 to 1; without both, it is only printed. A target applies to
    the whole set; each part is printed too. `lists_misses`: whether the misses are worth listing.
    """

    of: str
    text: str
    hits: LabelledSet[Hit]
    least: float | None = None
    most: float | None = None
    lists_misses: bool = True

    @property
    def shares(self) -> dict[SetPart, Share]:
        return {
            part: Share.of(hit.counts for hit in hits) for part, hits in self.hits.parts.items()
        }

    @property
    def aim(self) -> str:
        """The target as text, or an empty string without one."""
        bounds = (("≥", self.least), ("≤", self.most))
        return " ".join(f"{sign} {bound:g}" for sign, bound in bounds if bound is not None)

    @property
    def met(self) -> bool:
        """True if the target is met. It is missed if a part is empty, because the part's result is
        then unknown."""
        shares = self.shares.values()
        return not self.aim or (
            all(share.total > 0 for share in shares) and self._keeps(together(shares))
        )

    @property
    def misses(self) -> tuple[Hit, ...]:
        """The rows that count against the target. Without a target, the rows that are no hits."""
        against = self.most is not None
        return tuple(hit for hit in self.hits.rows if self.lists_misses and hit.counts is against)

    def _keeps(self, share: Share) -> bool:
        above = self.least is None or share.value >= self.least
        below = self.most is None or share.value <= self.most
        return above and below


def tally(
    results: LabelledSet[Kept],
    counts: Callable[[Kept], bool],
    *,
    of: Callable[[Kept], bool] = lambda _: True,
    detail: Callable[[Kept], str] = lambda _: _NO_DETAIL,
) -> LabelledSet[Hit]:
    """Return one hit for each result that `of` selects."""

    def hits(kept: tuple[Kept, ...]) -> tuple[Hit, ...]:
        return tuple(Hit(one.id, counts(one), detail(one)) for one in kept if of(one))

    return LabelledSet(
        open=hits(results.open), sealed=None if results.sealed is None else hits(results.sealed)
    )
