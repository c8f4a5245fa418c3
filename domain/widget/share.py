"""The widget's share of its client's limits, so that visitors cannot use them up.

By default, it is half of the hourly limit and half of the plan's tickets.
"""

from dataclasses import dataclass

from domain.billing.quota import UNLIMITED
from domain.intake.gateway_limits import PER_CLIENT


@dataclass(frozen=True, slots=True)
class WidgetShare:
    """The widget's share of its client's limits: messages per hour and tickets per calendar month.
    None is half of the limit."""

    hourly_messages: int | None = None
    monthly_tickets: int | None = None

    @property
    def messages(self) -> int:
        """Return the number of messages that widget visitors may send within PER_CLIENT.window."""
        if self.hourly_messages is not None:
            return self.hourly_messages
        return PER_CLIENT.messages // 2

    def tickets(self, tickets_limit: int) -> int | None:
        """Return the number of monthly tickets that the widget may use, or None if there is no
        limit. `tickets_limit` are the monthly tickets of the client's plan."""
        if self.monthly_tickets is not None:
            return self.monthly_tickets
        return None if tickets_limit == UNLIMITED else max(1, tickets_limit // 2)
