"""Offers: what can be made of a correction, filled in for a person to look through."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from domain.agent.brain import Language
from domain.agent.grounding.facts import FactKind, facts
from domain.cases.case import MAX_PHRASES, CaseSpec
from domain.cases.from_run import RunForCase, case_of, order_numbers_of
from domain.cases.impersonal import impersonal
from domain.content.content import (
    MAX_BODY,
    MAX_LINE,
    KnowledgeChange,
    KnowledgeEntry,
    TemplateChange,
    TemplateEntry,
)
from domain.content.content import language_of as language_of_text
from domain.content.suggestion import SuggestedEntry
from domain.core.text import fold
from domain.intake.order_number import find_order_numbers, same_once
from domain.learning.correction import (
    ContentLesson,
    CorrectionKind,
    CorrectionOffers,
    CorrectionRecord,
    KnowledgeRevision,
    TemplateRevision,
)
from domain.learning.entry_rewrite import rewritten_entry
from domain.learning.template_rewrite import rewritten_template
from domain.learning.word_diff import Piece

_MAX_PHRASE: Final = 500
_TITLE_CHARS: Final = 80

# What another customer's answer would hold too. Dates and numbers are of one order or one day.
_LASTING: Final = frozenset(
    {FactKind.MONEY, FactKind.SHARE, FactKind.PERIOD, FactKind.CLOCK, FactKind.LINK}
)


@dataclass(frozen=True, slots=True)
class CorrectedRun:
    """What a correction's run was besides. `run`: as a case is made of it, None where the
    customer's words are gone. `content`: the template or entry that the draft rests on, if it
    rests on one alone."""

    run: RunForCase | None
    content: TemplateEntry | KnowledgeEntry | None

    def impersonal(self, text: str) -> str:
        """The text with the customer's personal data replaced, as in the case, and each number of
        an order that the text itself names."""
        said = find_order_numbers(text)
        if self.run is None:
            return impersonal(text, email=None, name=None, order_numbers=said)
        event = self.run.event
        return impersonal(
            text,
            email=event.customer_email,
            name=event.customer_name,
            order_numbers=same_once((*order_numbers_of(self.run), *said)),
        )


def offers(record: CorrectionRecord, run: CorrectedRun, diff: Sequence[Piece]) -> CorrectionOffers:
    """`diff`: from the draft to what was sent, empty where nothing was."""
    return CorrectionOffers(case=_case(record, run), content=_content(record, run, diff))


def language_of(record: CorrectionRecord, *texts: str) -> Language:
    """Return the language that the texts are plainly in, else that of the customer's message;
    French if that is unknown."""
    return language_of_text(texts, "en" if record.language == "en" else "fr")


def example_text(record: CorrectionRecord, run: CorrectedRun) -> str:
    """What a labelled example keeps of the customer's message."""
    words = "\n".join(part for part in (record.subject, record.text) if part)
    return run.impersonal(words[:MAX_BODY])


def _case(record: CorrectionRecord, run: CorrectedRun) -> CaseSpec | None:
    if run.run is None or not run.run.event.text.strip():
        return None
    case = case_of(run.run)
    if record.sent is None or record.kind is CorrectionKind.REJECTED:
        return case
    draft, sent = run.impersonal(record.draft), run.impersonal(record.sent)
    stated = {
        "contains": tuple(_stated(sent, but_not=draft))[:MAX_PHRASES],
        "omits": tuple(_stated(draft, but_not=sent))[:MAX_PHRASES],
    }
    return case.model_copy(update={"expected": case.expected.model_copy(update=stated)})


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
    revision = _revision(record, run, diff)
    if revision is not None:
        return revision
    body = run.impersonal(record.sent)[:MAX_BODY].strip()
    title = _title(record, run, MAX_LINE)
    return SuggestedEntry(title=title, body=body, language=language_of(record, title, body))


def _revision(
    record: CorrectionRecord, run: CorrectedRun, diff: Sequence[Piece]
) -> TemplateRevision | KnowledgeRevision | None:
    """The same change made to what the draft rests on; None where it cannot be made there."""
    if run.content is None or record.kind is not CorrectionKind.EDITED:
        return None
    old, draft = run.content.body, record.draft
    is_template = isinstance(run.content, TemplateEntry)
    body = rewritten_template(old, draft, diff) if is_template else rewritten_entry(old, diff)
    # What the person added must be of no customer.
    if body is None or body == old or run.impersonal(body) != body:
        return None
    if is_template:
        return TemplateRevision(template_id=run.content.id, change=TemplateChange(body=body))
    return KnowledgeRevision(knowledge_id=run.content.id, change=KnowledgeChange(body=body))


def _title(record: CorrectionRecord, run: CorrectedRun, limit: int) -> str:
    """The customer's question on one line, as far as there is room."""
    given = record.subject or next((line for line in record.text.splitlines() if line.strip()), "")
    words = " ".join(run.impersonal(given[:MAX_BODY]).split())
    cut = words[: min(limit, _TITLE_CHARS)].rstrip()
    return cut or record.classification or record.kind.value
