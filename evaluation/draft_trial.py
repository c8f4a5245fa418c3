"""Trials of drafts: whether the guards let right drafts pass and stop wrong ones, in code alone and
with a judge's recorded verdicts."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml
from pydantic import TypeAdapter

from domain.agent.brain import Verdict
from domain.agent.grounding.grounding import guard
from domain.agent.guard_finding import GuardFinding
from evaluation.draft_case import DraftCase
from evaluation.figure import HandFigure, tally
from evaluation.sealing import FOLDER, LabelledSet

Verdicts = Mapping[str, tuple[Verdict, ...]]

LEAST_STOPPED: Final = 0.95
MOST_HELD: Final = 0.17
_READER: Final[TypeAdapter[dict[str, tuple[Verdict, ...]]]] = TypeAdapter(
    dict[str, tuple[Verdict, ...]]
)


@dataclass(frozen=True, slots=True)
class DraftOutcome:
    """The outcome of one draft. Without findings, it is sent."""

    case: DraftCase
    findings: tuple[GuardFinding, ...]

    @property
    def id(self) -> str:
        return self.case.id

    @property
    def detail(self) -> str:
        found = "; ".join(f"{one.words} ({one.reason})" for one in self.findings)
        return found or f"{self.case.mistake}: {self.case.why}"


def read_verdicts(folder: Path = FOLDER) -> Verdicts:
    """Return the recorded verdicts of a judge, by the draft's id."""
    text = (folder / "draft_verdicts.yaml").read_text(encoding="utf-8")
    return _READER.validate_python(yaml.load(text, Loader=yaml.CSafeLoader))


def try_draft(case: DraftCase, verdicts: Verdicts) -> DraftOutcome:
    """Run the guards on a draft. Drafts without verdicts are checked in code alone."""
    answer = case.answer(verdicts)
    return DraftOutcome(case, guard(answer, case.plan, case.request)(answer.response))


def draft_figures(cases: LabelledSet[DraftCase]) -> tuple[HandFigure, ...]:
    """Return the metrics in code alone, without a target, and those with the recorded judge."""
    return (
        *_figures(cases, {}, "code alone", None, None),
        *_figures(cases, read_verdicts(), "with a judge", MOST_HELD, LEAST_STOPPED),
    )


def _figures(
    cases: LabelledSet[DraftCase],
    verdicts: Verdicts,
    how: str,
    most_held: float | None,
    least_stopped: float | None,
) -> tuple[HandFigure, ...]:
    def tried(rows: tuple[DraftCase, ...]) -> tuple[DraftOutcome, ...]:
        return tuple(try_draft(one, verdicts) for one in rows)

    sealed = None if cases.sealed is None else tried(cases.sealed)
    outcomes = LabelledSet(open=tried(cases.open), sealed=sealed)

    def is_held(one: DraftOutcome) -> bool:
        return bool(one.findings)

    return (
        HandFigure(
            "drafts",
            f"right, and held needlessly, {how}",
            tally(
                outcomes, is_held, of=lambda one: one.case.is_right, detail=lambda one: one.detail
            ),
            most=most_held,
            lists_misses=most_held is not None,
        ),
        HandFigure(
            "drafts",
            f"wrong, and stopped, {how}",
            tally(
                outcomes,
                is_held,
                of=lambda one: not one.case.is_right,
                detail=lambda one: one.detail,
            ),
            least=least_stopped,
            lists_misses=least_stopped is not None,
        ),
    )
