"""The body of every error response. `api/errors.py` builds it; this model describes it."""

from pydantic import BaseModel, Field


class ErrorBody(BaseModel):
    error: str
    code: str = Field(description="Stable, for programs.")
    request_id: str
    event_id: str | None = Field(
        default=None, description="Of the event that is stored although no answer can be given."
    )
    tickets_used: int | None = Field(
        default=None, description="This and the four below: only where the quota is exhausted."
    )
    tickets_limit: int | None = None
    credits_balance: int | None = None
    upgrade_url: str | None = None
    credits_url: str | None = None
    claimed_by: str | None = Field(
        default=None, description="Who looks at the review; only where somebody else does."
    )
    problems: list[str] | None = Field(
        default=None,
        description="Only of a playbook that cannot be read: each place in it, and what is wrong "
        "there, in the language of its keys.",
    )
    version: int | None = Field(
        default=None, description="Of a playbook that somebody else has changed: its version now."
    )
