"""Compute the thread's state after an answer, and the language of the thread's answers."""

from datetime import datetime

from domain.agent.brain import BrainAnswer, Language
from domain.agent.brain_context import BrainContext
from domain.agent.plan import ActionKind
from domain.agent.policy_decision import Judgement
from domain.agent.thread import PendingProposal, Thread
from domain.intake.customer_email import customer_key
from domain.intake.event import UnifiedEvent
from domain.intake.order_number import numbers_of_author


def thread_after(
    context: BrainContext, judgement: Judgement, answer: BrainAnswer, text: str, now: datetime
) -> Thread:
    """Return the thread after an answer, with its established facts and its open question."""
    event, question = context.event, judgement.question
    thread = _named_by_author(
        context.thread,
        event,
        context.thread.without_question.speaking_of(
            event.text, event.order_numbers, context.order, text
        ),
    )
    if question is None and not answer.asks_order_number:
        return thread
    if question is None or question.action is None:
        kind = question.kind if question else ActionKind.REPLY
        asked_of = customer_key(event.customer_email) if event.may_act else None
        return thread.model_copy(update={"asked_number": kind, "asked_of": asked_of})
    playbook_id, playbook_version = context.playbook
    proposal = PendingProposal(
        id=context.run_id,
        action=question.action,
        category=answer.classification,
        playbook_id=playbook_id,
        playbook_version=playbook_version,
        customer=customer_key(event.customer_email) or "",
        asked_at=now,
    )
    return thread.model_copy(update={"proposal": proposal})


def _named_by_author(before: Thread, event: UnifiedEvent, after: Thread) -> Thread:
    """Return the thread with `named_by_customer` recomputed. It is True only if the verified author
    mentioned the order, in this message or an earlier one."""
    if not after.named_by_customer or not event.order_numbers or numbers_of_author(event):
        return after
    is_same = before.named_by_customer and before.order_number == after.order_number
    return after.model_copy(update={"named_by_customer": is_same})


def language_of(answer: BrainAnswer, thread: Thread) -> Language:
    """Return the language for the agent's own sentences: the language of the message, else that of
    the thread, else English."""
    match answer.language:
        case "fr" | "en" as spoken:
            return spoken
        case _:
            return thread.language or "en"
