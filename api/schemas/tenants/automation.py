"""Request and response models of the dashboard routes that stop all automation."""

from datetime import datetime

from pydantic import BaseModel, Field

from api.schemas.core.strict_body import StrictBody
from domain.tenants.automation import AutomationStop


class AutomationBody(StrictBody):
    """An empty JSON object; the path determines the action."""


class InstallationState(BaseModel):
    """The stop of the automation of all clients: since when it applies, and which operator stopped
    it."""

    stopped_at: datetime | None = Field(
        description="Time at which automation was stopped; null if it is not stopped."
    )
    stopped_by: str | None = Field(
        description=("Operator who stopped automation; null if it is not stopped.")
    )

    @staticmethod
    def of(stop: AutomationStop | None) -> "InstallationState":
        return InstallationState(
            stopped_at=None if stop is None else stop.at,
            stopped_by=None if stop is None else stop.by,
        )
