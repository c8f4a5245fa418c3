"""The widget's share of its client's limits, so that visitors can never use them up completely.

By default it is half of the hourly limit and half of the plan's tickets.
"""

from dataclasses import dataclass

from domain.billing.quota import UNLIMITED
from domain.intake.gateway_limits import PER_CLIENT


@dataclass(frozen=True, slots=True)
class WidgetShare:
    """The client's choice: messages per hour, tickets per calendar month. None: half."""

    hourly_messages: int | None = None
    monthly_tickets: int | None = None

    @property
    def messages(self) -> int:
        """The number of messages allowed within PER_CLIENT.window."""
        if self.hourly_messages is not None:
            return self.hourly_messages
        return PER_CLIENT.messages // 2

    def tickets(self, tickets_limit: int) -> int | None:
        """Return the share of a monthly ticket limit, or None if there is no limit."""
        if self.monthly_tickets is not None:
            return self.monthly_tickets
        return None if tickets_limit == UNLIMITED else max(1, tickets_limit // 2)
