"""Handle messages over the effort budget: a person answers them, and no brain is called."""

from datetime import datetime

from domain.agent.brain import BrainAnswer, Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.material import Material
from domain.agent.policy import judge
from domain.agent.settling import SETTLED_BY
from domain.agent.situation import Situation
from domain.agent.thinking import ThinkingResult


def unread(material: Material, now: datetime) -> ThinkingResult:
    """Return the result for a skipped message, at a cost that does not depend on its length."""
    situation = Situation(
        event=material.event,
        rulebook=material.rulebook,
        connections=material.connections,
        order=material.order,
        spent=material.spent,
        thread=material.thread,
        unsafe=False,
        now=now,
    )
    answer = BrainAnswer(
        classification=Category.OTHER,
        confidence=0,
        language=material.thread.language or "en",
        model=SETTLED_BY,
        doubt=EscalationReason.TOOL_FAILURE,
    )
    return ThinkingResult(
        answer=answer,
        judgement=judge(situation, Category.OTHER, ()),
        findings=(),
        hold=EscalationReason.TOOL_FAILURE,
        text="",
        doubt=answer.doubt,
        thread=material.thread.without_question,
    )
