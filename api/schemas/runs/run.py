"""A page of runs: how it is asked for, and how it is answered."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Category
from domain.core.ids import ULID
from domain.runs.run import RunStatus
from domain.runs.trace import RunSummary


class TraceQuery(BaseModel):
    """The query of one run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    client_id: Annotated[
        str | None, Field(description="ULID of the client; absent: the caller's own.")
    ] = None


class RunQuery(TraceQuery):
    """The query of a list."""

    status: RunStatus | None = None
    classification: Category | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[
        str | None, Field(pattern=ULID, description="`next_cursor` of the page before.")
    ] = None


class RunPage(BaseModel):
    runs: list[RunSummary]
    next_cursor: Annotated[
        str | None, Field(description="Asks for the runs after these; null: these are the last.")
    ]
