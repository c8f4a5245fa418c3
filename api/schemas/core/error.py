"""Response model for all errors. `api/errors.py` defines each error's status and text."""

from datetime import datetime

from pydantic import BaseModel, Field


class ErrorBody(BaseModel):
    error: str
    code: str = Field(description="Stable error code that programs can rely on.")
    request_id: str
    event_id: str | None = Field(
        default=None,
        description=("Id of the event; set only if the event is stored but not answered yet."),
    )
    tickets_used: int | None = Field(
        default=None,
        description=(
            "Tickets used this month. This field and the following four are set only if the quota "
            "is exhausted."
        ),
    )
    tickets_limit: int | None = None
    credits_balance: int | None = None
    upgrade_url: str | None = None
    credits_url: str | None = None
    claimed_by: str | None = Field(
        default=None,
        description="User who has claimed the review; set only if another user has claimed it.",
    )
    problems: list[str] | None = Field(
        default=None,
        description=(
            "Errors in an invalid playbook, each with its position and a description. The "
            "descriptions use the language of the playbook's keys."
        ),
    )
    version: int | None = Field(
        default=None,
        description=(
            "Current version of the playbook; set only if another user has changed the playbook."
        ),
    )
    taken_by: str | None = Field(
        default=None,
        description="User who has taken over the conversation; set only if another user has.",
    )
    reason: str | None = Field(
        default=None,
        description="Reason why a file cannot be attached, or why no reply can reach the customer.",
    )
    why: str | None = Field(
        default=None,
        description="Reason why the user does not count as a second person.",
    )
    loosening_id: str | None = Field(
        default=None,
        description=(
            "Id of the change, which is pending until a second manager approves it or its "
            "waiting period ends."
        ),
    )
    takes_effect_at: datetime | None = Field(
        default=None, description="Time at which the waiting change takes effect by itself."
    )
    keys: int | None = Field(
        default=None, description="Number of active keys that the member created."
    )
    failing: int | None = Field(default=None, description="Number of failed cases.")
    untried: int | None = Field(
        default=None, description="Number of cases that have not run with this playbook."
    )
    cases: list[str] | None = Field(
        default=None, description="Names of the first cases that failed or were not run."
    )
