"""Handle messages that exceed the effort budget: a human answers them, and no brain is called."""

from datetime import datetime

from domain.agent.brain import SETTLED_BY, BrainAnswer, Category
from domain.agent.brain_context import BrainContext
from domain.agent.escalation_reason import EscalationReason
from domain.agent.policy import judge
from domain.agent.policy_context import PolicyContext
from domain.agent.thinking_result import ThinkingResult


def over_budget_result(context: BrainContext, now: datetime) -> ThinkingResult:
    """Return the result for a message that exceeds the effort budget. The function takes the same
    time for a message of any length."""
    policy_context = PolicyContext(
        event=context.event,
        rulebook=context.rulebook,
        connections=context.connections,
        order=context.order,
        spent=context.spent,
        thread=context.thread,
        unsafe=False,
        now=now,
    )
    answer = BrainAnswer(
        classification=Category.OTHER,
        confidence=0,
        language=context.thread.language or "en",
        model=SETTLED_BY,
        doubt=EscalationReason.TOOL_FAILURE,
    )
    return ThinkingResult(
        answer=answer,
        judgement=judge(policy_context, Category.OTHER, ()),
        findings=(),
        hold=EscalationReason.TOOL_FAILURE,
        text="",
        doubt=answer.doubt,
        thread=context.thread.without_question,
    )
