"""Requests and responses of the dashboard about changes that loosen a protection."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from api.schemas.core.strict_body import StrictBody
from domain.tenants.loosening import LoosenedRule, Loosening, LooseningState


class ApproveLooseningBody(StrictBody):
    """An empty object; the path names the change."""


class CancelLooseningBody(StrictBody):
    """An empty object; the path names the change."""


class LooseningOut(BaseModel):
    """A change that lets the agent do more."""

    model_config = ConfigDict(frozen=True)

    loosening_id: str
    state: LooseningState
    use: str = Field(description="What is to be done, as in `update` or `settings`.")
    differences: tuple[LoosenedRule, ...] = Field(description="What becomes looser.")
    requested_by: str = Field(description="Id of the user who asked for it.")
    created_at: datetime
    takes_effect_at: datetime = Field(description="When it takes effect without an approval.")
    decided_by: str | None = Field(
        description="Who approved or cancelled it; `time` where its time came."
    )
    decided_at: datetime | None
    error_code: str | None = Field(description="Why it failed when its time came.")

    @staticmethod
    def of(found: Loosening) -> "LooseningOut":
        kept = found.model_dump(exclude={"id", "change", "differences"})
        return LooseningOut(
            loosening_id=found.id,
            use=str(found.change.get("use", "")),
            differences=found.differences,
            **kept,
        )


class LooseningPage(BaseModel):
    loosenings: Sequence[LooseningOut]
    next_cursor: str | None
