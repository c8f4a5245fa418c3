"""The widget's share of what its client may use, so that visitors never use up all of it.

Without a choice of the client's it is a half of the hourly limit and of the plan's tickets.
"""

from dataclasses import dataclass

from domain.billing.quota import UNLIMITED
from domain.intake.gateway_limits import PER_CLIENT


@dataclass(frozen=True, slots=True)
class WidgetShare:
    """What the client chose: messages an hour, tickets a calendar month. None: a half."""

    hourly_messages: int | None = None
    monthly_tickets: int | None = None

    @property
    def messages(self) -> int:
        """Messages within PER_CLIENT.window."""
        if self.hourly_messages is not None:
            return self.hourly_messages
        return PER_CLIENT.messages // 2

    def tickets(self, tickets_limit: int) -> int | None:
        """Tickets of a month that has so many; None where there is no limit."""
        if self.monthly_tickets is not None:
            return self.monthly_tickets
        return None if tickets_limit == UNLIMITED else max(1, tickets_limit // 2)
