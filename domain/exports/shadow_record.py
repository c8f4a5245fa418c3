"""The record of a draft in shadow mode, and of people's own answer."""

from typing import Annotated

from pydantic import Field

from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import PlannedAction
from domain.exports.record import Count, Id, Record, Share, Time
from domain.learning.comparison import Comparison, PeopleDid


class ShadowDraftRecord(Record):
    """One message that a playbook in shadow mode drafted for. Written by the engine."""

    run_id: Annotated[Id, Field(description="ULID of the run.")]
    playbook_id: Annotated[Id, Field(description="ULID of the playbook.")]
    playbook_version: Annotated[Count, Field(description="Version of the playbook.")]
    classification: Annotated[Category, Field(description="Category that the agent assigned.")]
    confidence: Annotated[Share, Field(description="Confidence of the agent, 0 to 1.")]
    reason: Annotated[
        EscalationReason | None,
        Field(description="Reason that a review would have come first; null if none would have."),
    ]
    draft: Annotated[str, Field(description="Answer that the agent would have sent.")]
    plan: Annotated[
        tuple[PlannedAction, ...],
        Field(description="Actions that the agent would have executed, in order."),
    ]
    decision: Annotated[
        PeopleDid | None,
        Field(description="Action that people took; null if there is none yet."),
    ]
    sent: Annotated[
        str | None, Field(description="Answer that people sent; null if it is unknown.")
    ]
    comparison: Annotated[
        Comparison | None,
        Field(description="Agreement of the agent's result and the people's; null until compared."),
    ]
    created_at: Annotated[Time, Field(description="Time when the agent processed the message.")]
    compared_at: Annotated[
        Time | None, Field(description="Time of the comparison; null until compared.")
    ]
