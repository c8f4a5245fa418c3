"""The thread: which one an event belongs to, whose it is, and how much of it is remembered."""

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
"""Older turns are left out: a customer who comes back after that long has another matter. What
came of them stays in the summary."""

ANSWERS_PER_HOUR: Final = 10
"""How often the agent answers by itself in one thread within an hour; then people do."""

ANSWERS_WITHOUT_PERSON: Final = 20
"""How often the agent answers one correspondent by itself before a person must have answered once.
Two programs that answer each other stop there, whatever their mails look like."""

MAX_ANSWERS_WITHOUT_PERSON: Final = 100
"""No setting may be higher: of each thread so many answers are looked at."""

CORRESPONDENCE_LASTS: Final = timedelta(days=7)
"""How far back other threads of the same correspondent count, in channels without a session."""

MAX_SUMMARY_CHARS: Final = 1_000
MAX_SUMMARY_RUNS: Final = 20

THREAD_LASTS: Final = timedelta(hours=72)
"""How long after its last message a thread ends, where no setting says otherwise."""

# A number comes from the merchant's shop, and goes to a language model.
_ORDER_NUMBER: Final = re.compile(r"[\w#./-]{1,40}", re.ASCII)


def conversation_key(event: UnifiedEvent, event_id: str) -> str:
    """Return the key of the thread that an event belongs to, within its client.

    For a customer that the caller vouches for: the ticket that the caller named, else the first
    mail of the thread and the address, so that naming a thread's mails does not open it; else the
    session, else the address. An author who only claims an address has a thread of their own in a
    ticket. Any other claim shares a session, or nothing. An event that a user typed never enters
    a customer's thread: it has one of its own.
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
    """The thread of an author in a ticket whose address is not proved, or proved for this thread
    alone. The key holds a digest, for an address must not stand in it."""
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
    """The mail that a mail's thread began with, as far as it tells; None for what is no mail."""
    if event.channel is not Channel.EMAIL:
        return None
    return event.references[0] if event.references else event.message_id


def memory_key(event: UnifiedEvent) -> str | None:
    """Whose memory an event shares, whatever the thread; None where nobody vouches for them."""
    return memory_key_of(event.customer_email, verified=event.customer_verified)


def memory_key_of(address: str | None, *, verified: bool) -> str | None:
    folded = customer_key(address) if verified else None
    return f"email:{folded}" if folded else None


def key_when_ended(key: str, conversation_id: str) -> str:
    """The key of a thread that has ended: its own name is free for the next one."""
    return f"{key}/{conversation_id}"


def address_in(key: str) -> str | None:
    """The customer's address in a thread's key, ended or not; None where it holds none."""
    kind, rest = _parts(key)
    if kind not in {"email", "mail"}:
        return None
    return rest if kind == "email" else rest.rpartition(":")[2]


def session_keys(session_id: str, conversation_id: str) -> tuple[str, str]:
    """The keys that a conversation of this session has, before it ends and after. A visitor chooses
    what a session is called: nothing is read from a key that others may have made."""
    key = f"session:{session_id}"
    return key, key_when_ended(key, conversation_id)


def _parts(key: str) -> tuple[str, str]:
    """The kind of a thread's key, and what it names, without what is added when a thread ends."""
    kind, _, rest = key.partition(":")
    name, slash, last = rest.rpartition("/")
    return kind, name if slash and parse_ulid(last) == last else rest


class PastEffect(BaseModel):
    """An action on an order that was done, or may have been. `amount`: of a refund."""

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    state: StepState
    amount: Money | None = None


class PastRun(BaseModel):
    """An earlier run of a conversation, without a word of the customer's.

    `order_number`: of the order that was found and is the customer's. `review`: how the last
    question to a human stands. `replied`: an answer was given.
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
    """What came of a conversation's runs, one line each, the newest last.

    At most MAX_SUMMARY_CHARS: the oldest are left out. The same runs give the same text.
    """
    lines: list[str] = []
    room = MAX_SUMMARY_CHARS + 1  # a line and its end, but for the last
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
