"""Response model for all errors. `api/errors.py` defines each error's status and text."""

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
