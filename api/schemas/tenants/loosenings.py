"""Request and response models for the dashboard's routes for changes that loosen a protection."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from api.schemas.core.strict_body import StrictBody
from domain.tenants.loosening import LoosenedRule, Loosening, LooseningState


class ApproveLooseningBody(StrictBody):
    """An empty JSON object; the path identifies the change."""


class CancelLooseningBody(StrictBody):
    """An empty JSON object; the path identifies the change."""


class LooseningOut(BaseModel):
    """A pending or decided change that gives the agent more permissions."""

    model_config = ConfigDict(frozen=True)

    loosening_id: str
    state: LooseningState
    use: str = Field(
        description=("Operation that applies the change, such as `update` or `settings`.")
    )
    differences: tuple[LoosenedRule, ...] = Field(
        description=("Protections that the change loosens.")
    )
    requested_by: str = Field(description="Id of the user who requested the change.")
    created_at: datetime
    takes_effect_at: datetime = Field(
        description=(
            "Time at which the change takes effect if no second manager approves it earlier."
        )
    )
    decided_by: str | None = Field(
        description=(
            "Id of the user who approved or cancelled the change, or `time` if the change took "
            "effect on schedule."
        )
    )
    decided_at: datetime | None
    error_code: str | None = Field(
        description=(
            "Error code if the change could not be applied at its scheduled time, or null."
        )
    )

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
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")
