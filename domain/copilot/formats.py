"""The copilot's port for formatting dates, numbers and amounts in the same way as the dashboard's
pages."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from domain.copilot.words import Tongue
from domain.core.money import Money


class CopilotFormats(Protocol):
    """Formats for one language and time zone at a given time."""

    def when(self, moment: datetime | None) -> str:
        """Return a date with its time."""

    def day(self, day: date | None) -> str:
        """Return a date. A datetime is converted to the time zone."""

    def since(self, moment: datetime) -> str:
        """Return the time elapsed since a moment, formatted as “3 h”."""

    def span(self, length: timedelta | float) -> str:
        """Return a duration. A plain number is in seconds."""

    def number(self, value: float | None, digits: int = 0) -> str:
        """Return a number with the language's separators."""

    def percent(self, share: float | None, digits: int = 0) -> str:
        """Return a share from 0 to 1 as a percentage, or a dash for None."""

    def money(self, sum_: Money | None) -> str:
        """Return an amount with its currency."""


FormatsOf = Callable[[Tongue, ZoneInfo, datetime], CopilotFormats]
"""A function that returns the formats for a language and a time zone at a given time."""
