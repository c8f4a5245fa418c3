"""What could be answered: a merchant's template, filled, or a quoted knowledge entry."""

import dataclasses
import re
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final

from adapters.brain.catalogue import Catalogue
from adapters.brain.classifier import Classification
from adapters.brain.features import fold
from adapters.brain.order_facts import order_citation, order_values, promise_values
from adapters.brain.relevance import Coverage, Question, excerpt, read_question
from domain.agent.brain import BrainRequest, Category, Citation, Language, Passage, Template
from domain.agent.intents.wanted import Want, clauses_that_want
from domain.agent.plan import ActionKind, PlannedAction
from domain.agent.template import clean_value, fill
from domain.integrations.order import Order

# What a source is worth at best: even a sure class and a fitting text leave room for doubt.
FITTING_STRENGTH: Final = 0.95
# Under the default threshold (0.70), so that a human looks at it: several templates and nothing to
# choose by, a template that names no intent, or a message that says no more than "delivery".
ARBITRARY_STRENGTH: Final = 0.65
# The template of what is wanted, but the message says more than is understood of it.
PARTIAL_STRENGTH: Final = 0.5
# The template of another intent, where nothing evident is wanted: a text to begin from.
OFF_STRENGTH: Final = 0.3
# A passage of less coverage is about something else.
RELEVANT: Final = 0.5
# One word of four missing may be the one that matters (the lamp's name): that is to stay under
# the default threshold, so strength falls faster than coverage.
_GAP_PENALTY: Final = 1.5
# From this strength on a passage is preferred to a template by the classes of `_KNOWLEDGE_FIRST`.
WELL_COVERED: Final = 0.7
# So many templates are filled to see whether they can be.
_TRIED: Final = 50
# What these ask differs from message to message, so that one template cannot know the answer.
_KNOWLEDGE_FIRST: Final = frozenset({Category.PRODUCT_QUESTION, Category.OTHER})

_ASKS: Final = r"(?:combien|quand|comment|quel(?:le)?s?|pourquoi|how|when|where|what|which|why)"
_TWO_QUESTIONS: Final = re.compile(
    rf"\b{_ASKS}\b[^.?!]{{0,200}}\b(?:et|and|puis|also|aussi)\b[^.?!]{{0,30}}\b{_ASKS}\b"
)
_QUOTE: Final[dict[Language, str]] = {
    "fr": (
        "Bonjour,\n\nMerci pour votre message. Voici notre réponse au sujet de « {title} » :\n\n"
        "{body}\n\nSi cela ne répond pas à votre question, il vous suffit de nous l'écrire."
    ),
    "en": (
        "Hello,\n\nThank you for your message. Here is our answer on “{title}”:\n\n"
        "{body}\n\nIf this does not answer your question, simply let us know."
    ),
}


@dataclass(frozen=True, slots=True)
class Asking:
    """A message, or a part of it, as it is to be answered.

    `wanted`: the one thing that it evidently wants. `covered`: nothing in it is left that this does
    not explain. `offer`: the action that it asks for, of what is on offer; `asks_more`: besides it.
    """

    text: str
    question: Question
    wanted: Want | None
    covered: bool
    offer: PlannedAction | None = None
    asks_more: bool = False


@dataclass(frozen=True, slots=True)
class GroundedDraft:
    """A possible answer; `strength` (0 to 1) is how well it rests on its sources.

    `promises`: the action without which it would not be true. `evident`: it answers what the
    message evidently wants, and all of it. `yields`: a starter template that tells nothing of the
    order, so that knowledge of the client's own is preferred.
    """

    response: str
    citations: tuple[Citation, ...]
    strength: float
    promises: ActionKind | None = None
    evident: bool = False
    yields: bool = False

    @property
    def may_go(self) -> bool:
        return self.strength >= WELL_COVERED


def best_draft(
    request: BrainRequest, catalogue: Catalogue, seen: Classification, asking: Asking
) -> GroundedDraft | None:
    """The draft that fits the class's kind of question, or what else there is."""
    template = _from_templates(request, catalogue, seen, asking)
    if template is not None and template.promises:
        return template
    passage = passage_draft(request, seen.language, asking)
    if template is None or passage is None:
        return template or passage
    if not template.may_go and passage.strength > template.strength:
        return passage
    if seen.category not in _KNOWLEDGE_FIRST and not template.yields:
        return template
    return passage if passage.strength >= min(WELL_COVERED, template.strength) else template


def _from_templates(
    request: BrainRequest, catalogue: Catalogue, seen: Classification, asking: Asking
) -> GroundedDraft | None:
    """The fittest template in the customer's language that can be filled, the nearest of those.

    One that promises what the customer asks for goes before the others.
    """
    # The shop's word goes before the caller's.
    told = order_values(request.order, seen.language, request.today) if request.order else {}
    promised = promise_values(asking.offer, seen.language) if asking.offer else {}
    framed = {**request.frame.values(seen.language), "brand_name": request.brand_name}
    values = {**request.fields, **told, **promised, **framed}
    ranked = _ranked(catalogue, seen, asking, promised, told)[:_TRIED]
    for (promises, fit, *_), alike in groupby(ranked, key=itemgetter(0)):
        filled = [
            (template, answer)
            for _, template in alike
            if (answer := fill(template.body, values)).complete and answer.text.strip()
        ]
        if not filled:
            continue
        # The one that says most of this case.
        most = max(answer.used for _, answer in filled)
        fittest = [(template, answer) for template, answer in filled if answer.used == most]
        template, answer = fittest[0]
        is_arbitrary = len(fittest) > 1 or (asking.question.is_vague and not promises)
        strength = min(fit, ARBITRARY_STRENGTH) if is_arbitrary else fit
        return GroundedDraft(
            response=answer.text.strip(),
            citations=(
                Citation(kind="template", id=template.id, title=template.name),
                *_order_citations(request.order, template.body, {**told, **promised}),
            ),
            strength=strength,
            promises=asking.offer.kind if asking.offer and promises else None,
            evident=strength == FITTING_STRENGTH,
            yields=template.is_starter and not promises and not fill(template.body, told).used,
        )
    return None


