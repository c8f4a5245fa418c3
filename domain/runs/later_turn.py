"""Handle a message that arrives while its conversation has an open review.

The agent answers it if it clearly concerns another topic and the playbook allows that. Otherwise,
it is merged into the review, which gets a new draft and plan.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from domain.agent.brain import Category
from domain.agent.consent.answering import read_confirmation
from domain.agent.consent.confirmation import Assent
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import ON_ORDERS, REPLIES, PlannedAction
from domain.agent.rulebook import DuringReview
from domain.agent.size_limits import READ_CHARS
from domain.agent.speech.reading import spoken_request
from domain.agent.speech.request import Standing
from domain.agent.speech.unqualified import is_unqualified
from domain.agent.thinking_result import ThinkingResult
from domain.intake.customer_email import is_same_customer
from domain.intake.event import UnifiedEvent
from domain.intake.order_number import find_order_numbers, same_once
from domain.integrations.order import Lookup
from domain.runs.run import RunDraft, review_reason

_TROUBLE: Final = frozenset(
    {
        *(Intent.REFUND, Intent.CANCEL_ORDER, Intent.RETURN, Intent.EXCHANGE),
        *(Intent.REFUND_STATUS, Intent.CHARGED_WRONGLY, Intent.PARCEL_LATE, Intent.PARCEL_LOST),
        *(Intent.DAMAGED_ON_ARRIVAL, Intent.DEFECT, Intent.MISSING_ITEM, Intent.WRONG_ITEM),
        *(Intent.CHANGE_ORDER, Intent.CHANGE_ADDRESS, Intent.SERVICE_COMPLAINT),
    }
)
_PARCEL: Final = frozenset(
    {
        *(Intent.TRACK_ORDER, Intent.ORDER_RECEIVED, Intent.DELIVERY_DATE),
        *(Intent.PARCEL_LATE, Intent.PARCEL_LOST, Intent.CHANGE_ADDRESS),
    }
)
# Groups of intents that form one topic: an answer to one intent also covers the others.
_MATTERS: Final = (_TROUBLE, _PARCEL)
MOST_MERGED: Final = 20
"""Maximum number of later messages that are merged into a review's first message."""

# These intents can refer to any earlier topic, so they are never treated as another topic.
_ABOUT_ANYTHING: Final = frozenset({Intent.THANKS, Intent.SERVICE_COMPLAINT, Intent.CONTACT})


@dataclass(frozen=True, slots=True)
class WaitingMatter:
    """The topic of an open review.

    - `intents`: the intents of its unanswered messages.
    - `category`: the category of its first message.
    - `orders`: the order numbers in its plan.
    - `is_sensitive`: it always requires a human.
    - `is_held`: a reviewer has claimed it or taken over the conversation.
    """

    intents: frozenset[Intent]
    category: Category
    orders: frozenset[str]
    is_sensitive: bool
    is_held: bool


def may_answer(
    thought: ThinkingResult, threshold: float, waiting: WaitingMatter, allowed: DuringReview
) -> bool:
    """Return True if the agent may answer a message while its conversation has an open review.

    The message must concern another topic, and its answer must need no review. A question about an
    action counts as an action.
    """
    if waiting.is_held or waiting.is_sensitive or thought.sensitive is not None:
        return False
    if review_reason(RunDraft.of(thought), threshold) is not None or not thought.text.strip():
        return False
    if not any(step.kind in REPLIES for step in thought.plan):
        return False
    acts = [step for step in thought.plan if step.kind not in REPLIES]
    question = thought.judgement.question
    if not (allowed.actions if acts or question else allowed.answers):
        return False
    about = [*acts, *([question.action] if question and question.action else [])]
    orders = {step.order_number for step in about if step.order_number}
    if orders and waiting.orders:
        return not orders & waiting.orders
    return _is_another_matter(thought, waiting)


def _is_another_matter(thought: ThinkingResult, waiting: WaitingMatter) -> bool:
    """Return True if the message's intents concern a different topic than the review's intents.

    If either side has no intent, the categories are compared instead.
    """
    intents = frozenset(thought.answer.intents)
    if intents & _ABOUT_ANYTHING:
        return False
    if intents and waiting.intents:
        related = intents.union(*(matter for matter in _MATTERS if matter & intents))
        return not related & waiting.intents
    classes = {thought.answer.classification, waiting.category}
    return len(classes) == 2 and Category.OTHER not in classes


@dataclass(frozen=True, slots=True)
class LaterMessage:
    """An unanswered message that was added to a review. `is_in_draft` means that the draft covers
    it. `lookup` is the lookup of its order, if any."""

    event_id: str
    event: UnifiedEvent
    lookup: Lookup | None
    is_in_draft: bool


@dataclass(frozen=True, slots=True)
class MergedMessages:
    """A review's messages, merged into one event. `corrections` only correct the order number.
    `used` are the ids of all merged messages. `lookup` is for the order they concern."""

    event: UnifiedEvent
    lookup: Lookup | None
    corrections: frozenset[str]
    used: frozenset[str]


