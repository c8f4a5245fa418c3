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
    playbook_version: Annotated[Count, Field(description="Its version.")]
    classification: Annotated[Category, Field(description="The class that the agent gave it.")]
    confidence: Annotated[Share, Field(description="How sure the agent was, 0 to 1.")]
    reason: Annotated[
        EscalationReason | None,
        Field(description="Why the message would have gone to review; null if it would not."),
    ]
    draft: Annotated[str, Field(description="What the agent would have written.")]
    plan: Annotated[
        tuple[PlannedAction, ...], Field(description="What the agent would have done, in order.")
    ]
    decision: Annotated[PeopleDid | None, Field(description="What people did; null if not yet.")]
    sent: Annotated[str | None, Field(description="What people wrote, where it is known.")]
    comparison: Annotated[Comparison | None, Field(description="How near the two are.")]
    created_at: Annotated[Time, Field(description="When the agent thought about it.")]
    compared_at: Annotated[Time | None, Field(description="When the two were compared.")]
