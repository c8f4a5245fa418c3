"""The conversation: whose it is, and how much of it is remembered."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.agent.plan import ACTIONS, ActionKind, StepState
from domain.core.money import Money
from domain.intake.event import UnifiedEvent
from domain.reviews.escalation import EscalationStatus
from domain.runs.run import RunStatus

MAX_TURNS: Final = 12
MAX_TURN_CHARS: Final = 2_000
TURNS_KEPT: Final = timedelta(days=30)
"""Older turns are left out: a customer who comes back after that long has another matter. What
came of them stays in the summary."""

MAX_SUMMARY_CHARS: Final = 1_000
MAX_SUMMARY_RUNS: Final = 20

# A number comes from the merchant's shop, and goes to a language model.
_ORDER_NUMBER: Final = re.compile(r"[\w#./-]{1,40}", re.ASCII)


def conversation_key(event: UnifiedEvent, event_id: str) -> str:
    """Which conversation an event belongs to, within its client.

    The customer's address where the caller vouches for it (lower case: no mail provider tells
    cases apart), else the session, else a conversation of its own. A visitor who only typed an
    address shares no memory with whose address it is.
    """
    if event.customer_email and event.customer_verified:
        return f"email:{event.customer_email.lower()}"
    if event.session_id:
        return f"session:{event.session_id}"
    return f"event:{event_id}"


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
