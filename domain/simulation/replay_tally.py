"""The tally of a replay: counts of events by original outcome and by outcome in the replay."""

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, Self

from pydantic import BaseModel, ConfigDict

from domain.simulation.replay_facts import ReplayChangeKind, ReplayEnd, ReplayFacts


class ReplaySkip(StrEnum):
    """The reason why a replay skipped an event.

    - `erased`: its customer was erased.
    - `joined`: human agents handled its conversation.
    - `unfinished`: its run has no outcome yet.
    - `unthought`: its run failed before the agent produced a result.
    """

    ERASED = "erased"
    JOINED = "joined"
    UNFINISHED = "unfinished"
    UNTHOUGHT = "unthought"


class EndCount(BaseModel):
    """A cell in the outcome table: the number of events with a given original outcome and a given
    replay outcome."""

    model_config = ConfigDict(frozen=True)

    before: ReplayEnd
    after: ReplayEnd
    events: int


class ReplayClassCount(BaseModel):
    """The counts of events in one category. `closed_before` and `closed_after`: the number of
    events closed without a human, originally and in the replay."""

    model_config = ConfigDict(frozen=True)

    classification: str
    events: int
    closed_before: int
    closed_after: int


class MoneySum(BaseModel):
    """The amounts refunded without a human, in minor units: originally (`before`) and in the replay
    (`after`)."""

    model_config = ConfigDict(frozen=True)

    currency: str
    before: int
    after: int


class ReplayTally(BaseModel):
    """The counts and sums of a replay. Each list is sorted by key."""

    model_config = ConfigDict(frozen=True)

    ends: tuple[EndCount, ...] = ()
    classes: tuple[ReplayClassCount, ...] = ()
    money: tuple[MoneySum, ...] = ()
    changes: dict[ReplayChangeKind, int] = {}
    skipped: dict[ReplaySkip, int] = {}

    @classmethod
    def of_event(
        cls, before: ReplayFacts, after: ReplayFacts, kind: ReplayChangeKind | None
    ) -> Self:
        """Return a tally that counts one processed event. `kind` is the difference between the
        event's outcomes, or None."""
        known = before.classification or after.classification
        counted = ReplayClassCount(
            classification=known,
            events=1,
            closed_before=int(before.end in _CLOSED),
            closed_after=int(after.end in _CLOSED),
        )
        return cls(
            ends=(EndCount(before=before.end, after=after.end, events=1),),
            classes=(counted,) if known else (),
            money=_sums(_given(before), _given(after)),
            changes={} if kind is None else {kind: 1},
        )

    @classmethod
    def of_skipped(cls, why: ReplaySkip) -> Self:
        """Return a tally that counts one skipped event."""
        return cls(skipped={why: 1})

    @classmethod
    def total(cls, parts: Iterable["ReplayTally"]) -> Self:
        """Return the sum of several tallies. The order of `parts` does not affect the result."""
        ends: Counter[tuple[ReplayEnd, ReplayEnd]] = Counter()
        events: Counter[str] = Counter()
        closed: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        money: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        changes: Counter[ReplayChangeKind] = Counter()
        skipped: Counter[ReplaySkip] = Counter()
        for part in parts:
            for cell in part.ends:
                ends[cell.before, cell.after] += cell.events
            for one in part.classes:
                events[one.classification] += one.events
                closed[0][one.classification] += one.closed_before
                closed[1][one.classification] += one.closed_after
            for given in part.money:
                money[0][given.currency] += given.before
                money[1][given.currency] += given.after
            changes.update(part.changes)
            skipped.update(part.skipped)
        return cls(
            ends=tuple(
                EndCount(before=before, after=after, events=ends[before, after])
                for before, after in sorted(ends)
            ),
            classes=tuple(
                ReplayClassCount(
                    classification=name,
                    events=events[name],
                    closed_before=closed[0][name],
                    closed_after=closed[1][name],
                )
                for name in sorted(events)
            ),
            money=_sums(*money),
            changes=dict(sorted(changes.items())),
            skipped=dict(sorted(skipped.items())),
        )

    @property
    def events(self) -> int:
        """Return the number of events that were examined or skipped."""
        return sum(cell.events for cell in self.ends) + sum(self.skipped.values())


_CLOSED: Final = frozenset({ReplayEnd.ANSWERED, ReplayEnd.REFUNDED})


def _given(facts: ReplayFacts) -> Mapping[str, int]:
    money = facts.given_back
    return {} if money is None else {money.currency: money.minor}


def _sums(before: Mapping[str, int], after: Mapping[str, int]) -> tuple[MoneySum, ...]:
    return tuple(
        MoneySum(currency=currency, before=before.get(currency, 0), after=after.get(currency, 0))
        for currency in sorted({*before, *after})
    )
