"""How long a customer has waited for an answer, compared with the client's target."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from domain.tenants.business_hours import BusinessHours, business_time, due_at

_SECOND: Final = timedelta(seconds=1)
_Seconds = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True)
class AnswerWait:
    """A customer's wait for an answer, in business time except for `since`, the first unanswered
    message, and `due`, the instant of the target. `left` and `overdue` are never negative."""

    since: datetime
    waited: timedelta
    due: datetime
    left: timedelta
    overdue: timedelta

    @property
    def is_overdue(self) -> bool:
        return self.overdue > timedelta()


def waiting_since(since: datetime | None, hours: BusinessHours, now: datetime) -> AnswerWait | None:
    """Return how long the customer has waited, or None if the client has no target or no message
    waits. `since` is the time of the first unanswered message, or None."""
    target = hours.target
    if since is None or target is None:
        return None
    waited = business_time(hours, since, now)
    return AnswerWait(
        since=since,
        waited=waited,
        due=due_at(hours, since, target),
        left=max(target - waited, timedelta()),
        overdue=max(waited - target, timedelta()),
    )


class ShownWait(BaseModel):
    """A customer's wait for the first answer, compared with the client's target. Durations are in
    business time."""

    model_config = ConfigDict(frozen=True)

    since: datetime = Field(description="Time of the first unanswered message.")
    waited_s: Annotated[_Seconds, Field(description="Business time since then, in seconds.")]
    due: datetime = Field(description="Time at which the target is reached.")
    left_s: Annotated[
        _Seconds, Field(description="Business time until `due`, in seconds; 0 after it.")
    ]
    overdue_s: Annotated[
        _Seconds, Field(description="Business time since `due`, in seconds; 0 before it.")
    ]
    is_overdue: bool

    @staticmethod
    def of(waiting: AnswerWait | None) -> "ShownWait | None":
        if waiting is None:
            return None
        return ShownWait(
            since=waiting.since,
            waited_s=waiting.waited // _SECOND,
            due=waiting.due,
            left_s=waiting.left // _SECOND,
            overdue_s=waiting.overdue // _SECOND,
            is_overdue=waiting.is_overdue,
        )
