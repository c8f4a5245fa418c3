"""The embedded brain: it answers without any network, from templates and knowledge only.

It composes nothing of its own: an answer is a merchant's template or a quoted knowledge entry.
Where neither fits it says so, and a human takes over.
"""

import dataclasses
from dataclasses import dataclass
from typing import Final

from adapters.brain.classifier import Classification, Classifier
from adapters.brain.concepts import concepts
from adapters.brain.drafts import GroundedDraft, best_draft, signed
from adapters.brain.features import fold, words
from adapters.brain.relevance import is_foreign, names_anything, own_words, read_question
from adapters.brain.wishes import asks_for_human, wished_action
from domain.agent.brain import Alternative, BrainAnswer, BrainRequest, Category, Language, Proposal
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import PlannedAction
from domain.intake.mail_text import latest_reply

UNANSWERED_CONFIDENCE: Final = 0.3
UNSUPPORTED_CONFIDENCE: Final = 0.2
_LIMITS: Final = {
    EscalationReason.MISSING_KNOWLEDGE: UNANSWERED_CONFIDENCE,
    EscalationReason.UNSUPPORTED_REQUEST: UNSUPPORTED_CONFIDENCE,
    EscalationReason.CUSTOMER_REQUEST: UNSUPPORTED_CONFIDENCE,
}
LOW_PROBABILITY: Final = 0.5
LOW_LANGUAGE_PROBABILITY: Final = 0.6

# A message of so few words, about whose class there is doubt, is read with the one before it.
FOLLOW_UP_WORDS: Final = 8
SURE_BY_ITSELF: Final = 0.7
_ASSENT: Final = frozenset(["oui", "ouais", "yes", "yeah", "yep", "please"])

_SUBJECT_READ: Final = 200
_ALTERNATIVES: Final = 3
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
class _Reading:
    """What the brain made of a message: `text` is what it read, earlier words included.

    `is_bare`: a follow-up with no word of its own but yes or no: the class is clear from before,
    what to answer is not.
    """

    text: str
    seen: Classification
    is_bare: bool = False


