"""The state that one message in a simulated conversation passes on to the next. In a real
conversation, the records of the runs contain this state."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from domain.agent.brain import Turn
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ACTIONS, ON_ORDERS, ActionKind, StepState
from domain.agent.policy_context import Spent
from domain.agent.thread import Thread
from domain.core.money import Money
from domain.intake.event import Channel, UnifiedEvent
from domain.integrations.order import Lookup, Order, OrderState
from domain.reviews.escalation import EscalationStatus
from domain.runs.conversation import (
    MAX_SUMMARY_RUNS,
    MAX_TURN_CHARS,
    MAX_TURNS,
    PastEffect,
    PastRun,
    summary,
)
from domain.runs.run import RunStatus
from domain.simulation.outcome import OutcomeStatus, SimulatedOutcome

# Channels in which two programs may answer each other. In the widget, the visitor is always a
# person.
_CORRESPONDENCE: Final = frozenset({Channel.EMAIL, Channel.HELPDESK})
_RUN_STATUS: Final = {
    OutcomeStatus.COMPLETED: RunStatus.COMPLETED,
    OutcomeStatus.NEEDS_REVIEW: RunStatus.NEEDS_REVIEW,
    OutcomeStatus.BRAIN_FAILED: RunStatus.FAILED,
}


@dataclass(frozen=True, slots=True)
class _Effect:
    """The effect that a simulated action would have on an order."""

    order_key: str
    kind: ActionKind
    amount: Money


@dataclass(frozen=True, slots=True)
class Carried:
    """The state of a simulated conversation after its latest message.

    `answers` counts the agent's answers, and `unattended` those by email or ticket since a human
    last answered. `held` is the reason why humans took over, or None.
    """

    turns: tuple[Turn, ...] = ()
    thread: Thread = field(default_factory=Thread)
    answers: int = 0
    unattended: int = 0
    held: EscalationReason | None = None
    _runs: tuple[PastRun, ...] = ()
    _effects: tuple[_Effect, ...] = ()

    @property
    def summary(self) -> str:
        """Return a summary of the outcomes of the earlier messages, without real customers'
        data."""
        return summary(self._runs)

    def turns_left(self, answers_per_hour: int, answers_without_person: int) -> int:
        """Return the number of answers that the agent may still give before a human must answer."""
        return min(answers_per_hour - self.answers, answers_without_person - self.unattended)

    def answered_by_person(self, text: str) -> "Carried":
        """Return the state after a human agent's message. The agent may answer again, and its open
        question is withdrawn."""
        return replace(
            self,
            turns=_kept((*self.turns, Turn(author="human", body=text[:MAX_TURN_CHARS]))),
            thread=self.thread.without_question,
            unattended=0,
            held=None,
            _runs=tuple(_settled(run) for run in self._runs),
        )

    def after(
        self, event: UnifiedEvent, outcome: SimulatedOutcome, settled: Thread, now: datetime
    ) -> "Carried":
        """Return the state after a customer's message. `settled` is the thread after the delivered
        answer. Without a playbook, the state stays the same."""
        if outcome.status is OutcomeStatus.NO_PLAYBOOK:
            return self
        replied = bool(outcome.response)
        said = Turn(author="customer", body=event.text[:MAX_TURN_CHARS])
        answer = Turn(author="agent", body=outcome.response[:MAX_TURN_CHARS])
        done = self._done(outcome)
        by_mail = replied and event.channel in _CORRESPONDENCE
        return replace(
            self,
            turns=_kept((*self.turns, said, answer)),
            thread=settled if replied else settled.without_question,
            answers=self.answers + replied,
            unattended=self.unattended + by_mail,
            held=outcome.reason if outcome.status is OutcomeStatus.NEEDS_REVIEW else self.held,
            _runs=(*self._runs, _run(outcome, done, now))[-MAX_SUMMARY_RUNS:],
            _effects=(*self._effects, *done),
        )

    def of(self, found: Lookup | None) -> Lookup | None:
        """Return the lookup `found` with the simulated effects of the conversation applied to its
        order. A lookup without an order, or None, is returned unchanged."""
        if found is None or found.order is None:
            return found
        order = found.order
        for effect in self._on(order):
            order = _after_effect(order, effect)
        return found.model_copy(update={"order": order})

    def spent(self, order: Order, before: Spent) -> Spent:
        """Return the refunds and actions so far, including those from real runs in `before`."""
        currency = order.refundable.currency
        here = sum(one.amount.minor for one in self._effects if one.amount.currency == currency)
        return Spent(
            customer=before.customer + here,
            day=before.day + here,
            on_order=before.on_order | {one.kind for one in self._on(order)},
            same_number=before.same_number,
        )

    def _on(self, order: Order) -> Iterable[_Effect]:
        return (one for one in self._effects if one.order_key == order.key)

    @staticmethod
    def _done(outcome: SimulatedOutcome) -> tuple[_Effect, ...]:
        order = outcome.lookup.order if outcome.lookup else None
        if order is None or outcome.status is not OutcomeStatus.COMPLETED:
            return ()
        return tuple(
            _Effect(order.key, step.kind, step.amount or order.refundable)
            for step in outcome.plan
            if step.kind in ON_ORDERS
        )


def _kept(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    return tuple(turn for turn in turns if turn.body)[-MAX_TURNS:]


def _settled(run: PastRun) -> PastRun:
    """Return the run with its open review marked as decided, because a human agent has answered."""
    if run.status is not RunStatus.NEEDS_REVIEW:
        return run
    return run.model_copy(update={"status": RunStatus.COMPLETED, "replied": True})


def _run(outcome: SimulatedOutcome, done: tuple[_Effect, ...], now: datetime) -> PastRun:
    order = outcome.lookup.order if outcome.lookup else None
    status = _RUN_STATUS[outcome.status]
    return PastRun(
        day=now.date(),
        status=status,
        classification=outcome.classification or None,
        order_number=order.number if order else None,
        review=EscalationStatus.PENDING if status is RunStatus.NEEDS_REVIEW else None,
        replied=bool(outcome.response),
        effects=tuple(
            PastEffect(kind=one.kind, state=StepState.DONE, amount=one.amount) for one in done
        ),
    )


def _after_effect(order: Order, effect: _Effect) -> Order:
    """Return the order after a simulated effect. The effect either refunds money or cancels the
    order."""
    nothing = Money(minor=0, currency=order.refundable.currency)
    if not ACTIONS[effect.kind].gives_back:
        return order.model_copy(update={"state": OrderState.CANCELLED, "refundable": nothing})
    left = max(0, order.refundable.minor - effect.amount.minor)
    return order.model_copy(
        update={"refundable": nothing.model_copy(update={"minor": left}), "refunded": effect.amount}
    )
