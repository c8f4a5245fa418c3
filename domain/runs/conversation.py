"""Conversation threads: assign events to threads and customers, and limit the history that is
kept."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from hashlib import sha256
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.agent.plan import ACTIONS, ActionKind, StepState
from domain.core.ids import parse_ulid
from domain.core.money import Money
from domain.intake.customer_email import customer_key
from domain.intake.event import Channel, UnifiedEvent
from domain.reviews.escalation import EscalationStatus
from domain.runs.run import RunStatus

MAX_TURNS: Final = 12
MAX_TURN_CHARS: Final = 2_000
TURNS_KEPT: Final = timedelta(days=30)
"""The period for which a conversation's messages are given to the agent. A customer who returns
later usually has a new topic. The summary keeps the older outcomes."""

ANSWERS_PER_HOUR: Final = 10
"""Maximum number of automatic answers per hour in one thread. Above this limit, human agents
answer."""

ANSWERS_WITHOUT_PERSON: Final = 20
"""Maximum number of automatic answers to one sender before a human must answer. The limit stops two
programs from answering each other, even if their emails do not look automatic."""

MAX_ANSWERS_WITHOUT_PERSON: Final = 100
"""Upper bound for the setting that overrides ANSWERS_WITHOUT_PERSON, because at most this number of
answers is read per thread."""

CORRESPONDENCE_LASTS: Final = timedelta(days=7)
"""In channels without a session, answers in the same sender's other threads within this period
count toward ANSWERS_WITHOUT_PERSON."""

MAX_SUMMARY_CHARS: Final = 1_000
MAX_SUMMARY_RUNS: Final = 20

THREAD_LASTS: Final = timedelta(hours=72)
"""Time after the last message at which a thread ends. A setting can override it."""

# Restrict the characters in an order number because it comes from the merchant's shop and is sent
# to a language model.
_ORDER_NUMBER: Final = re.compile(r"[\w#./-]{1,40}", re.ASCII)


def conversation_key(event: UnifiedEvent, event_id: str) -> str:
    """Return the client's unique key of the thread to which an event belongs.

    - Verified customer: the ticket, else the first Message-ID with the address, else the session,
      else the address. The address prevents access to a thread by a reference to its emails.
    - Ticket author with an unverified address: a separate thread.
    - Other unverified sender: the session, or a thread for this event alone.
    - Event typed by a user: a separate thread, never a customer's thread.
    """
    if event.author is None and (claim := _claim_key(event)):
        return claim
    if event.author is not None or not event.customer_verified:
        shared = event.session_id if event.author is None else None
        return f"session:{shared}" if shared else f"event:{event_id}"
    if event.ticket_named and event.ticket_id:
        return f"ticket:{event.platform}:{event.ticket_id}"
    address, root = customer_key(event.customer_email), mail_root(event)
    if address and root:
        return f"mail:{root}:{address}"
    if event.session_id:
        return f"session:{event.session_id}"
    return f"email:{address}" if address else f"event:{event_id}"


def _claim_key(event: UnifiedEvent) -> str | None:
    """Return the thread key for a ticket author whose address is at most verified in this thread,
    else None.

    It contains a digest of the author because the key must not reveal an address.
    """
    if not (event.is_vouched and event.ticket_named and event.ticket_id):
        return None
    if event.channel in (Channel.EMAIL, Channel.WIDGET):
        return None
    is_unknown = event.channel is Channel.HELPDESK and event.customer_email is None
    if not (event.is_claim or is_unknown or event.is_proved_by_code):
        return None
    author = f"{event.author_id or ''}/{customer_key(event.customer_email) or ''}"
    digest = sha256(author.encode()).hexdigest()[:32]
    return f"claim:{event.platform}:{event.ticket_id}:{digest}"


def mail_root(event: UnifiedEvent) -> str | None:
    """Return the Message-ID of the first email in the thread, or None if the event is not an
    email."""
    if event.channel is not Channel.EMAIL:
        return None
    return event.references[0] if event.references else event.message_id


def memory_key(event: UnifiedEvent) -> str | None:
    """Return the key of the agent's memory of a customer across threads, or None if the customer is
    not verified."""
    return memory_key_of(event.customer_email, verified=event.customer_verified)


def memory_key_of(address: str | None, *, verified: bool) -> str | None:
    """Return the key of the agent's memory of a customer, or None if there is no verified
    address."""
    folded = customer_key(address) if verified else None
    return f"email:{folded}" if folded else None


def key_when_ended(key: str, conversation_id: str) -> str:
    """Return the new key for a thread that has ended. The next thread can then use the original
    key."""
    return f"{key}/{conversation_id}"


def address_in(key: str) -> str | None:
    """Return the customer's address contained in a thread's key, or None. The thread may have
    ended."""
    kind, rest = _parts(key)
    if kind not in {"email", "mail"}:
        return None
    return rest if kind == "email" else rest.rpartition(":")[2]


def session_keys(session_id: str, conversation_id: str) -> tuple[str, str]:
    """Return the keys of a session's conversation: while it is active, and after its end.

    Use these instead of parsing stored keys. Visitors choose session ids, so a key may imitate
    another.
    """
    key = f"session:{session_id}"
    return key, key_when_ended(key, conversation_id)


def _parts(key: str) -> tuple[str, str]:
    """Return the kind and the name contained in a thread's key, without the suffix of an ended
    thread."""
    kind, _, rest = key.partition(":")
    name, slash, last = rest.rpartition("/")
    return kind, name if slash and parse_ulid(last) == last else rest


class PastEffect(BaseModel):
    """An action on an order that was executed or may have been executed. `amount` is the refunded
    amount."""

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    state: StepState
    amount: Money | None = None


class PastRun(BaseModel):
    """An earlier run in a conversation, without the customer's text.

    `order_number` is the found order of this customer. `review` is the status of the latest review.
    `replied` means that the customer received an answer.
    """

    model_config = ConfigDict(frozen=True)

    day: date
    status: RunStatus
    classification: str | None = None
    order_number: str | None = None
    review: EscalationStatus | None = None
    replied: bool = False
    effects: tuple[PastEffect, ...] = ()


def summary(runs: Sequence[PastRun]) -> str:
    """Return the outcomes of a conversation's runs, one line each, newest last.

    The oldest are omitted beyond MAX_SUMMARY_CHARS. Deterministic.
    """
    lines: list[str] = []
    room = MAX_SUMMARY_CHARS + 1  # Every line except the last ends with a newline.
    for run in reversed(runs):
        line = _line(run)
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    return "\n".join(reversed(lines))


def _line(run: PastRun) -> str:
    about = run.classification or "not classified"
    if run.order_number and _ORDER_NUMBER.fullmatch(run.order_number):
        about += f", order {run.order_number}"
    outcome = ", ".join([*map(_effect, run.effects), _outcome(run)])
    return f"{run.day.isoformat()} {about}: {outcome}"


def _effect(effect: PastEffect) -> str:
    spec = ACTIONS[effect.kind]
    what = spec.label.format(of="" if effect.amount is None else f" of {effect.amount}")
    done = effect.state is StepState.DONE
    return what + (spec.label_done if done else ", not known whether done")


def _outcome(run: PastRun) -> str:
    if run.status is RunStatus.COMPLETED:
        return "answered" if run.replied else "closed without an answer"
    if run.status is RunStatus.FAILED:
        return "not answered"
    if run.review in _HANDED_OVER:
        return "handed over"
    return "waiting for a human"


_HANDED_OVER: Final = frozenset({EscalationStatus.REJECTED, EscalationStatus.EXPIRED})
