"""How long a customer has waited for an answer, compared with the client's target."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from domain.tenants.business_hours import BusinessHours, business_time, due_at


@dataclass(frozen=True, slots=True)
class Waiting:
    """A customer's wait for an answer. `since`: the time of the first unanswered message.
    `waited`: the business time since then. `due`: the instant at which the target is reached.
    `left`: the business time until then, or zero. `overdue`: the business time since then, or
    zero."""

    since: datetime
    waited: timedelta
    due: datetime
    left: timedelta
    overdue: timedelta

    @property
    def is_overdue(self) -> bool:
        return self.overdue > timedelta()


def waiting_since(since: datetime | None, hours: BusinessHours, now: datetime) -> Waiting | None:
    """Return how long the customer has waited, or None if the client has no target or no message
    waits. `since`: the time of the first unanswered message, or None."""
    target = hours.target
    if since is None or target is None:
        return None
    waited = business_time(hours, since, now)
    return Waiting(
        since=since,
        waited=waited,
        due=due_at(hours, since, target),
        left=max(target - waited, timedelta()),
        overdue=max(waited - target, timedelta()),
    )
