"""Export record for a draft in shadow mode and for the human agents' answer."""

from typing import Annotated

from pydantic import Field

from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import PlannedAction
from domain.exports.record import Count, Id, Record, Share, Time
from domain.learning.comparison import Comparison, PeopleDid


class ShadowDraftRecord(Record):
    """A draft for one message by a playbook in shadow mode. The draft was not sent. The engine
    writes these records."""

    run_id: Annotated[Id, Field(description="ULID of the run.")]
    playbook_id: Annotated[Id, Field(description="ULID of the playbook.")]
    playbook_version: Annotated[Count, Field(description="Version of the playbook.")]
    classification: Annotated[
        Category, Field(description=("Category that the agent assigned to the message."))
    ]
    confidence: Annotated[
        Share, Field(description=("Agent's confidence in its result, from 0 to 1."))
    ]
    reason: Annotated[
        EscalationReason | None,
        Field(
            description=(
                "Reason why the draft would have been reviewed before sending; null if it would "
                "have been sent without review."
            )
        ),
    ]
    draft: Annotated[str, Field(description="Answer that the agent would have sent.")]
    plan: Annotated[
        tuple[PlannedAction, ...],
        Field(description="Actions that the agent would have executed, in order."),
    ]
    decision: Annotated[
        PeopleDid | None,
        Field(
            description=("Human agents' action on the message; null if they have not acted yet.")
        ),
    ]
    sent: Annotated[
        str | None, Field(description="Answer that human agents sent; null if it is unknown.")
    ]
    comparison: Annotated[
        Comparison | None,
        Field(
            description=(
                "Comparison of the agent's result with that of human agents; null until they "
                "are compared."
            )
        ),
    ]
    created_at: Annotated[Time, Field(description="Time when the agent processed the message.")]
    compared_at: Annotated[
        Time | None, Field(description="Time when both results were compared; null until then.")
    ]
