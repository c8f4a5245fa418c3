"""Query and response models for a page of runs."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field

from api.schemas.core.client_query import ClientQuery
from api.schemas.core.day import Day
from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.core.errors import InvalidQuery
from domain.core.ids import ULID
from domain.intake.event import Channel
from domain.runs.run import RunStatus
from domain.runs.ticket_outcome import TicketOutcome
from domain.runs.trace import RunSummary
from store.runs.run_lists import RunFilter

# Other years are rejected because arithmetic with the first and last days of the calendar would
# overflow.
_YEARS: Final = range(1970, 9999)


class RunQuery(ClientQuery):
    status: RunStatus | None = None
    classification: Annotated[
        Category | Literal["none"] | None,
        Field(description="Message category; `none` for runs without one."),
    ] = None
    reason: Annotated[
        EscalationReason | None, Field(description="The run's first escalation reason.")
    ] = None
    playbook_id: Annotated[
        str | None, Field(pattern=ULID, description="ULID of the run's playbook.")
    ] = None
    channel: Annotated[
        Channel | Literal["none"] | None,
        Field(description="Message channel; `none` for runs without one."),
    ] = None
    outcome: Annotated[
        TicketOutcome | None,
        Field(
            description=(
                "Outcome, as counted in the insight report. The list contains the runs that the "
                "report counts. See docs/metrics.md."
            )
        ),
    ] = None
    first: Annotated[
        Day | None,
        Field(
            alias="from",
            description=(
                "First day of the range, UTC. The range applies to the time the run was received "
                "or, for the outcomes `rated` and `satisfied`, to the time of the rating."
            ),
        ),
    ] = None
    last: Annotated[Day | None, Field(alias="to", description="Last day of the range, UTC.")] = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[
        str | None,
        Field(pattern=ULID, description="Value of `next_cursor` from the previous page."),
    ] = None

    @property
    def wanted(self) -> RunFilter:
        """Return the filters. Raises InvalidQuery if the range of days is invalid."""
        for name, day in (("from", self.first), ("to", self.last)):
            if day is not None and day.year not in _YEARS:
                raise InvalidQuery(name)
        if self.first is not None and self.last is not None and self.first > self.last:
            raise InvalidQuery("from")
        return RunFilter(
            status=self.status,
            classification=self.classification,
            reason=self.reason,
            playbook_id=self.playbook_id,
            channel=self.channel,
            outcome=self.outcome,
            first=self.first,
            last=self.last,
        )


class RunPage(BaseModel):
    runs: list[RunSummary]
    next_cursor: Annotated[
        str | None, Field(description="Cursor for the next page; null on the last page.")
    ]
