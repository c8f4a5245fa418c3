"""The embedded brain, which answers in-process and offline, from templates and knowledge only.

It composes no text: an answer is a merchant's template or a quoted knowledge entry. Without a
fitting text, a human agent takes over.
"""

import dataclasses
from dataclasses import dataclass
from typing import Final

from adapters.brain.answers import AnswerModels
from adapters.brain.catalogue import Catalogues
from adapters.brain.classifier import Classification, Classifier
from adapters.brain.drafts import DraftSources, best_draft
from adapters.brain.features import fold, words
from adapters.brain.grounded_draft import Asking, GroundedDraft
from adapters.brain.joined import joined_draft
from adapters.brain.praise import of_praise, praise_wanted, with_mood
from adapters.brain.relevance import names_anything, own_words, read_question
from adapters.brain.request_for_human import asks_for_human
from adapters.brain.unquoted_message import (
    is_thanks,
    is_wordless,
    last_words_of_customer,
    unquoted_message,
    unsigned,
    without_sender,
)
from domain.agent.brain import (
    Alternative,
    BrainAnswer,
    BrainRequest,
    Category,
    Citation,
    Proposal,
)
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.intents.closing import closes
from domain.agent.intents.wanted import Wants, read_wants
from domain.agent.plan import PlannedAction
from domain.agent.size_limits import others_turn
from domain.agent.speech.reading import spoken_request
from domain.agent.speech.request import SpokenRequest, Standing

UNANSWERED_CONFIDENCE: Final = 0.3
UNSUPPORTED_CONFIDENCE: Final = 0.2
_LIMITS: Final = {
    EscalationReason.MISSING_KNOWLEDGE: UNANSWERED_CONFIDENCE,
    EscalationReason.UNSUPPORTED_REQUEST: UNSUPPORTED_CONFIDENCE,
    EscalationReason.CUSTOMER_REQUEST: UNSUPPORTED_CONFIDENCE,
}
LOW_PROBABILITY: Final = 0.5
LOW_LANGUAGE_PROBABILITY: Final = 0.6

# A message with an uncertain category and at most this many words is interpreted together with the
# customer's previous message.
FOLLOW_UP_WORDS: Final = 8
SURE_BY_ITSELF: Final = 0.7

_ALTERNATIVES: Final = 3
# The certainty of an evident intent that is the message's only intent. The message's category does
# not affect this value.
EVIDENT: Final = 0.9
# Intents that are separate questions even if the message also requests a refund or cancellation.
# Any other intent is treated as the reason for that request.
_QUESTIONS: Final = frozenset(Intent) - {
    *(Intent.REFUND, Intent.CANCEL_ORDER, Intent.RETURN, Intent.REFUND_STATUS, Intent.THANKS),
    *(Intent.PARCEL_LATE, Intent.PARCEL_LOST, Intent.DAMAGED_ON_ARRIVAL, Intent.DEFECT),
    *(Intent.MISSING_ITEM, Intent.WRONG_ITEM, Intent.SERVICE_COMPLAINT, Intent.CHARGED_WRONGLY),
}


@dataclass(frozen=True, slots=True)
class _Reading:
    """A message as interpreted by the brain. `text` may include the earlier message. If `is_bare`
    is true, the message is a follow-up with at most a yes or no, and the earlier message determines
    only the category."""

    text: str
    seen: Classification
    is_bare: bool = False


@dataclass(frozen=True, slots=True)
class _Understood:
    """The category, intents and request of a message. `offer`: the requested action if it is
    available, otherwise None."""

    seen: Classification
    wants: Wants
    spoken: SpokenRequest
    offer: PlannedAction | None

    @property
    def praises(self) -> bool:
        return self.wants.intents == (Intent.THANKS,)

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        offer = self.offer
        return (Proposal(kind=offer.kind, quote=self.spoken.quote),) if offer else ()


