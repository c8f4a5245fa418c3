"""Request and response models for the dashboard's automation routes."""

from datetime import datetime

from pydantic import BaseModel, Field

from api.schemas.core.strict_body import StrictBody
from domain.tenants.automation import AutomationStop


class AutomationBody(StrictBody):
    """An empty JSON object; the path determines the action."""


class InstallationState(BaseModel):
    """The automation stop for all clients: its time, and the operator who stopped automation."""

    stopped_at: datetime | None = Field(
        description="Time at which automation was stopped; null if it is not stopped."
    )
    stopped_by: str | None = Field(
        description="Operator who stopped automation; null if it is not stopped."
    )

    @staticmethod
    def of(stop: AutomationStop | None) -> "InstallationState":
        return InstallationState(
            stopped_at=None if stop is None else stop.at,
            stopped_by=None if stop is None else stop.by,
        )
