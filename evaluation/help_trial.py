"""Trials of questions to a shop's help centre: whether the agent answers the question, and whether
the draft for human review contains the facts."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from domain.agent.brain import Brain, Passage
from domain.agent.brain_context import BrainContext
from domain.agent.excerpt import HeldDraft, is_excerpt
from domain.agent.rulebook import Rulebook
from domain.agent.thinking import think_through
from domain.core.errors import DomainError
from domain.intake.event import DEFAULT_EVENT_TYPE, InboundEvent
from domain.intake.normalization import normalize
from domain.playbooks.playbook import DEFAULT_THRESHOLD
from domain.runs.run import RunDraft, review_reason
from domain.tenants.client_settings import ClientSettings
from evaluation.attacked_shop import NOW
from evaluation.figure import HandFigure, Hit, tally
from evaluation.help_question import HelpQuestion
from evaluation.help_shop import opened_shops
from evaluation.net import safety_net
from evaluation.sealing import LabelledSet

_FIRST_FIVE: Final = 5


@dataclass(frozen=True, slots=True)
class HelpOutcome:
    """The outcome of one question. `found` are the articles found, nearest first. `text` is the
    answer if `sent`, else the draft. `is_excerpt`: the customer receives the draft's sentences at
    once, as an excerpt."""

    question: HelpQuestion
    found: tuple[str, ...]
    text: str
    sent: bool
    is_excerpt: bool = False

    @property
    def id(self) -> str:
        return self.question.id

    @property
    def is_right(self) -> bool:
        return self.question.holds_facts(self.text)


async def try_questions(
    brain: Brain, questions: LabelledSet[HelpQuestion]
) -> LabelledSet[HelpOutcome]:
    """Send each question to its shop, through the product's own search, brain and policy. Return
    the outcomes."""
    async with opened_shops(sorted({one.shop for one in questions.rows})) as shops:

        async def outcome(one: HelpQuestion) -> HelpOutcome:
            return await _outcome(brain, one, await shops[one.shop].passages(one.text))

        async def outcomes(rows: Iterable[HelpQuestion]) -> tuple[HelpOutcome, ...]:
            return tuple([await outcome(one) for one in rows])

        return LabelledSet(
            open=await outcomes(questions.open),
            sealed=None if questions.sealed is None else await outcomes(questions.sealed),
        )


async def _outcome(
    brain: Brain, question: HelpQuestion, passages: tuple[Passage, ...]
) -> HelpOutcome:
    inbound = InboundEvent(
        event_type=DEFAULT_EVENT_TYPE,
        customer_email="ines.faure@customer.example",
        message=question.text,
    )
    context = BrainContext(
        event=normalize(inbound, fallback_ticket_id="evaluation"),
        brand_name=question.shop.title(),
        rulebook=Rulebook(),
        templates=(),
        passages=passages,
    )
    found = tuple(passage.id for passage in passages)
    try:
        thought = await think_through(brain, context, NOW, safety_net())
    except DomainError:
        return HelpOutcome(question, found, "", sent=False)
    held = review_reason(RunDraft.of(thought), DEFAULT_THRESHOLD)
    text = thought.text or thought.answer.response
    return HelpOutcome(
        question,
        found,
        text,
        sent=held is None and bool(thought.text),
        is_excerpt=is_excerpt(HeldDraft.of(thought, held), ClientSettings()),
    )


def help_figures(outcomes: LabelledSet[HelpOutcome]) -> tuple[HandFigure, ...]:
    """Return every metric for the help set."""

    def detail(one: HelpOutcome) -> str:
        return f"{one.question.article} for: {one.question.text[:120]} → {one.text[:200]}"

    def answerable(one: HelpOutcome) -> bool:
        return one.question.kind == "answerable"

    def same_language(one: HelpOutcome) -> bool:
        return one.question.kind in ("answerable", "two_matter")

    def found(one: HelpOutcome) -> bool:
        return bool(one.question.answered_by & set(one.found[:_FIRST_FIVE]))

    def other_language(one: HelpOutcome) -> bool:
        return one.question.kind == "other_language"

    def figure(text: str, hits: LabelledSet[Hit], most: float | None = None) -> HandFigure:
        return HandFigure("help", text, hits, most=most, lists_misses=True)

    return (
        figure("answered rightly", tally(outcomes, _rightly, of=answerable, detail=detail)),
        figure("wrong of those sent", tally(outcomes, _wrong, of=_sent, detail=detail)),
        figure("draft holds the facts", tally(outcomes, _holds, of=answerable, detail=detail)),
        figure("received the facts at once", tally(outcomes, _received, of=answerable)),
        figure("excerpt without the facts", tally(outcomes, _wrong, of=_quoted)),
        figure("article among five", tally(outcomes, found, of=same_language, detail=detail)),
        figure(
            "article among five, other language",
            tally(outcomes, found, of=other_language, detail=detail),
        ),
    )


def _sent(one: HelpOutcome) -> bool:
    return one.sent


def _quoted(one: HelpOutcome) -> bool:
    return one.is_excerpt


def _received(one: HelpOutcome) -> bool:
    """Return True if the answer or the excerpt contains the facts."""
    return (one.sent or one.is_excerpt) and one.is_right


def _rightly(one: HelpOutcome) -> bool:
    return one.sent and one.is_right


def _wrong(one: HelpOutcome) -> bool:
    return not one.is_right


def _holds(one: HelpOutcome) -> bool:
    return one.is_right
