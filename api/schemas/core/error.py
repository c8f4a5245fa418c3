"""The body of every error response. `api/errors.py` builds it; this model describes it."""

from pydantic import BaseModel, Field


class ErrorBody(BaseModel):
    error: str
    code: str = Field(description="Stable error code for programs.")
    request_id: str
    event_id: str | None = Field(
        default=None, description="Id of the event; set if it is stored but no answer can be given."
    )
    tickets_used: int | None = Field(
        default=None,
        description="Tickets used this month. This field and the next four are set only if the "
        "quota is exhausted.",
    )
    tickets_limit: int | None = None
    credits_balance: int | None = None
    upgrade_url: str | None = None
    credits_url: str | None = None
    claimed_by: str | None = Field(
        default=None, description="User who has claimed the review; set only if it is another user."
    )
    problems: list[str] | None = Field(
        default=None,
        description="Errors in a playbook that cannot be read: each place and its problem, in the "
        "language of the playbook's keys.",
    )
    version: int | None = Field(
        default=None, description="Current version of a playbook that another user has changed."
    )