class EmbeddedBrain:
    """A `Brain` without a language model. It is deterministic: the same request always produces the
    same answer."""

    def __init__(
        self,
        classifier: Classifier,
        answers: AnswerModels | None = None,
        catalogues: Catalogues | None = None,
    ) -> None:
        """Create the brain. `answers` are the models that select sentences, by default those that
        ship with it."""
        self._classifier = classifier
        self._answers = answers or AnswerModels()
        self._catalogues = catalogues or Catalogues()

    async def think(self, request: BrainRequest) -> BrainAnswer:
        """Return the answer to the request. Never raises, regardless of the text."""
        own = unquoted_message(request)
        reading = self._read(request, own)
        seen = reading.seen
        if seen.foreign is not None or is_wordless(reading.text):
            return self._unreadable(request, seen)
        if closes(own):
            return self._closed(with_mood(self._classifier, own, request.languages))
        await others_turn(own)
        understood = _understand(request, own, reading)
        if asks_for_human(own):
            return self._unanswered(understood, EscalationReason.CUSTOMER_REQUEST)
        await others_turn(own)
        answers = self._answers.of(request.answer_decision)
        sources = DraftSources(await self._catalogues.of(request.templates), answers)
        draft = _draft(request, sources, own, reading, understood)
        again = draft is not None and draft.repeats(request)
        if again and understood.praises:
            return self._closed(understood.seen)
        lacks_promise = draft is not None and understood.offer and not draft.promises
        # A starter template is not repeated, because it did not help the first time.
        if draft is None or lacks_promise or (again and draft.yields):
            return self._unanswered(understood, EscalationReason.MISSING_KNOWLEDGE)
        return self._answered(understood, draft)

    def _read(self, request: BrainRequest, own: str) -> _Reading:
        """Interpret the message. If it has too little content, interpret it together with the
        customer's previous message."""
        seen = with_mood(self._classifier, own, request.languages)
        before = last_words_of_customer(request)
        said = words(fold(own))
        if not before or not said or len(said) > FOLLOW_UP_WORDS:
            return _Reading(own, seen)
        is_sure = seen.probability >= SURE_BY_ITSELF
        named = own_words(own)
        # "Commande 1042" has no topic, so the previous message is interpreted in its place. "Where
        # is my order" is clear by itself.
        is_empty = not named or (seen.category is Category.OTHER and names_anything(named))
        if is_empty and not is_thanks(said):
            text = before
        elif is_sure:
            return _Reading(own, seen)
        else:
            text = f"{before}\n{own}"
        # The sentiment comes from the current message alone.
        read = dataclasses.replace(
            self._classifier.classify(text, request.languages), sentiment=seen.sentiment
        )
        is_bare = text == before and not any(word.isdigit() for word in said)
        return _Reading(text, read, is_bare)

    def _answered(self, understood: _Understood, draft: GroundedDraft) -> BrainAnswer:
        seen = understood.seen
        certainty = max(seen.probability, EVIDENT) if draft.evident else seen.probability
        unsure = certainty < LOW_PROBABILITY or seen.language_probability < LOW_LANGUAGE_PROBABILITY
        return BrainAnswer(
            classification=seen.category,
            intents=understood.wants.intents,
            # An answer is as certain as its least certain input.
            confidence=_rounded(min(certainty, seen.language_probability, draft.strength)),
            alternatives=_alternatives(seen, seen.category),
            language=seen.language,
            sentiment=_sentiment(seen),
            response=draft.response,
            citations=draft.citations,
            # Propose the action only if the merchant's text promises it. Otherwise, the customer
            # would not be informed of the action.
            proposals=understood.proposals if draft.promises else (),
            doubt=EscalationReason.LOW_CONFIDENCE if unsure else None,
            model=self._classifier.name,
        )

    def _unanswered(self, understood: _Understood, doubt: EscalationReason) -> BrainAnswer:
        """Return an answer without a draft, because no source fits or the customer asks for a
        human. It may still propose the requested action, for a human to write the text."""
        seen = understood.seen
        return BrainAnswer(
            classification=seen.category,
            intents=understood.wants.intents,
            confidence=_rounded(min(seen.probability, _LIMITS[doubt])),
            alternatives=_alternatives(seen, seen.category),
            language=seen.language,
            sentiment=_sentiment(seen),
            proposals=(understood.proposals if doubt is EscalationReason.MISSING_KNOWLEDGE else ()),
            doubt=doubt,
            model=self._classifier.name,
        )

    def _unreadable(self, request: BrainRequest, seen: Classification) -> BrainAnswer:
        """Return an answer without a draft, for a human agent, because the text has no words or is
        in an unsupported language. If the language is unsupported, the answer cites the knowledge
        entry that is closest in meaning."""
        doubt = EscalationReason.UNSUPPORTED_REQUEST
        if seen.foreign is None:
            seen = dataclasses.replace(seen, category=Category.OTHER)
            return self._unanswered(_nothing(seen), doubt)
        near = sorted(request.passages, key=lambda one: (one.similarity or 0.0, one.rank))[-1:]
        cited = tuple(Citation(kind="knowledge", id=one.id, title=one.title) for one in near)
        update = {"language": seen.foreign, "citations": cited}
        return self._unanswered(_nothing(seen), doubt).model_copy(update=update)

    def _closed(self, seen: Classification) -> BrainAnswer:
        """Return an empty answer to a message that needs no answer."""
        return BrainAnswer(
            classification=Category.OTHER,
            intents=(Intent.THANKS,),
            closes=True,
            confidence=EVIDENT,
            alternatives=_alternatives(seen, Category.OTHER),
            language=seen.language,
            sentiment=_sentiment(seen),
            model=self._classifier.name,
        )


