"""Response model of every error. `api/errors.py` contains the status and text of each error."""

from pydantic import BaseModel, Field


class ErrorBody(BaseModel):
    error: str
    code: str = Field(description="Stable error code that programs can rely on.")
    request_id: str
    event_id: str | None = Field(
        default=None,
        description=("Id of the event; set only if the event is stored but has no answer yet."),
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
        description=(
            "User who has claimed the review; set only if the claim belongs to another user."
        ),
    )
    problems: list[str] | None = Field(
        default=None,
        description=(
            "Errors in an invalid playbook: each position and its problem, in the language of the "
            "playbook's keys."
        ),
    )
    version: int | None = Field(
        default=None,
        description=(
            "Current version of the playbook; set only if another user has changed the playbook."
        ),
    )
