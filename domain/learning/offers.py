"""Offers: what can be made of a correction, filled in for a person to look through."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from domain.agent.brain import Category, Language
from domain.agent.escalation_reason import EscalationReason
from domain.agent.grounding.facts import FactKind, facts
from domain.agent.plan import ON_ORDERS, ActionKind
from domain.cases.case import MAX_CASE_NAME, CaseExpectation, CaseSpec
from domain.cases.impersonal import impersonal
from domain.content.content import MAX_BODY, MAX_LINE, TemplateChange, TemplateEntry
from domain.content.suggestion import SuggestedEntry
from domain.core.text import fold
from domain.learning.correction import (
    ContentLesson,
    CorrectionKind,
    CorrectionOffers,
    CorrectionRecord,
    TemplateRevision,
)
from domain.learning.template_rewrite import rewritten_template
from domain.learning.word_diff import Piece
from domain.simulation.outcome import OutcomeStatus
from domain.simulation.scenario import MAX_MESSAGE, Scenario, ScenarioMessage

MAX_PHRASES: Final = 20
MAX_SUBJECT: Final = 500
_MAX_PHRASE: Final = 500
_TITLE_CHARS: Final = 80
_ID_CHARS: Final = 6

# What another customer's answer would hold too. Dates and numbers are of one order or one day.
_LASTING: Final = frozenset(
    {FactKind.MONEY, FactKind.SHARE, FactKind.PERIOD, FactKind.CLOCK, FactKind.LINK}
)


@dataclass(frozen=True, slots=True)
class CorrectedRun:
    """What a correction's run was besides. `template`: the one that the draft rests on, if it rests
    on one alone. `actions`: of its plan. `reason`: why a person was asked."""

    email: str | None
    name: str | None
    order_numbers: tuple[str, ...]
    event_type: str
    source: str | None
    template: TemplateEntry | None
    actions: tuple[ActionKind, ...]
    reason: EscalationReason

    def impersonal(self, text: str) -> str:
        """The text with the customer's personal data replaced, as in the scenario."""
        return impersonal(text, email=self.email, name=self.name, order_numbers=self.order_numbers)


def offers(record: CorrectionRecord, run: CorrectedRun, diff: Sequence[Piece]) -> CorrectionOffers:
    """`diff`: from the draft to what was sent, empty where nothing was."""
    return CorrectionOffers(case=_case(record, run), content=_content(record, run, diff))


def language_of(record: CorrectionRecord) -> Language:
    """The language of the customer's message; French where nobody has told it."""
    return "en" if record.language == "en" else "fr"


def example_text(record: CorrectionRecord, run: CorrectedRun) -> str:
    """What a labelled example keeps of the customer's message."""
    words = "\n".join(part for part in (record.subject, record.text) if part)
    return run.impersonal(words[:MAX_BODY])


def plain_scenario(record: CorrectionRecord, run: CorrectedRun) -> Scenario | None:
    """The customer's message as a scenario, personal data replaced; None where it is gone."""
    text = run.impersonal(record.text[:MAX_MESSAGE])[:MAX_MESSAGE]
    if not text.strip():
        return None
    subject = run.impersonal(record.subject[:MAX_SUBJECT])[:MAX_SUBJECT] if record.subject else None
    return Scenario(
        messages=(ScenarioMessage(text=text),),
        event_type=run.event_type,
        source=run.source,
        subject=subject or None,
    )


def _case(record: CorrectionRecord, run: CorrectedRun) -> CaseSpec | None:
    scenario = plain_scenario(record, run)
    if scenario is None:
        return None
    tail = f" ({record.id[-_ID_CHARS:]})"
    name = _title(record, run, MAX_CASE_NAME - len(tail)) + tail
    return CaseSpec(name=name, scenario=scenario, expected=_expected(record, run))


def _expected(record: CorrectionRecord, run: CorrectedRun) -> CaseExpectation:
    known = set(Category)
    classification = Category(record.classification) if record.classification in known else None
    if record.kind is CorrectionKind.REJECTED:
        return CaseExpectation(
            status=OutcomeStatus.NEEDS_REVIEW,
            classification=classification,
            forbidden=tuple(kind for kind in dict.fromkeys(run.actions) if kind in ON_ORDERS),
        )
    draft, sent = run.impersonal(record.draft), run.impersonal(record.sent or "")
    # Only what was missing is known to be answerable once it is there.
    was_missing = run.reason is EscalationReason.MISSING_KNOWLEDGE
    return CaseExpectation(
        status=OutcomeStatus.COMPLETED if was_missing else None,
        classification=classification,
        contains=tuple(_stated(sent, but_not=draft))[:MAX_PHRASES],
        omits=tuple(_stated(draft, but_not=sent))[:MAX_PHRASES],
    )


def _stated(text: str, *, but_not: str) -> Iterator[str]:
    """The lasting facts of a text that the other one does not state, as they are written."""
    other = {key for fact in facts(but_not) for key in fact.gives}
    folded = fold(text)
    stated = (
        fact.written.strip()
        for fact in facts(text)
        if fact.kind in _LASTING and not fact.needs & other
    )
    # A number that was written out reads otherwise than it stands there.
    return iter(
        dict.fromkeys(one for one in stated if 0 < len(one) <= _MAX_PHRASE and one in folded)
    )


def _content(
    record: CorrectionRecord, run: CorrectedRun, diff: Sequence[Piece]
) -> ContentLesson | None:
    if record.sent is None or not record.sent.strip():
        return None
    if run.template is not None and record.kind is CorrectionKind.EDITED:
        body = rewritten_template(run.template.body, record.draft, diff)
        # What the person added must be of no customer.
        if body is not None and run.impersonal(body) == body and body != run.template.body:
            return TemplateRevision(template_id=run.template.id, change=TemplateChange(body=body))
    body = run.impersonal(record.sent)[:MAX_BODY].strip()
    return SuggestedEntry(
        title=_title(record, run, MAX_LINE), body=body, language=language_of(record)
    )


def _title(record: CorrectionRecord, run: CorrectedRun, limit: int) -> str:
    """The customer's question on one line, as far as there is room."""
    given = record.subject or next((line for line in record.text.splitlines() if line.strip()), "")
    words = " ".join(run.impersonal(given[:MAX_BODY]).split())
    cut = words[: min(limit, _TITLE_CHARS)].rstrip()
    return cut or record.classification or record.kind.value
