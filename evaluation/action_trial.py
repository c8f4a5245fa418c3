"""Run a test case from the action set in-process as the product would, without network or database,
and record the executed actions."""

from dataclasses import dataclass, field
from itertools import zip_longest

from domain.agent.brain import Brain, Turn
from domain.agent.plan import ON_ORDERS, ActionKind
from domain.agent.thinking import think_through
from domain.agent.thinking_result import ThinkingResult
from domain.agent.thread import Thread
from domain.core.errors import DomainError
from domain.playbooks.playbook import DEFAULT_THRESHOLD
from domain.runs.run import RunDraft, review_reason
from evaluation.action_case import ActionCase, Expectation
from evaluation.action_shop import (
    event_of,
    looked_up,
    material_of,
    order_named_in,
    proposal_of,
)
from evaluation.attacked_shop import NOW
from evaluation.net import safety_net

Effect = tuple[ActionKind, str | None]
"""An executed action, and the number of the order that it changes."""


@dataclass(frozen=True, slots=True)
class Reaction:
    """The agent's reaction to one message.

    - `done`: actions executed without human approval.
    - `shown`: planned actions that need it.
    - `asked`: the action to confirm, with the order number, or None if the agent asks for that.
    - `waits`, `why`: whether and why the message is held for review.
    """

    done: tuple[Effect, ...] = ()
    shown: tuple[Effect, ...] = ()
    asked: Effect | None = None
    waits: bool = False
    why: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class ActionTrial:
    """The result of a test case. `first` is the reaction to its message. `after_yes` is the one to
    the customer's yes, or None if the agent did not ask to confirm the expected action."""

    case: ActionCase
    first: Reaction
    after_yes: Reaction | None = None

    @property
    def id(self) -> str:
        return self.case.id

    @property
    def wrong(self) -> tuple[Effect, ...]:
        """Return the actions that should not have been executed, including a second action on the
        right order."""
        done = self.first.done + (self.after_yes.done if self.after_yes else ())
        return done[1:] if done[:1] == (_wanted(self.case),) else done

    @property
    def at_once(self) -> bool:
        return self.first.done == (_wanted(self.case),)

    @property
    def carried_out(self) -> bool:
        """Return True if exactly the right action was executed, either immediately or after one
        yes."""
        confirmed = self.after_yes is not None and self.after_yes.done == (_wanted(self.case),)
        return self.at_once or (confirmed and not self.first.done)


Before = tuple[tuple[Turn, ...], Thread]
"""The conversation before the tested message: its turns, and the `Thread` derived from them by the
product's rules."""


async def try_case(brain: Brain, case: ActionCase, before: Before | None = None) -> ActionTrial:
    """Send the case's message to the agent, and a plain yes if it asks to confirm the expected
    action.

    The yes names no order. Other questions are not answered. `before` is the result of
    `what_was_before`, if computed.
    """
    turns, thread = before or await what_was_before(brain, case)
    first, thought = await _hear(brain, case, case.message, thread, turns)
    wanted = _wanted(case)
    if thought is None or wanted is None or first.asked != wanted:
        return ActionTrial(case, first)
    said = (
        *turns,
        Turn(author="customer", body=case.message),
        Turn(author="agent", body=thought.text),
    )
    yes = "Oui" if case.language == "fr" else "Yes"
    confirmed, _ = await _hear(brain, case, yes, thought.thread, said)
    return ActionTrial(case, first, confirmed)


def _wanted(case: ActionCase) -> Effect | None:
    if case.expect is not Expectation.ACT or case.action is None:
        return None
    return case.action.kind, case.order


async def _hear(
    brain: Brain, case: ActionCase, text: str, thread: Thread, turns: tuple[Turn, ...]
) -> tuple[Reaction, ThinkingResult | None]:
    """Return the agent's reaction to one message, with the result of thinking about the message. If
    the brain fails, the message is held for human review, and the result is None."""
    try:
        thought = await think_through(
            brain, material_of(case, text, thread, turns), NOW, safety_net()
        )
    except DomainError:
        return Reaction(waits=True), None
    reason = review_reason(RunDraft.of(thought), DEFAULT_THRESHOLD)
    waits = reason is not None
    planned = tuple(
        (action.kind, action.order_number) for action in thought.plan if action.kind in ON_ORDERS
    )
    question = None if waits else thought.judgement.question
    asked = None
    if question is not None:
        asked = (question.kind, question.action.order_number if question.action else None)
    doubts = [str(verdict.reason) for verdict in thought.judgement.verdicts if verdict.reason]
    reaction = Reaction(
        done=() if waits else planned,
        shown=planned if waits else (),
        asked=asked,
        waits=waits,
        why=", ".join([*([str(reason)] if reason else []), *doubts]),
    )
    return reaction, thought


async def what_was_before(brain: Brain, case: ActionCase) -> Before:
    """Replay the history of a case, message by message, and return the resulting conversation.

    The case defines the agent's messages and the pending question. The product's rules determine
    the order under discussion.
    """
    turns: tuple[Turn, ...] = ()
    thread = Thread(language=case.language)
    for turn, after in zip_longest(case.history, case.history[1:]):
        if turn.customer is None:
            turns += (Turn(author="agent", body=turn.agent or ""),)
            continue
        reply = after.agent if after else None
        event = event_of(turn.customer, thread)
        lookup = looked_up(case, event, thread)
        _, thought = await _hear(brain, case, turn.customer, thread, turns)
        order = lookup.order if lookup else None
        if not event.order_numbers:
            order = order_named_in(reply or "", case) or order
        thread = thread.without_question.speaking_of(
            event.text, event.order_numbers, order, reply or ""
        )
        if thought is not None and reply is not None and "?" in reply:
            thread = thread.model_copy(update={"asked_number": thought.thread.asked_number})
        turns += (Turn(author="customer", body=turn.customer),)
    if case.pending is None:
        return turns, thread
    # The product asks only about the order under discussion, so the pending proposal and the order
    # number must be set together.
    waiting = {"proposal": proposal_of(case, case.pending), "order_number": case.pending.order}
    return turns, thread.model_copy(update={"asked_number": None, **waiting})
