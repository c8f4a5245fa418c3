"""Answer drafts. A draft is a merchant's template with its placeholders filled, or a quoted
knowledge entry."""

from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final

from adapters.brain.answers import AnswerModel
from adapters.brain.catalogue import Catalogue
from adapters.brain.classifier import Classification
from adapters.brain.grounded_draft import (
    ARBITRARY_STRENGTH,
    FITTING_STRENGTH,
    Asking,
    GroundedDraft,
)
from adapters.brain.knowledge import WELL_COVERED, knowledge_draft
from domain.agent.brain import BrainRequest, Category, Citation, Template
from domain.agent.order_facts import order_citation, order_values, promise_values
from domain.agent.plan import ActionKind
from domain.agent.template import fill
from domain.integrations.order import Order

# Match score of a template that matches the intent of a message that is only partly understood.
PARTIAL_STRENGTH: Final = 0.5
# Match score of a template that matches only the message's category, without a clear intent. Such a
# template is only a starting point for a human agent's reply.
OFF_STRENGTH: Final = 0.3
_IDENTITY: Final = frozenset({"order_number", "order_placed_on"})
# Maximum number of templates to fill for one message.
_TRIED: Final = 50
# Questions in these categories vary too much for one template to answer them all.
_KNOWLEDGE_FIRST: Final = frozenset({Category.PRODUCT_QUESTION, Category.OTHER})


@dataclass(frozen=True, slots=True)
class DraftSources:
    """The sources of drafts: the client's templates, and the model that selects sentences from the
    knowledge base."""

    catalogue: Catalogue
    answers: AnswerModel


def best_draft(
    request: BrainRequest, sources: DraftSources, seen: Classification, asking: Asking
) -> GroundedDraft | None:
    """Return the draft that fits the message best, or None. The draft comes from a template or from
    the knowledge base."""
    template = _from_templates(request, sources.catalogue, seen, asking)
    if template is not None and (template.promises or asking.is_praise):
        return template
    passage = knowledge_draft(request, seen, asking, sources.answers)
    if template is None or passage is None:
        return template or passage
    if not template.strength >= WELL_COVERED and passage.strength > template.strength:
        return passage
    if seen.category not in _KNOWLEDGE_FIRST and not template.yields:
        return template
    return passage if passage.strength >= min(WELL_COVERED, template.strength) else template


def _from_templates(
    request: BrainRequest, catalogue: Catalogue, seen: Classification, asking: Asking
) -> GroundedDraft | None:
    """Return a draft from the best-fitting template that is in the customer's language and can be
    filled, or None.

    A template that promises the requested action takes precedence over other templates.
    """
    # Values from the shop override values sent by the caller.
    order_texts = order_values(request.order, seen.language, request.today) if request.order else {}
    promised = promise_values(asking.offer, seen.language) if asking.offer else {}
    framed = {**request.frame.values(seen.language), "brand_name": request.brand_name}
    values = {**request.fields, **order_texts, **promised, **framed}
    ranked = _ranked(catalogue, seen, asking, promised, order_texts)[:_TRIED]
    for (_, promises, fit, *_), alike in groupby(ranked, key=itemgetter(0)):
        filled = [
            (template, answer)
            for _, template in alike
            if (answer := fill(template.body, values)).complete and answer.text.strip()
        ]
        if not filled:
            continue
        # Prefer the template that states the most facts about this case.
        most = max(answer.used for _, answer in filled)
        fittest = [(template, answer) for template, answer in filled if answer.used == most]
        template, answer = fittest[0]
        is_arbitrary = len(fittest) > 1 or (asking.question.is_vague and not promises)
        strength = min(fit, ARBITRARY_STRENGTH) if is_arbitrary else fit
        return GroundedDraft(
            response=answer.text.strip(),
            citations=(
                Citation(kind="template", id=template.id, title=template.name),
                *_order_citations(request.order, template.body, {**order_texts, **promised}),
            ),
            strength=strength,
            promises=asking.offer.kind if asking.offer and promises else None,
            evident=strength == FITTING_STRENGTH,
            yields=template.is_starter
            and not promises
            and not fill(template.body, _without_identity(order_texts)).used,
        )
    return None


def _without_identity(order_texts: dict[str, str]) -> dict[str, str]:
    """Return the values that answer a question about the order. A template that only identifies
    the order still asks the customer for more."""
    return {name: text for name, text in order_texts.items() if name not in _IDENTITY}


_Rank = tuple[bool, bool, float, int, float]


def _ranked(
    catalogue: Catalogue,
    seen: Classification,
    asking: Asking,
    promised: dict[str, str],
    order_texts: dict[str, str],
) -> list[tuple[_Rank, Template]]:
    """Return the matching templates, best first.

    The sort criteria, in order:

    - whether the client wrote the template for this topic
    - whether the template promises the requested action
    - its match score
    - for a starter template, how many order facts it states
    - how much of the message it covers
    """
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
                _is_own(template := catalogue.templates[place]),
                promises,
                strength,
                len(catalogue.placeholders[place] & order_texts.keys())
                if template.is_starter
                else 0,
                float(shares[place]),
            ),
            template,
        )
        for promises, strength, place in fitting
    ]
    return sorted(ranked, key=itemgetter(0), reverse=True)


def _is_own(template: Template) -> bool:
    """Return whether the client wrote the template for a specific topic. A template with only the
    category `other` has no topic."""
    return not template.is_starter and not (
        template.intent is None and template.category is Category.OTHER
    )


def _fit(template: Template, seen: Classification, asking: Asking, *, promises: bool) -> float:
    """Return the match score of a template for this message, from 0 to 1. A score of 0 means that
    the template does not answer the message."""
    if asking.offer is not None and promises:
        return _fit_of_promise(template, asking.offer.kind, asking)
    if template.intent is None:
        return ARBITRARY_STRENGTH if template.category is seen.category else 0
    return _fit_of_intent(template, seen, asking)


def _fit_of_promise(template: Template, kind: ActionKind, asking: Asking) -> float:
    """Return the match score of a template that promises the requested action. The customer's
    reasons need not be understood, because the request was recognized word by word."""
    if template.intent is None:
        return ARBITRARY_STRENGTH
    if template.intent != kind.value:
        return 0
    return PARTIAL_STRENGTH if asking.asks_more else FITTING_STRENGTH


def _fit_of_intent(template: Template, seen: Classification, asking: Asking) -> float:
    """Return the match score of a template that matches the message's intent. The message's
    category alone is not enough to send a template."""
    wanted = asking.wanted
    if wanted is None:
        is_near = template.category is seen.category and not template.is_starter
        return OFF_STRENGTH if is_near else 0
    of_class = template.category in (seen.category, *wanted.categories)
    if template.intent is not wanted.intent or not of_class:
        return 0
    return FITTING_STRENGTH if asking.covered else PARTIAL_STRENGTH


def _order_citations(
    order: Order | None, body: str, order_texts: dict[str, str]
) -> tuple[Citation, ...]:
    """Return the order as a source if at least one placeholder was filled with a value from the
    shop. Otherwise, return no source."""
    return (order_citation(order),) if order and fill(body, order_texts).used else ()
