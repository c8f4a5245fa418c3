"""Shadow mode: record a run without executing its answer and actions.

Human agents answer the customer and never see the draft. Because the run stores neither words nor
actions, no approval or edit can execute them.
"""

from dataclasses import replace
from datetime import datetime

from domain.agent.brain_context import BrainContext
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import REPLIES
from domain.agent.policy_context import PolicyContext
from domain.agent.policy_decision import Judgement
from domain.agent.reply_action import answer_action
from domain.agent.thinking_result import ThinkingResult


def kept_in_shadow(
    thought: ThinkingResult, context: BrainContext, reason: EscalationReason | None, now: datetime
) -> ThinkingResult:
    """Return the result without the agent's words and actions, for human agents to answer.

    The plan keeps only the action that would deliver the answer. `reason` is an escalation reason
    that applies outside shadow mode too. A message that allows no reply is not escalated.
    """
    answers = context.event.reply_allowed
    judged = thought.judgement
    policy_context = PolicyContext(
        event=context.event,
        rulebook=context.rulebook,
        connections=context.connections,
        now=now,
    )
    return replace(
        thought,
        # Citations would reveal the draft's content.
        answer=thought.answer.model_copy(update={"response": "", "citations": ()}),
        judgement=Judgement(
            plan=(answer_action(policy_context),) if answers else (),
            verdicts=tuple(one for one in judged.verdicts if one.kind in REPLIES),
            doubt=judged.doubt,
        ),
        hold=(reason or EscalationReason.SHADOW_MODE) if answers else reason,
        text="",
        guard_findings=(),
        # The thread must not contain the agent's question or answer, because the customer received
        # neither of them.
        thread=context.thread.without_question.speaking_of(
            context.event.text, context.event.order_numbers, context.order, ""
        ).model_copy(update={"language": thought.thread.language}),
    )


def held_in_shadow(thought: ThinkingResult, context: BrainContext) -> ThinkingResult:
    """Return the result of a dry run with the agent's words, held for review if the playbook is in
    shadow mode."""
    if not (context.rulebook.shadow and context.event.reply_allowed):
        return thought
    return replace(thought, hold=thought.hold or EscalationReason.SHADOW_MODE)
