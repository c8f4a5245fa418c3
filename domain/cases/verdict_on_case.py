"""The verdict on a case: the parts of the case's expectation that an outcome does not meet."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.agent.brain import Category
from domain.agent.plan import ON_ORDERS, ActionKind, PlannedAction
from domain.cases.case import MAX_PHRASES, CaseExpectation
from domain.core.text import fold
from domain.simulation.outcome import OutcomeStatus, SimulatedOutcome

ORDER_SOURCE = "order"
"""The name that identifies the order as a source in expectations. It is fixed because the order's
title differs between shops."""

_AN_ANSWER: Final = f"{OutcomeStatus.COMPLETED}, {OutcomeStatus.NEEDS_REVIEW}"


class UnmetPart(StrEnum):
    """A part of an expectation. The values are stable because they are stored and displayed."""

    STATUS = "status"
    REASON = "reason"
    CLASSIFICATION = "classification"
    INTENT = "intent"
    SOURCE = "source"
    ACTION = "action"
    FORBIDDEN = "forbidden"
    CONTAINS = "contains"
    OMITS = "omits"
    MOST_MONEY = "most_money"


class Unmet(BaseModel):
    """A part of the expectation that the outcome does not meet. `got` is the actual value. It is
    empty for a missing value and for phrases, because the draft is shown as well."""

    model_config = ConfigDict(frozen=True)

    part: UnmetPart
    expected: str
    got: str = ""


def unmet(expected: CaseExpectation, outcome: SimulatedOutcome) -> tuple[Unmet, ...]:
    """Return the unmet parts of the expectation, in its order. A case with none passes.

    If the language model did not answer, the case passes only if it expects this failure. A missing
    answer would otherwise meet every `forbidden` and `omits`.
    """
    if outcome.status is OutcomeStatus.BRAIN_FAILED and expected.status is None:
        return (Unmet(part=UnmetPart.STATUS, expected=_AN_ANSWER, got=outcome.status),)
    return (
        *_of_judgement(expected, outcome),
        *_of_plan(expected, outcome.plan),
        *_of_text(expected, outcome),
    )


def expected_of(outcome: SimulatedOutcome) -> CaseExpectation:
    """Build a case expectation from an outcome: the same status, category, sources and actions,
    with all other order actions forbidden."""
    kinds = tuple(dict.fromkeys(action.kind for action in outcome.plan))
    known = {one.value for one in Category}
    return CaseExpectation(
        status=outcome.status,
        classification=Category(outcome.classification)
        if outcome.classification in known
        else None,
        sources=source_names(outcome)[:MAX_PHRASES],
        actions=kinds,
        forbidden=not_planned(kinds),
    )


def not_planned(kinds: Iterable[ActionKind]) -> tuple[ActionKind, ...]:
    """Return the kinds of order action that are not among `kinds`."""
    return tuple(kind for kind in ActionKind if kind in ON_ORDERS - set(kinds))


def source_names(outcome: SimulatedOutcome) -> tuple[str, ...]:
    """Return the names of the sources of the outcome's draft, as used in expectations and without
    duplicates."""
    named = (ORDER_SOURCE if one.kind == "order" else one.title for one in outcome.sources)
    return tuple(dict.fromkeys(name for name in named if name))


def _of_judgement(expected: CaseExpectation, outcome: SimulatedOutcome) -> Iterator[Unmet]:
    came = (
        (UnmetPart.STATUS, expected.status, outcome.status),
        (UnmetPart.REASON, expected.reason, outcome.reason),
        (UnmetPart.CLASSIFICATION, expected.classification, outcome.classification),
        (UnmetPart.INTENT, expected.intent, outcome.intent),
    )
    for part, wanted, got in came:
        if wanted is not None and wanted != got:
            yield Unmet(part=part, expected=wanted, got=got or "")
    sources = source_names(outcome)
    folded = {_plain(name) for name in sources}
    for source in expected.sources:
        if _plain(source) not in folded:
            yield Unmet(part=UnmetPart.SOURCE, expected=source, got=", ".join(sources))


def _of_plan(expected: CaseExpectation, plan: tuple[PlannedAction, ...]) -> Iterator[Unmet]:
    planned = tuple(dict.fromkeys(action.kind for action in plan))
    got = ", ".join(planned)
    for kind in expected.actions:
        if kind not in planned:
            yield Unmet(part=UnmetPart.ACTION, expected=kind, got=got)
    for kind in expected.forbidden:
        if kind in planned:
            yield Unmet(part=UnmetPart.FORBIDDEN, expected=kind, got=got)
    if expected.most_money is None:
        return
    for currency, given in _given_back(plan).items():
        if given > Decimal(expected.most_money):
            yield Unmet(
                part=UnmetPart.MOST_MONEY, expected=expected.most_money, got=f"{given} {currency}"
            )


def _given_back(plan: tuple[PlannedAction, ...]) -> dict[str, Decimal]:
    """Return the total amount that the plan's order actions refund, by currency."""
    given: dict[str, Decimal] = {}
    for action in plan:
        if action.kind in ON_ORDERS and action.amount is not None:
            amount = action.amount
            given[amount.currency] = given.get(amount.currency, Decimal()) + Decimal(
                amount.decimal()
            )
    return given


def _of_text(expected: CaseExpectation, outcome: SimulatedOutcome) -> Iterator[Unmet]:
    if not expected.contains and not expected.omits:
        return
    draft = _plain(outcome.draft)
    for phrase in expected.contains:
        if _plain(phrase) not in draft:
            yield Unmet(part=UnmetPart.CONTAINS, expected=phrase)
    for phrase in expected.omits:
        if _plain(phrase) in draft:
            yield Unmet(part=UnmetPart.OMITS, expected=phrase)


def _plain(text: str) -> str:
    """Return the text in the form used to compare phrases: without case, accents and line
    breaks."""
    return " ".join(fold(text).split())