class EmbeddedBrain:
    """A `Brain`. Deterministic: the same request always has the same answer."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier
        self._model = f"embedded:{classifier.fingerprint[:8]}"

    async def think(self, request: BrainRequest) -> BrainAnswer:
        """Never raises, whatever the text."""
        own = _message(request)
        reading = self._read(request, own)
        seen = reading.seen
        if _is_wordless(reading.text):
            seen = dataclasses.replace(seen, category=Category.OTHER)
            return self._unanswered(request, seen, EscalationReason.UNSUPPORTED_REQUEST)
        if is_foreign(own):
            return self._unanswered(request, seen, EscalationReason.UNSUPPORTED_REQUEST)
        if asks_for_human(own):
            return self._unanswered(request, seen, EscalationReason.CUSTOMER_REQUEST)
        question = read_question(reading.text)
        if reading.is_bare:
            question = dataclasses.replace(question, is_vague=True)
        wish = _wish(request, seen)
        draft = best_draft(request, seen, question, wish)
        if draft is None:
            return self._unanswered(request, seen, EscalationReason.MISSING_KNOWLEDGE, wish)
        return self._answered(seen, draft)

    def _read(self, request: BrainRequest, own: str) -> _Reading:
        """The message alone, or after the customer's last one where it says too little alone."""
        seen = self._classifier.classify(own)
        before = _last_words_of_customer(request)
        said = words(fold(own))
        if not before or not said or len(said) > FOLLOW_UP_WORDS:
            return _Reading(own, seen)
        is_sure = seen.probability >= SURE_BY_ITSELF
        named = own_words(own)
        # "Commande 1042" says no more than "1042"; "where is my order" is clear by itself.
        is_empty = not named or (seen.category is Category.OTHER and names_anything(named))
        if is_empty and not _is_thanks(said):
            text = before
        elif is_sure:
            return _Reading(own, seen)
        else:
            text = f"{before}\n{own}"
        # The mood is that of now, however it was before.
        read = dataclasses.replace(self._classifier.classify(text), sentiment=seen.sentiment)
        is_bare = text == before and not any(word.isdigit() for word in said)
        return _Reading(text, read, is_bare)

    def _answered(self, seen: Classification, draft: GroundedDraft) -> BrainAnswer:
        unsure = (
            seen.probability < LOW_PROBABILITY
            or seen.language_probability < LOW_LANGUAGE_PROBABILITY
        )
        return BrainAnswer(
            classification=seen.category,
            # An answer is as sure as the least sure thing it rests on.
            confidence=_rounded(min(seen.probability, seen.language_probability, draft.strength)),
            alternatives=_alternatives(seen, seen.category),
            language=seen.language,
            sentiment=_sentiment(seen),
            response=draft.response,
            citations=draft.citations,
            # Only what the merchant's own words promise: else somebody acts, and nobody says so.
            proposals=(Proposal(kind=draft.promises),) if draft.promises else (),
            doubt=EscalationReason.LOW_CONFIDENCE if unsure else None,
            model=self._model,
        )

    def _unanswered(
        self,
        request: BrainRequest,
        seen: Classification,
        doubt: EscalationReason,
        wish: PlannedAction | None = None,
    ) -> BrainAnswer:
        """No source fits: an acknowledgement that asserts nothing, at a low confidence.

        It is a draft for the human who looks next. A customer who asked for a human gets not even
        that: no threshold may let the agent answer in a human's place. Nor does one who asks for
        what only a human can promise: the proposal waits for the human's words.
        """
        needs_human = wish is not None or doubt is EscalationReason.CUSTOMER_REQUEST
        return BrainAnswer(
            classification=seen.category,
            confidence=_rounded(min(seen.probability, _LIMITS[doubt])),
            alternatives=_alternatives(seen, seen.category),
            language=seen.language,
            sentiment=_sentiment(seen),
            response="" if needs_human else signed(request, ACKNOWLEDGEMENT[seen.language]),
            proposals=(Proposal(kind=wish.kind),) if wish else (),
            doubt=doubt,
            model=self._model,
        )


def _message(request: BrainRequest) -> str:
    """The subject and the message, without the mails that it quotes."""
    return f"{(request.subject or '')[:_SUBJECT_READ]}\n{latest_reply(request.text)}".strip()


def _last_words_of_customer(request: BrainRequest) -> str:
    said = (turn.body for turn in reversed(request.turns) if turn.author == "customer")
    return next(said, "")


def _is_thanks(said: list[str]) -> bool:
    """Whether thanks end the conversation: "yes, thanks" takes something up instead."""
    return any("thanks" in concepts(word) for word in said) and not _ASSENT.intersection(said)


def _is_wordless(text: str) -> bool:
    """Whether nothing can be read: no word at all, or mostly in another script."""
    folded = fold(text)
    readable = sum(mark.isalpha() for mark in folded)
    return readable * 2 < sum(mark.isalpha() for mark in text[: len(folded)]) or readable == 0


def _wish(request: BrainRequest, seen: Classification) -> PlannedAction | None:
    """What the customer plainly asks for, of what is on offer for the order that was found.

    Read in this message alone: what was asked before was answered before.
    """
    if request.order is None or seen.category is not Category.REFUND_REQUEST:
        return None
    wished = wished_action(_message(request))
    return next((offer for offer in request.offers if offer.kind is wished), None)


def _alternatives(seen: Classification, category: Category) -> tuple[Alternative, ...]:
    """The likeliest other categories, first the likeliest."""
    others = [item for item in seen.probabilities.items() if item[0] is not category]
    others.sort(key=lambda item: -item[1])
    return tuple(
        Alternative(category=other, confidence=_rounded(probability))
        for other, probability in others[:_ALTERNATIVES]
    )


def _sentiment(seen: Classification) -> float:
    return round(min(max(seen.sentiment, -1.0), 1.0), 4)


def _rounded(probability: float) -> float:
    return round(min(max(probability, 0.0), 1.0), 4)
