"""The figure: a share of a set, in each of its parts, and the bound it must keep."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from evaluation.score import Share, together
from evaluation.sealing import Identified, LabelledSet, SetPart

_NO_DETAIL: Final = ""

Kept = TypeVar("Kept", bound=Identified)


@dataclass(frozen=True, slots=True)
class Hit:
    """Whether one row counts. `detail`: what happened, for who looks at the misses."""

    id: str
    counts: bool
    detail: str = _NO_DETAIL


@dataclass(frozen=True, slots=True)
class HandFigure:
    """A share of the rows of a set. `least` and `most`: its aim, 0 to 1; without both it is only
    printed. An aim binds the whole set, each part is printed beside it.
    `lists_misses`: there are rows that a reader of the misses would like to see."""

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
        """As people read it; empty without one."""
        bounds = (("≥", self.least), ("≤", self.most))
        return " ".join(f"{sign} {bound:g}" for sign, bound in bounds if bound is not None)

    @property
    def met(self) -> bool:
        """Of an empty part nothing is known, so that its aim is missed."""
        shares = self.shares.values()
        return not self.aim or (
            all(share.total > 0 for share in shares) and self._keeps(together(shares))
        )

    @property
    def misses(self) -> tuple[Hit, ...]:
        """The rows that speak against the aim; of a figure without one, those that do not count."""
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
    """One hit for each result that `of` lets through."""

    def hits(kept: tuple[Kept, ...]) -> tuple[Hit, ...]:
        return tuple(Hit(one.id, counts(one), detail(one)) for one in kept if of(one))

    return LabelledSet(
        open=hits(results.open), sealed=None if results.sealed is None else hits(results.sealed)
    )
