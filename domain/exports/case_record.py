"""Export record for a saved case."""

from typing import Annotated

from pydantic import Field

from domain.cases.case import CaseExpectation, CaseOrigin
from domain.exports.record import Count, Id, Record, Share, Time
from domain.simulation.scenario import Scenario


class SavedCaseRecord(Record):
    """A saved case: a message or a conversation with its expected outcome. Results of case runs are
    not exported."""

    id: Annotated[Id, Field(description="ULID of the case.")]
    name: Annotated[str, Field(description="Name of the case, unique within the client.")]
    scenario: Annotated[
        Scenario, Field(description="Conversation of the case; see docs/simulator.md.")
    ]
    expected: Annotated[CaseExpectation, Field(description="Expected outcome.")]
    must: Annotated[
        bool, Field(description="Whether the case must pass before a playbook goes live.")
    ]
    tries: Annotated[
        Count, Field(description=("Number of times that the case is tried with a language model."))
    ]
    pass_rate: Annotated[
        Share, Field(description="Share of tries that must meet the expectation, from 0 to 1.")
    ]
    origin: Annotated[CaseOrigin, Field(description="Origin of the case: how it was created.")]
    run_id: Annotated[
        str | None,
        Field(
            description=(
                "ULID of the run from which the case was created; null if it was not created "
                "from a run."
            )
        ),
    ]
    created_by: Annotated[str, Field(description="Author of the case.")]
    created_at: Annotated[Time, Field(description="Time when the case was added.")]
    updated_at: Annotated[
        Time | None, Field(description="Time of the latest change; null if the case never changed.")
    ]
