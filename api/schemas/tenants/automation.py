"""Requests of the dashboard to stop all automation."""

from datetime import datetime

from pydantic import BaseModel, Field

from api.schemas.core.strict_body import StrictBody
from domain.tenants.automation import AutomationStop


class AutomationBody(StrictBody):
    """An empty object; the path determines the action."""


class InstallationState(BaseModel):
    """The stop of all clients by the operators, if there is one."""

    stopped_at: datetime | None = Field(
        description="Time of the stop; null if automation is not stopped."
    )
    stopped_by: str | None = Field(description="Operator who stopped automation, or null.")

    @staticmethod
    def of(stop: AutomationStop | None) -> "InstallationState":
        return InstallationState(
            stopped_at=None if stop is None else stop.at,
            stopped_by=None if stop is None else stop.by,
        )
