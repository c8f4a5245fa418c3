"""The record of a saved case."""

from typing import Annotated

from pydantic import Field

from domain.cases.case import CaseExpectation, CaseOrigin
from domain.exports.record import Count, Id, Record, Share, Time
from domain.simulation.scenario import Scenario


class SavedCaseRecord(Record):
    """A message or a conversation with its expected outcome. Results of runs are not exported."""

    id: Annotated[Id, Field(description="ULID of the case.")]
    name: Annotated[str, Field(description="No other case of the client has it.")]
    scenario: Annotated[Scenario, Field(description="The conversation: docs/simulator.md.")]
    expected: Annotated[CaseExpectation, Field(description="What must come of it.")]
    must: Annotated[bool, Field(description="A playbook does not go live while it fails.")]
    tries: Annotated[Count, Field(description="How often a language model thinks it through.")]
    pass_rate: Annotated[Share, Field(description="The share of tries that must be as expected.")]
    origin: Annotated[CaseOrigin, Field(description="Where it was taken from.")]
    run_id: Annotated[str | None, Field(description="The run that it was made of.")]
    created_by: Annotated[str, Field(description="Who added it.")]
    created_at: Annotated[Time, Field(description="When it was added.")]
    updated_at: Annotated[Time | None, Field(description="When it was last changed.")]