_Rank = tuple[bool, float, bool, int, float]


def _ranked(
    catalogue: Catalogue,
    seen: Classification,
    asking: Asking,
    promised: dict[str, str],
    told: dict[str, str],
) -> list[tuple[_Rank, Template]]:
    """The templates that fit, the best first: whether they promise what is asked for, how well
    they fit, whether they are the client's own, how many facts of the order a starter tells, and
    how near they are to the words of the message."""
    excluded = catalogue.not_for.mentioned(asking.text)
    fitting: list[tuple[bool, float, int]] = []
    for place in catalogue.places(seen.language):
        promises = not catalogue.placeholders[place].isdisjoint(promised)
        strength = _fit(catalogue.templates[place], seen, asking, promises=promises)
        if strength > 0 and place not in excluded:
            fitting.append((promises, strength, place))
    if not fitting:
        return []
    shares = catalogue.coverage.shares(asking.question)
    ranked = [
        (
            (
                promises,
                strength,
                not (template := catalogue.templates[place]).is_starter,
                len(catalogue.placeholders[place] & told.keys()) if template.is_starter else 0,
                float(shares[place]),
            ),
            template,
        )
        for promises, strength, place in fitting
    ]
    return sorted(ranked, key=itemgetter(0), reverse=True)


def _fit(template: Template, seen: Classification, asking: Asking, *, promises: bool) -> float:
    """How well a template answers this message; 0: not at all."""
    if asking.offer is not None and promises:
        return _fit_of_promise(template, asking.offer.kind, asking)
    if template.intent is None:
        return ARBITRARY_STRENGTH if template.category is seen.category else 0
    return _fit_of_intent(template, seen, asking)


def _fit_of_promise(template: Template, kind: ActionKind, asking: Asking) -> float:
    """The request was proved word by word, so that its reasons need no explanation."""
    if template.intent is None:
        return ARBITRARY_STRENGTH
    if template.intent != kind.value:
        return 0
    return PARTIAL_STRENGTH if asking.asks_more else FITTING_STRENGTH


def _fit_of_intent(template: Template, seen: Classification, asking: Asking) -> float:
    """A class says too little to send by: only what is evidently wanted makes a template fit."""
    wanted = asking.wanted
    if wanted is None:
        is_near = template.category is seen.category and not template.is_starter
        return OFF_STRENGTH if is_near else 0
    of_class = template.category in (seen.category, *wanted.categories)
    if template.intent is not wanted.intent or not of_class:
        return 0
    return FITTING_STRENGTH if asking.covered else PARTIAL_STRENGTH


def _order_citations(order: Order | None, body: str, told: dict[str, str]) -> tuple[Citation, ...]:
    """The order, if a placeholder was filled with what the shop told of it."""
    return (order_citation(order),) if order and fill(body, told).used else ()


def passage_draft(
    request: BrainRequest, language: Language, asking: Asking
) -> GroundedDraft | None:
    """The passage that covers the message best, quoted; none in another language is translated."""
    question = asking.question
    if asking.covered and asking.wanted is not None:
        # What stands beside the wish is explained, and needs no answer.
        wanted = clauses_that_want(asking.text, asking.wanted.intent)
        question = dataclasses.replace(read_question(wanted), is_vague=question.is_vague)
    passages = [
        (passage, body)
        for passage in request.passages
        if passage.language == language
        # Judged by what would be sent, not by what the rest of a long entry may say.
        if (body := excerpt(question, passage.body))
    ]
    if not passages:
        return None
    shares = Coverage.of([(passage.title, body) for passage, body in passages]).shares(question)
    found = [
        (float(share), passage.rank, passage, body)
        for share, (passage, body) in zip(shares, passages, strict=True)
    ]
    share, _, passage, body = max(found, key=lambda one: one[:2])
    if share < RELEVANT:
        return None
    # One entry seldom answers both, and what it leaves out nobody would notice.
    twice = _TWO_QUESTIONS.search(fold(asking.text)) is not None
    return GroundedDraft(
        response=_quote(request, passage, body),
        citations=(Citation(kind="knowledge", id=passage.id, title=passage.title),),
        strength=min(share**_GAP_PENALTY, ARBITRARY_STRENGTH if twice else FITTING_STRENGTH),
        evident=asking.covered and asking.wanted is not None and not twice,
    )


def _quote(request: BrainRequest, passage: Passage, body: str) -> str:
    message = _QUOTE[passage.language].format(title=clean_value(passage.title), body=body)
    brand = clean_value(request.brand_name)
    return f"{message}\n\n{brand}" if brand else message
