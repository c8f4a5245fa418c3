"""The stops of everything automatic: a client's by its managers, all clients' by operators.

While a stop is on, the agent answers and does nothing without a person. Approvals and replies of
people go on (docs/decisions/0087).
"""

from collections.abc import Callable
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from domain.core.json_time import rfc3339
from domain.tenants.loosening import LoosenedRule


class AutomationStop(BaseModel):
    """`by`: who stopped it."""

    model_config = ConfigDict(frozen=True)

    at: datetime
    by: str


class AutomationState(BaseModel):
    """What keeps the agent of one client from answering and acting by itself."""

    model_config = ConfigDict(frozen=True)

    stopped: AutomationStop | None = Field(
        default=None, description="The client's own stop; null: none."
    )
    installation_stopped: datetime | None = Field(
        default=None, description="Since when the operators have stopped every client; null: no."
    )

    @property
    def is_stopped(self) -> bool:
        return self.stopped is not None or self.installation_stopped is not None


def resumed(
    actor: str,
) -> Callable[[AutomationState, AutomationState], tuple[LoosenedRule, ...]]:
    """Compare two states for a change that `actor` makes: resuming another member's stop loosens,
    resuming one's own does not."""

    def compare(before: AutomationState, after: AutomationState) -> tuple[LoosenedRule, ...]:
        stop = before.stopped
        if stop is None or after.stopped is not None or stop.by == actor:
            return ()
        # With its time: an approval of this change ends no later stop.
        before_it = f"stopped {rfc3339(stop.at)}"
        return (LoosenedRule(place="automation", before=before_it, after="running"),)

    return compare