def _nothing(seen: Classification) -> _Understood:
    return _Understood(seen=seen, wants=Wants(), spoken=SpokenRequest(), offer=None)


def _understand(request: BrainRequest, own: str, reading: _Reading) -> _Understood:
    """Return the category, intents and request of this message. Requests in earlier messages are
    ignored because they have already been answered."""
    is_short = len(words(fold(own))) <= FOLLOW_UP_WORDS
    before = last_words_of_customer(request) if is_short else ""
    wants = read_wants(unsigned(own), after=before)
    spoken = spoken_request(own)
    if spoken.standing is not Standing.NONE:
        # If an action is requested, a `_QUESTIONS` intent that is not phrased as a question is only
        # the reason for the request.
        asked_wants = tuple(
            want for want in wants.all if want.asked or want.intent not in _QUESTIONS
        )
        wants = dataclasses.replace(wants, all=asked_wants)
    elif praise := praise_wanted(own, reading.seen.sentiment):
        return _Understood(of_praise(reading.seen), praise, spoken, offer=None)
    offer = None
    if request.order is not None and spoken.standing in (Standing.PLAIN, Standing.LIKELY):
        offer = next((one for one in request.offers if one.kind is spoken.kind), None)
    return _Understood(seen=_seen(reading.seen, wants), wants=wants, spoken=spoken, offer=offer)


def _seen(seen: Classification, wants: Wants) -> Classification:
    """Return the classification with its category corrected. If the message consists of a single
    intent that belongs to another category, that category is used."""
    if len(wants.all) != 1 or wants.unexplained:
        return seen
    classes = wants.all[0].categories
    return seen if seen.category in classes else dataclasses.replace(seen, category=classes[0])


def _draft(
    request: BrainRequest,
    sources: DraftSources,
    own: str,
    reading: _Reading,
    understood: _Understood,
) -> GroundedDraft | None:
    question = read_question(reading.text)
    if reading.is_bare:
        question = dataclasses.replace(question, is_vague=True)
    seen, wants = understood.seen, understood.wants
    one = wants.all[0] if len(wants.all) == 1 else None
    asking = Asking(
        text=without_sender(own, request.sender_name),
        question=question,
        wanted=one,
        covered=not wants.unexplained,
        offer=understood.offer,
        asks_more=any(want.intent in _QUESTIONS for want in wants.all),
    )
    if len(wants.all) > 1 and understood.offer is None:
        return joined_draft(request, sources, seen, asking, wants)
    return best_draft(request, sources, seen, asking)


def _alternatives(seen: Classification, category: Category) -> tuple[Alternative, ...]:
    """Return the most probable categories other than `category`, most probable first."""
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
