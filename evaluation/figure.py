"""Metrics: the share of a set's rows with a given result, in total and for each part, with an
optional target."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from evaluation.score import Share, together
from evaluation.sealing import Identified, LabelledSet, SetPart

_NO_DETAIL: Final = ""

Kept = TypeVar("Kept", bound=Identified)


@dataclass(frozen=True, slots=True)
class Hit:
    """The result of one row. `counts` means a hit. `detail` describes it in the list of misses."""

    id: str
    counts: bool
    detail: str = _NO_DETAIL


@dataclass(frozen=True, slots=True)
class HandFigure:
    """The share of a set's rows that count as hits.

    `least` and `most` bound the target for the whole set, from 0 to 1. A metric without a target is
    only printed. If `lists_misses` is true, its misses are listed with `--misses`.
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
        """Return the target as text, such as "≥ 0.95", or an empty string if the metric has no
        target."""
        bounds = (("≥", self.least), ("≤", self.most))
        return " ".join(f"{sign} {bound:g}" for sign, bound in bounds if bound is not None)

    @property
    def met(self) -> bool:
        """Return True if the target is met, or if there is none. Return False if a part is empty,
        because its result is then unknown."""
        shares = self.shares.values()
        return not self.aim or (
            all(share.total > 0 for share in shares) and self._keeps(together(shares))
        )

    @property
    def misses(self) -> tuple[Hit, ...]:
        """Return the rows that count against the target. For a metric without a target, return the
        rows that are not hits."""
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
    """Return a `Hit` for each result that `of` selects. `counts` decides whether it is a hit, and
    `detail` describes it."""

    def hits(kept: tuple[Kept, ...]) -> tuple[Hit, ...]:
        return tuple(Hit(one.id, counts(one), detail(one)) for one in kept if of(one))

    return LabelledSet(
        open=hits(results.open), sealed=None if results.sealed is None else hits(results.sealed)
    )
