"""Format times, amounts and numbers for pages, in the user's language and time zone."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from domain.core.durations import whole
from domain.core.money import Money, digits_of

_THIN: Final = "\u202f"  # A narrow no-break space, which separates groups of digits in French.
_MONTHS: Final = {
    "fr": [
        "janv.",
        "févr.",
        "mars",
        "avr.",
        "mai",
        "juin",
        "juil.",
        "août",
        "sept.",
        "oct.",
        "nov.",
        "déc.",
    ],
    "en": ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
}
_UNITS: Final = {
    "fr": {"now": "à l’instant", "ago": "il y a {}", "in": "dans {}", "d": "j", "h": "h"},
    "en": {"now": "just now", "ago": "{} ago", "in": "in {}", "d": "d", "h": "h"},
}
_SIGNS: Final = {"EUR": "€", "USD": "$", "GBP": "£"}


@dataclass(frozen=True, slots=True)
class Formats:
    """Formatter for one user. `now` is the time of the request, used to compute relative times."""

    language: str
    zone: ZoneInfo
    now: datetime

    def when(self, moment: datetime | None) -> str:
        """Format a time as “24 Nov 2026, 09:05”, or as “24 nov. 2026 à 09:05” in French. Format
        None as “–”."""
        if moment is None:
            return "–"
        local = moment.astimezone(self.zone)
        between = " à" if self.language == "fr" else ","
        return f"{self.day(local.date())}{between} {local:%H:%M}"

    def day(self, day: date | None) -> str:
        if day is None:
            return "–"
        if isinstance(day, datetime):
            day = day.astimezone(self.zone).date()
        first = "er" if self.language == "fr" and day.day == 1 else ""
        return f"{day.day}{first} {_MONTHS[self.language][day.month - 1]} {day.year}"

    def month(self, period: str) -> str:
        """Format a billing period such as “2026-11” as “Nov 2026”."""
        year, _, month = period.partition("-")
        return f"{_MONTHS[self.language][int(month) - 1]} {year}"

    def ago(self, moment: datetime | None) -> str:
        """Format a relative time as “3 h ago”, or “in 3 h” for a future time."""
        if moment is None:
            return "–"
        words = _UNITS[self.language]
        apart = self.now - moment
        if abs(apart) < timedelta(minutes=1):
            return words["now"]
        return words["ago" if apart > timedelta() else "in"].format(self.about(abs(apart)))

    def since(self, moment: datetime) -> str:
        """Format the time since a moment as “12 min”. The minimum is “1 min”."""
        return self.about(max(self.now - moment, timedelta(minutes=1)))

    def business(self, length: timedelta) -> str:
        """Format a duration in business time as `span` does, but never in days: a day of business
        time is not a calendar day."""
        hours = whole(length.total_seconds(), 3600)
        return (
            self.span(length)
            if hours < 24
            else f"{self.number(hours)} {_UNITS[self.language]['h']}"
        )

    def wait(self, length: timedelta) -> str:
        """Format a wait in business time as “12 min”. The minimum is “1 min”."""
        return self.business(max(length, timedelta(minutes=1)))

    def about(self, length: timedelta) -> str:
        """Format a time from or until now in one unit, rounded: “12 min”, “3 h” or “5 d”."""
        seconds, words = length.total_seconds(), _UNITS[self.language]
        if (minutes := whole(seconds, 60)) < 60:
            return f"{minutes} min" if minutes else self.span(length)
        if (hours := whole(seconds, 3600)) < 24:
            return f"{hours} {words['h']}"
        return f"{whole(seconds, 86400)} {words['d']}"

    def span(self, length: timedelta | float) -> str:
        """Format a measured duration as “45 s”, “12 min”, “1 h 26 min” or “5 d”, rounded to the
        smallest unit shown. A plain number is in seconds."""
        seconds = length.total_seconds() if isinstance(length, timedelta) else length
        words = _UNITS[self.language]
        if seconds < 0.9995:
            return f"{seconds * 1000:.0f} ms"
        if seconds < 59.5:
            return f"{self.number(seconds, 0 if seconds >= 10 else 1)} s"
        if (minutes := whole(seconds, 60)) < 60:
            return f"{minutes} min"
        if minutes < 24 * 60:
            hours, rest = divmod(minutes, 60)
            return f"{hours} {words['h']}" + (f" {rest} min" if rest else "")
        return f"{whole(seconds, 86400)} {words['d']}"

    def number(self, value: float | Decimal | None, digits: int = 0) -> str:
        if value is None:
            return "–"
        text = f"{value:,.{digits}f}"
        if self.language == "fr":
            return text.replace(",", _THIN).replace(".", ",")
        return text

    def count(self, text: str, number: int, **facts: object) -> str:
        """Fill in a text with a singular and a plural form, separated by “|”, as `str.format` does.
        `number` becomes the placeholder `count`."""
        one, _, several = text.partition("|")
        is_one = number < 2 if self.language == "fr" else number == 1
        return (one if is_one else several).format(count=self.number(number), **facts)

    def percent(self, share: float | None, digits: int = 0) -> str:
        """Format a fraction from 0 to 1 as a percentage."""
        if share is None:
            return "–"
        return self.number(share * 100, digits) + (f"{_THIN}%" if self.language == "fr" else "%")

    def money(self, sum_: Money | None) -> str:
        """Format an amount as “€49.00”, or as “49,00 €” in French."""
        if sum_ is None:
            return "–"
        return self._priced(Decimal(sum_.decimal()), digits_of(sum_.currency), sum_.currency)

    def dollars(self, micros: int | None) -> str:
        """Format an amount in millionths of a US dollar, the unit of language model costs."""
        if micros is None:
            return "–"
        digits = 4 if 0 < micros < 10_000 else 2
        return self._priced(Decimal(micros) / 1_000_000, digits, "USD")

    def _priced(self, amount: Decimal, digits: int, currency: str) -> str:
        sign = _SIGNS.get(currency, currency)
        if self.language == "fr":
            return f"{self.number(amount, digits)}\u00a0{sign}"
        minus = "-" if amount < 0 else ""
        gap = "\u00a0" if sign == currency else ""
        return f"{minus}{sign}{gap}{self.number(abs(amount), digits)}"
