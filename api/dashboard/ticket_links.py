"""Links from metrics to their tickets."""

from dataclasses import dataclass
from datetime import date
from urllib.parse import urlencode

from domain.runs.ticket_outcome import TicketOutcome


@dataclass(frozen=True, slots=True)
class TicketLinks:
    """Links to the tickets between the days `first` and `last`."""

    first: date
    last: date

    def of(self, outcome: str = "", **filters: str | None) -> str:
        """Return the path to the ticket list, filtered by outcome. A filter set to None selects
        tickets that have no value for that field."""
        chosen = {name: "none" if value is None else value for name, value in filters.items()}
        days = {"from": self.first.isoformat(), "to": self.last.isoformat()}
        named = {"outcome": TicketOutcome(outcome).value} if outcome else {}
        return f"/app/runs?{urlencode({**days, **named, **chosen})}"
