"""Query and response models for a page of runs."""

from typing import Annotated

from pydantic import BaseModel, Field

from api.schemas.core.client_query import ClientQuery
from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.core.ids import ULID
from domain.runs.run import RunStatus
from domain.runs.trace import RunSummary


class RunQuery(ClientQuery):
    """Query parameters for a page of runs."""

    status: RunStatus | None = None
    classification: Category | None = None
    reason: Annotated[
        EscalationReason | None, Field(description="Reason for which the run was escalated first.")
    ] = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[
        str | None,
        Field(pattern=ULID, description="Value of `next_cursor` from the previous page."),
    ] = None


class RunPage(BaseModel):
    runs: list[RunSummary]
    next_cursor: Annotated[
        str | None, Field(description="Cursor for the next page; null on the last page.")
    ]
