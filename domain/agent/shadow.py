"""Shadow mode: what a run keeps of a thought that nothing is to come of.

Only people answer the customer. The run has neither the agent's words nor its actions, so that no
approval and no edit can carry them out, and people write uninfluenced.
"""

from dataclasses import replace
from datetime import datetime

from domain.agent.escalation_reason import EscalationReason
from domain.agent.material import Material
from domain.agent.plan import REPLIES
from domain.agent.reply_action import answer_action
from domain.agent.situation import Situation
from domain.agent.thinking import ThinkingResult
from domain.agent.verdict import Judgement


def kept_in_shadow(
    thought: ThinkingResult, material: Material, reason: EscalationReason | None, now: datetime
) -> ThinkingResult:
    """The thought without its words and deeds: people answer, by the action that would have brought
    the agent's answer to the customer.

    `reason`: why people would have been asked anyway, which stays. What asks for no answer, such as
    an automatic reply, gets none here either, and no person is asked.
    """
    answers = material.event.reply_allowed
    judged = thought.judgement
    situation = Situation(
        event=material.event,
        rulebook=material.rulebook,
        connections=material.connections,
        now=now,
    )
    return replace(
        thought,
        # What the draft rests on shows what it says.
        answer=thought.answer.model_copy(update={"response": "", "citations": ()}),
        judgement=Judgement(
            plan=(answer_action(situation),) if answers else (),
            verdicts=tuple(one for one in judged.verdicts if one.kind in REPLIES),
            doubt=judged.doubt,
        ),
        hold=(reason or EscalationReason.SHADOW_MODE) if answers else reason,
        text="",
        # No question was asked, and the answer named no order.
        thread=material.thread.without_question.speaking_of(
            material.event.text, material.event.order_numbers, material.order, ""
        ).model_copy(update={"language": thought.thread.language}),
    )


def held_in_shadow(thought: ThinkingResult, material: Material) -> ThinkingResult:
    """The thought as it is rehearsed: with its words, and waiting for people in shadow mode."""
    if not (material.rulebook.shadow and material.event.reply_allowed):
        return thought
    return replace(thought, hold=thought.hold or EscalationReason.SHADOW_MODE)
