"""The embedded brain's result in place of a language model that produced no answer."""

from dataclasses import replace
from typing import Final

from domain.agent.brain import SETTLED_BY
from domain.agent.errors import BrainFailed
from domain.agent.escalation_reason import EscalationReason
from domain.agent.model_fault import ModelFault
from domain.agent.thinking_result import ThinkingResult

# Reasons in the message itself. A human would also review the answer of a working model.
_IN_THE_MESSAGE: Final = frozenset(
    {EscalationReason.CUSTOMER_REQUEST, EscalationReason.UNSAFE_INPUT}
)


def in_place_of_model(
    thought: ThinkingResult, fault: ModelFault, failure: BrainFailed | None = None
) -> ThinkingResult:
    """Return the embedded brain's result, with the model's fault and the cost of its attempts.

    The embedded brain's own threshold decides whether a human reviews the result. The escalation
    reason is then `model_unavailable`, unless the policy or the message requires the review.
    `failure` is None if the model was not called.
    """
    answer = thought.answer
    if answer.model == SETTLED_BY and failure is None:
        return thought
    spent = (
        {}
        if failure is None
        else {
            "tokens_in": failure.tokens_in,
            "tokens_out": failure.tokens_out,
            "cost_micros": failure.cost_micros,
        }
    )
    thought = replace(thought, answer=answer.model_copy(update={**spent, "fault": fault}))
    if thought.judgement.doubt is not None or answer.doubt in _IN_THE_MESSAGE:
        return thought
    unavailable = EscalationReason.MODEL_UNAVAILABLE
    may_wait_for_people = thought.doubt is not None or thought.plan
    return replace(
        thought,
        hold=None if thought.hold is None else unavailable,
        doubt=unavailable if may_wait_for_people else None,
    )
