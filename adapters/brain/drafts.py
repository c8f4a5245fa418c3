"""What could be answered: a merchant's template, filled, or a quoted knowledge entry."""

from dataclasses import dataclass
from typing import Final

from adapters.brain.classifier import Classification
from adapters.brain.order_facts import order_citation, order_values, promise_values
from adapters.brain.relevance import Question, coverage, excerpt
from domain.agent.brain import BrainRequest, Category, Citation, Language, Passage, Template
from domain.agent.plan import ActionKind, PlannedAction
from domain.agent.template import Filled, clean_value, fill, names
from domain.integrations.order import Order

# What a source is worth at best: even a sure class and a fitting text leave room for doubt.
FITTING_STRENGTH: Final = 0.95
# Several templates and nothing to choose by, a class that says only what a message is not, or a
# message that says no more than "delivery" or "a problem": under the default threshold (0.70), so
# that a human looks at it.
ARBITRARY_STRENGTH: Final = 0.65
# A passage of less coverage is about something else.
RELEVANT: Final = 0.5
# One word of four missing may be the one that matters (the lamp's name): that is to stay under
# the default threshold, so strength falls faster than coverage.
_GAP_PENALTY: Final = 1.5
# From this strength on a passage is preferred to a template by the classes of `_KNOWLEDGE_FIRST`.
WELL_COVERED: Final = 0.7
# What these ask differs from message to message, so that one template cannot know the answer.
_KNOWLEDGE_FIRST: Final = frozenset({Category.PRODUCT_QUESTION, Category.OTHER})

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
class GroundedDraft:
    """A possible answer; `strength` (0 to 1) is how well it rests on its sources.

    `promises`: the action without which it would not be true.
    """

    response: str
    citations: tuple[Citation, ...]
    strength: float
    promises: ActionKind | None = None


def best_draft(
    request: BrainRequest, seen: Classification, question: Question, wish: PlannedAction | None
) -> GroundedDraft | None:
    """The draft that fits the class's kind of question, or what else there is.

    `wish`: what the customer plainly asks for, of what is on offer.
    """
    template = _from_templates(request, seen, question, wish)
    if template is not None and template.promises:
        return template
    passage = _from_passages(request, seen.language, question)
    if template is None or passage is None:
        return template or passage
    if seen.category not in _KNOWLEDGE_FIRST:
        return template
    return passage if passage.strength >= min(WELL_COVERED, template.strength) else template


def _from_templates(
    request: BrainRequest, seen: Classification, question: Question, wish: PlannedAction | None
) -> GroundedDraft | None:
    """The class's template in the customer's language that can be filled and is nearest.

    One that promises what the customer asks for goes before the others.
    """
    # The shop's word goes before the caller's.
    told = order_values(request.order, seen.language) if request.order else {}
    promised = promise_values(wish, seen.language) if wish else {}
    values = {**request.fields, **told, **promised, "brand_name": request.brand_name}
    fitting = [
        (template, filled)
        for template in request.templates
        if template.category == seen.category and template.language == seen.language
        if (filled := fill(template.body, values)).complete and filled.text.strip()
    ]
    if not fitting:
        return None
    keys = [
        (bool(names(template.body) & promised.keys()), *_template_key(question, template, filled))
        for template, filled in fitting
    ]
    best = max(keys)
    template, filled = fitting[keys.index(best)]
    arbitrary = keys.count(best) > 1 or seen.category is Category.OTHER or question.is_vague
    return GroundedDraft(
        response=filled.text.strip(),
        citations=(
            Citation(kind="template", id=template.id, title=template.name),
            *_order_citations(request.order, template.body, {**told, **promised}),
        ),
        strength=ARBITRARY_STRENGTH if arbitrary else FITTING_STRENGTH,
        promises=wish.kind if wish and best[0] else None,
    )


def _order_citations(order: Order | None, body: str, told: dict[str, str]) -> tuple[Citation, ...]:
    """The order, if a placeholder was filled with what the shop told of it."""
    return (order_citation(order),) if order and fill(body, told).used else ()


def _template_key(question: Question, template: Template, filled: Filled) -> tuple[float, int]:
    """Nearest to the words of the message first, then the one that says most of this case."""
    return coverage(question, template.name, template.body), filled.used


def _from_passages(
    request: BrainRequest, language: Language, question: Question
) -> GroundedDraft | None:
    """The passage that covers the message best, quoted; none in another language is translated."""
    found = [
        (coverage(question, passage.title, body), passage.rank, passage, body)
        for passage in request.passages
        if passage.language == language
        # Judged by what would be sent, not by what the rest of a long entry may say.
        if (body := excerpt(question, passage.body))
    ]
    if not found:
        return None
    share, _, passage, body = max(found, key=lambda one: one[:2])
    if share < RELEVANT:
        return None
    return GroundedDraft(
        response=_quote(request, passage, body),
        citations=(Citation(kind="knowledge", id=passage.id, title=passage.title),),
        strength=min(share**_GAP_PENALTY, FITTING_STRENGTH),
    )


def _quote(request: BrainRequest, passage: Passage, body: str) -> str:
    message = _QUOTE[passage.language].format(title=clean_value(passage.title), body=body)
    return signed(request, message)


def signed(request: BrainRequest, message: str) -> str:
    """The message with the merchant's brand below it."""
    brand = clean_value(request.brand_name)
    return f"{message}\n\n{brand}" if brand else message
