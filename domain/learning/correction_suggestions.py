"""Suggestions derived from a correction, prefilled for a user to check."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from domain.agent.brain import Language
from domain.agent.grounding.facts import FactKind, facts
from domain.cases.anonymized import anonymized
from domain.cases.case import MAX_PHRASES, CaseSpec
from domain.cases.from_run import RunForCase, case_of, order_numbers_of
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
from domain.core.plain_text import shortened
from domain.core.text import fold
from domain.intake.order_number import find_order_numbers, same_once
from domain.learning.correction import (
    ContentLesson,
    CorrectionKind,
    CorrectionRecord,
    CorrectionSuggestions,
    KnowledgeRevision,
    TemplateRevision,
)
from domain.learning.entry_rewrite import rewritten_entry
from domain.learning.template_rewrite import rewritten_template
from domain.learning.word_diff import Piece

_MAX_PHRASE: Final = 500
_TITLE_CHARS: Final = 80

# Kinds of facts that can also be true in another customer's answer. Dates and numbers, by contrast,
# apply to only one order or day.
_LASTING: Final = frozenset(
    {FactKind.MONEY, FactKind.SHARE, FactKind.PERIOD, FactKind.CLOCK, FactKind.LINK}
)


@dataclass(frozen=True, slots=True)
class CorrectedRun:
    """The run that produced the corrected draft. `run` is None if the customer's text was erased.
    `content` is the template or entry behind the draft, or None unless there is exactly one."""

    run: RunForCase | None
    content: TemplateEntry | KnowledgeEntry | None

    def anonymized(self, text: str) -> str:
        """Return the text with the customer's personal data replaced, as in a case created from the
        run. Order numbers that occur only in this text are also replaced."""
        said = find_order_numbers(text)
        if self.run is None:
            return anonymized(text, email=None, name=None, order_numbers=said)
        event = self.run.event
        return anonymized(
            text,
            email=event.customer_email,
            name=event.customer_name,
            order_numbers=same_once((*order_numbers_of(self.run), *said)),
        )


def suggestions_from(
    record: CorrectionRecord, run: CorrectedRun, diff: Sequence[Piece]
) -> CorrectionSuggestions:
    """Return the suggestions for a correction. `diff` is the difference from the draft to the text
    that was sent, or empty if no text was sent."""
    return CorrectionSuggestions(case=_case(record, run), content=_content(record, run, diff))


def language_of(record: CorrectionRecord, *texts: str) -> Language:
    """Return the language of the texts. If it is unclear, return English if the customer's message
    is in English, and French otherwise."""
    return language_of_text(texts, "en" if record.language == "en" else "fr")


def example_text(record: CorrectionRecord, run: CorrectedRun) -> str:
    """Return the customer's message with personal data replaced, for a labelled example."""
    words = "\n".join(part for part in (record.subject, record.text) if part)
    return run.anonymized(words[:MAX_BODY])


def example_answer(record: CorrectionRecord, run: CorrectedRun) -> str | None:
    """Return the human agent's answer with personal data replaced, or None if it is unknown."""
    sent = (record.sent or "").strip()
    return run.anonymized(sent[:MAX_BODY]) if sent else None


def _case(record: CorrectionRecord, run: CorrectedRun) -> CaseSpec | None:
    if run.run is None or not run.run.event.text.strip():
        return None
    case = case_of(run.run)
    if record.sent is None or record.kind is CorrectionKind.REJECTED:
        return case
    draft, sent = run.anonymized(record.draft), run.anonymized(record.sent)
    stated = {
        "contains": tuple(_stated(sent, but_not=draft))[:MAX_PHRASES],
        "omits": tuple(_stated(draft, but_not=sent))[:MAX_PHRASES],
    }
    return case.model_copy(update={"expected": case.expected.model_copy(update=stated)})


def _stated(text: str, *, but_not: str) -> Iterator[str]:
    """Yield the lasting facts in `text` that are not in `but_not`, as written in `text`."""
    other = {key for fact in facts(but_not) for key in fact.gives}
    folded = fold(text)
    stated = (
        fact.written.strip()
        for fact in facts(text)
        if fact.kind in _LASTING and not fact.needs & other
    )
    # A number written in words is reported in digits, so the reported form might not occur in the
    # text.
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
    body = run.anonymized(record.sent)[:MAX_BODY].strip()
    title = _title(record, run, MAX_LINE)
    return SuggestedEntry(title=title, body=body, language=language_of(record, title, body))


def _revision(
    record: CorrectionRecord, run: CorrectedRun, diff: Sequence[Piece]
) -> TemplateRevision | KnowledgeRevision | None:
    """Return the content on which the draft is based, with the reviewer's edit applied. Return None
    if the edit cannot be applied."""
    if run.content is None or record.kind is not CorrectionKind.EDITED:
        return None
    old, draft = run.content.body, record.draft
    is_template = isinstance(run.content, TemplateEntry)
    body = rewritten_template(old, draft, diff) if is_template else rewritten_entry(old, diff)
    # The revised content must not contain customer data.
    if body is None or body == old or run.anonymized(body) != body:
        return None
    if is_template:
        return TemplateRevision(template_id=run.content.id, change=TemplateChange(body=body))
    return KnowledgeRevision(knowledge_id=run.content.id, change=KnowledgeChange(body=body))


def _title(record: CorrectionRecord, run: CorrectedRun, limit: int) -> str:
    given = record.subject or next((line for line in record.text.splitlines() if line.strip()), "")
    words = " ".join(run.anonymized(given[:MAX_BODY]).split())
    return shortened(words, min(limit, _TITLE_CHARS)) or record.classification or record.kind.value
