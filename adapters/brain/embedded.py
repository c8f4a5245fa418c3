"""The embedded brain: it answers without any network, from templates and knowledge only.

It composes nothing of its own: an answer is a merchant's template or a quoted knowledge entry.
Where neither fits it says so, and a human takes over.
"""

import dataclasses
import re
from dataclasses import dataclass
from typing import Final

from adapters.brain.classifier import Classification, Classifier
from adapters.brain.features import fold, words
from adapters.brain.relevance import Question, coverage, excerpt, is_foreign, read_question
from domain.brain import (
    Alternative,
    BrainAnswer,
    BrainRequest,
    Category,
    Citation,
    Language,
    Passage,
    Template,
)
from domain.escalation import EscalationReason
from domain.template import Filled, clean_value, fill

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
UNANSWERED_CONFIDENCE: Final = 0.3
UNSUPPORTED_CONFIDENCE: Final = 0.2
_LIMITS: Final = {
    EscalationReason.MISSING_KNOWLEDGE: UNANSWERED_CONFIDENCE,
    EscalationReason.UNSUPPORTED_REQUEST: UNSUPPORTED_CONFIDENCE,
    EscalationReason.CUSTOMER_REQUEST: UNSUPPORTED_CONFIDENCE,
}
LOW_PROBABILITY: Final = 0.5
LOW_LANGUAGE_PROBABILITY: Final = 0.6

_SUBJECT_READ: Final = 200
_ALTERNATIVES: Final = 3
# What these ask differs from message to message, so that one template cannot know the answer.
_KNOWLEDGE_FIRST: Final = frozenset({Category.PRODUCT_QUESTION, Category.OTHER})