def merge_messages(
    first: UnifiedEvent,
    lookup: Lookup | None,
    plan: Sequence[PlannedAction],
    later: Sequence[LaterMessage],
) -> MergedMessages | None:
    """Return a review's messages merged into one event, or None to keep the draft and leave the
    messages to humans.

    `first`, `lookup` and `plan` belong to the run under review. `later` are the later messages,
    oldest first. A correction replaces the order number.

    Messages of less verified senders are not merged. If the plan acts on an order, only corrections
    are merged. Return None for more than `MOST_MERGED` messages or an overlong text.
    """
    if len(later) > MOST_MERGED:
        return None
    acts = any(step.kind in ON_ORDERS for step in plan)
    draft = _Draft.of(first, lookup)
    for message in later:
        if not _same_sender(first, message.event):
            continue
        number = corrected_number(message.event.text, draft.number)
        if number is not None:
            draft = draft.corrected(number, message)
        elif not acts or message.is_in_draft:
            draft = draft.added(message)
        if len(draft.event.text) > READ_CHARS:
            return None
    return (
        None
        if not draft.used
        else MergedMessages(draft.event, draft.lookup, draft.corrections, draft.used)
    )


def corrected_number(text: str, number: str | None) -> str | None:
    """Return the order number that replaces `number`, or None if the message is more than a
    correction.

    "sorry, I mean 71002" is a correction. A message with a request must also contain the old
    number: "not 71001, refund 71002".
    """
    if number is None or len(text) > READ_CHARS:
        return None
    named = find_order_numbers(text, asked=True)
    asked = [PlannedAction(kind=kind, order_number=number) for kind in sorted(ON_ORDERS)]
    read = (read_confirmation(text, named, one) for one in asked)
    said = next((one for one in read if one.assent is Assent.CORRECTION), None)
    if said is None or said.number is None:
        return None
    if number not in named and spoken_request(text).standing is not Standing.NONE:
        return None
    return None if said.number.casefold() == number.casefold() else said.number


def may_correct(event: UnifiedEvent) -> bool:
    """Return True if a message could be nothing more than a correction of the order number. Callers
    use this function if they do not know the previous number."""
    return corrected_number(event.text, "0") is not None


@dataclass(frozen=True, slots=True)
class _Draft:
    event: UnifiedEvent
    lookup: Lookup | None
    number: str | None
    corrections: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()

    @classmethod
    def of(cls, first: UnifiedEvent, lookup: Lookup | None) -> "_Draft":
        named = first.order_numbers
        number = named[0] if len(named) == 1 else None
        if not named and lookup is not None:
            number = lookup.number
        return cls(first, lookup, number)

    def corrected(self, number: str, message: LaterMessage) -> "_Draft":
        before, event = self.number or "", self.event
        return replace(
            self,
            event=event.model_copy(
                update={
                    "text": event.text.replace(before, number),
                    "subject": event.subject and event.subject.replace(before, number),
                    "order_number": number,
                    "order_numbers": (number,),
                    "fields": {**event.fields, "order_number": number},
                }
            ),
            lookup=_of_number(message.lookup, number),
            number=number,
            corrections=self.corrections | {message.event_id},
            used=self.used | {message.event_id},
        )

    def added(self, message: LaterMessage) -> "_Draft":
        event, more = self.event, message.event
        numbers = same_once((*event.order_numbers, *more.order_numbers))
        first = next(iter(numbers), None)
        fields = {"order_number": first} if first else {}
        only = numbers[0] if len(numbers) == 1 else None
        return replace(
            self,
            event=event.model_copy(
                update={
                    "text": f"{event.text}\n\n{more.text}".strip(),
                    "order_number": first,
                    "order_numbers": numbers,
                    "fields": {**event.fields, **fields},
                }
            ),
            lookup=(only and _of_number(message.lookup, only)) or self.lookup or message.lookup,
            number=only or self.number,
            used=self.used | {message.event_id},
        )


def _of_number(lookup: Lookup | None, number: str) -> Lookup | None:
    if lookup is None or lookup.number is None:
        return None
    return lookup if lookup.number.casefold() == number.casefold() else None


def _same_sender(first: UnifiedEvent, later: UnifiedEvent) -> bool:
    if later.author is not None or not later.reply_allowed:
        return False
    one, other = first.customer_email, later.customer_email
    if one != other and not is_same_customer(one, other):
        return False
    return (later.may_act or not first.may_act) and (later.may_read or not first.may_read)


def improves(made: MergedMessages, thought: ThinkingResult, before: RunDraft) -> bool:
    """Return True if the result for merged messages replaces the review's draft and plan.

    Sensitive or unsafe results never do. Otherwise, a corrected order number always does, because
    the previous plan concerns the wrong order.
    """
    if thought.sensitive is not None or thought.hold is EscalationReason.UNSAFE_INPUT:
        return False
    if made.corrections or any(step.kind in ON_ORDERS for step in thought.plan):
        return True
    return bool(thought.text.strip()) or not before.text.strip()


def is_carried_out(message: LaterMessage, plan: Sequence[PlannedAction]) -> bool:
    """Return True if a message is only a plain request that the plan fulfils."""
    text, numbers = message.event.text, message.event.order_numbers
    request = spoken_request(text)
    if "?" in text or len(numbers) != 1 or request.standing is not Standing.PLAIN:
        return False
    if not is_unqualified(text, request.quote):
        return False
    asked = numbers[0].lstrip("# ").casefold()
    return any(
        step.kind is request.kind and (step.order_number or "").lstrip("# ").casefold() == asked
        for step in plan
    )
