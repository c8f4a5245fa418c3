"""Handle messages that no brain can process: a human answers them."""

from datetime import datetime

from domain.agent.brain import SETTLED_BY, BrainAnswer, Category
from domain.agent.brain_context import BrainContext
from domain.agent.escalation_reason import EscalationReason
from domain.agent.model_fault import ModelFault
from domain.agent.policy import judge
from domain.agent.policy_context import PolicyContext
from domain.agent.thinking_result import ThinkingResult


def over_budget_result(
    context: BrainContext, now: datetime, fault: ModelFault | None = None
) -> ThinkingResult:
    """Return the result for a message that exceeds the effort budget. Takes constant time. `fault`
    is set if the model failed for another reason."""
    reason = EscalationReason.MODEL_UNAVAILABLE if fault else EscalationReason.TOOL_FAILURE
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
        doubt=reason,
        fault=fault,
    )
    return ThinkingResult(
        answer=answer,
        judgement=judge(policy_context, Category.OTHER, ()),
        findings=(),
        hold=reason,
        text="",
        doubt=answer.doubt,
        thread=context.thread.without_question,
    )