_PERSON_FR: Final = (
    r"(?:conseillere?|humain|operateur|operatrice|agent|responsable|superieur|personne|quelqu un"
    r"|vrai\w* (?:personne|humain|gens|conseillere?)|service client|teleconseillere?|employee?)"
)
_PERSON_EN: Final = (
    r"(?:human|person|people|agent|advis[eo]r|representative|rep|operator|manager|supervisor"
    r"|someone|somebody|staff member|human being|customer service)"
)
# Matched against folded words joined by single spaces.
_HUMAN_REQUEST: Final = re.compile(
    r"\b(?:"
    rf"(?:parler|discuter|echanger|joindre|contacter) (?:\w+ ){{0,4}}?{_PERSON_FR}"
    rf"|(?:passez|transferez|connectez|mettez) (?:moi|nous) (?:\w+ ){{0,4}}?{_PERSON_FR}"
    rf"|(?:mise?|mettre) en (?:relation|contact) avec (?:\w+ ){{0,3}}?{_PERSON_FR}"
    r"|(?:un|une) (?:vraie? )?(?:humain|conseillere?|operateur|vraie? personne|personne reelle)"
    r" (?:s il (?:vous|te) plait|svp|stp|merci)"
    r"|(?:un vrai humain|une vraie personne|un etre humain|une personne reelle)"
    r"|(?:parler|discuter) (?:pas )?(?:a|avec) un robot|pas (?:a |avec )?un robot"
    r"|(?:recontactee?|rappelee?) par (?:\w+ ){0,2}?(?:conseillere?|humain|personne)"
    r"|(?:speak|talk|chat|transfer|connect|escalate)(?: me| us| this)? (?:to|with) "
    rf"(?:\w+ ){{0,4}}?{_PERSON_EN}"
    r"|(?:put me through|get me|give me|i want|i need|i d like)(?: to)? an? "
    r"(?:(?:real|actual|live) )?(?:human|agent|representative)"
    r"|(?:put me through|get me|give me|i want|i need) an? (?:real |actual )?person(?: to|$)"
    r"|(?:real|actual|live) (?:person|human|agent|human being)"
    r"|(?:human|agent|representative|person) (?:please|pls|plz|now)"
    r"|(?:talk|speak|chat)(?:ing)? (?:to|with) an? (?:ro)?bot|not an? (?:ro)?bot"
    r")\b"
)
_WANTS_NONE: Final = re.compile(
    r"\b(?:pas besoin|inutile|no need|(?:do not|don t) (?:need|want|have)) "
    r"(?:(?:de|d|to|an?|un|une|me|que) )*"
    r"(?:parler|joindre|contacter|speak|talk|human|agent|conseillere?|humain)\b"
    # "I don't want to talk to a bot" is such a request.
    r"(?! (?:to|with|a|avec) (?:an?|un) (?:ro)?bot)"
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

ACKNOWLEDGEMENT: Final[dict[Language, str]] = {
    "fr": (
        "Bonjour,\n\nNous avons bien reçu votre message, mais nous n'avons pas encore de réponse "
        "sûre à vous donner. Pourriez-vous nous en dire un peu plus ?"
    ),
    "en": (
        "Hello,\n\nWe have received your message, but we have no certain answer to give you yet. "
        "Could you tell us a little more?"
    ),
}


@dataclass(frozen=True, slots=True)
class _Draft:
    """A possible answer; `strength` (0 to 1) is how well it rests on its source."""

    response: str
    citation: Citation
    strength: float


class EmbeddedBrain:
    """A `Brain`. Deterministic: the same request always has the same answer."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier
        self._model = f"embedded:{classifier.fingerprint[:8]}"

    async def think(self, request: BrainRequest) -> BrainAnswer:
        """Never raises, whatever the text."""
        text = f"{(request.subject or '')[:_SUBJECT_READ]}\n{request.text}".strip()
        seen = self._classifier.classify(text)
        if _is_wordless(text):
            seen = dataclasses.replace(seen, category=Category.OTHER)
            return self._unanswered(request, seen, EscalationReason.UNSUPPORTED_REQUEST)
        if is_foreign(text):
            return self._unanswered(request, seen, EscalationReason.UNSUPPORTED_REQUEST)
        if asks_for_human(text):
            return self._unanswered(request, seen, EscalationReason.CUSTOMER_REQUEST)
        draft = _best_draft(request, seen, read_question(text))
        if draft is None:
            return self._unanswered(request, seen, EscalationReason.MISSING_KNOWLEDGE)
        return self._answered(seen, draft)

    def _answered(self, seen: Classification, draft: _Draft) -> BrainAnswer:
        probability = seen.probabilities[seen.category]
        unsure = (
            probability < LOW_PROBABILITY or seen.language_probability < LOW_LANGUAGE_PROBABILITY
        )
        return BrainAnswer(
            classification=seen.category,
            # An answer is as sure as the least sure thing it rests on.
            confidence=_rounded(min(probability, seen.language_probability, draft.strength)),
            alternatives=_alternatives(seen, seen.category),
            language=seen.language,
            response=draft.response,
            citations=(draft.citation,),
            doubt=EscalationReason.LOW_CONFIDENCE if unsure else None,
            model=self._model,
        )

    def _unanswered(
        self, request: BrainRequest, seen: Classification, doubt: EscalationReason
    ) -> BrainAnswer:
        """No source fits: an acknowledgement that asserts nothing, at a low confidence.

        It is a draft for the human who looks next. A customer who asked for a human gets not even
        that: no threshold may let the agent answer in a human's place.
        """
        wants_human = doubt is EscalationReason.CUSTOMER_REQUEST
        return BrainAnswer(
            classification=seen.category,
            confidence=_rounded(min(seen.probabilities[seen.category], _LIMITS[doubt])),
            alternatives=_alternatives(seen, seen.category),
            language=seen.language,
            response="" if wants_human else _signed(request, ACKNOWLEDGEMENT[seen.language]),
            doubt=doubt,
            model=self._model,
        )


def asks_for_human(text: str) -> bool:
    """Whether the customer explicitly asks to deal with a person."""
    said = " ".join(words(fold(text)))
    return bool(_HUMAN_REQUEST.search(said)) and not _WANTS_NONE.search(said)


def _is_wordless(text: str) -> bool:
    """Whether nothing can be read: no word at all, or mostly in another script."""
    folded = fold(text)
    readable = sum(mark.isalpha() for mark in folded)
    return readable * 2 < sum(mark.isalpha() for mark in text[: len(folded)]) or readable == 0


def _best_draft(request: BrainRequest, seen: Classification, question: Question) -> _Draft | None:
    """The draft that fits the class's kind of question, or what else there is."""
    template = _from_templates(request, seen, question)
    passage = _from_passages(request, seen.language, question)
    if template is None or passage is None:
        return template or passage
    if seen.category not in _KNOWLEDGE_FIRST:
        return template
    return passage if passage.strength >= min(WELL_COVERED, template.strength) else template


def _from_templates(
    request: BrainRequest, seen: Classification, question: Question
) -> _Draft | None:
    """The class's template in the customer's language that can be filled and is nearest."""
    values = {**request.fields, "brand_name": request.brand_name}
    fitting = [
        (template, filled)
        for template in request.templates
        if template.category == seen.category and template.language == seen.language
        if (filled := fill(template.body, values)).complete and filled.text.strip()
    ]
    if not fitting:
        return None
    keys = [_template_key(question, template, filled) for template, filled in fitting]
    best = max(keys)
    template, filled = fitting[keys.index(best)]
    arbitrary = keys.count(best) > 1 or seen.category is Category.OTHER or question.is_vague
    return _Draft(
        response=filled.text.strip(),
        citation=Citation(kind="template", id=template.id, title=template.name),
        strength=ARBITRARY_STRENGTH if arbitrary else FITTING_STRENGTH,
    )


def _template_key(question: Question, template: Template, filled: Filled) -> tuple[float, int]:
    """Nearest to the words of the message first, then the one that says most of this case."""
    return coverage(question, template.name, template.body), filled.used


def _from_passages(request: BrainRequest, language: Language, question: Question) -> _Draft | None:
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
    return _Draft(
        response=_quote(request, passage, body),
        citation=Citation(kind="knowledge", id=passage.id, title=passage.title),
        strength=min(share**_GAP_PENALTY, FITTING_STRENGTH),
    )


def _quote(request: BrainRequest, passage: Passage, body: str) -> str:
    message = _QUOTE[passage.language].format(title=clean_value(passage.title), body=body)
    return _signed(request, message)


def _signed(request: BrainRequest, message: str) -> str:
    brand = clean_value(request.brand_name)
    return f"{message}\n\n{brand}" if brand else message


def _alternatives(seen: Classification, category: Category) -> tuple[Alternative, ...]:
    """The likeliest other categories, first the likeliest."""
    others = [item for item in seen.probabilities.items() if item[0] is not category]
    others.sort(key=lambda item: -item[1])
    return tuple(
        Alternative(category=other, confidence=_rounded(probability))
        for other, probability in others[:_ALTERNATIVES]
    )


def _rounded(probability: float) -> float:
    return round(min(max(probability, 0.0), 1.0), 4)
