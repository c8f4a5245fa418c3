"""Retention: how long each class of a client's records is kept.

Related records are removed together: a message goes with the run that answered it.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final

from domain.core.errors import InvalidInput


class RecordClass(StrEnum):
    """A class of records with a common retention.

    - `conversations`: each event with its message, attachments, answer, run, reviews, actions,
      sentiment, usage and webhooks. The period starts with the event. A conversation goes with its
      last message.
    - `churn`: churn predictions. The period starts with their week.
    - `metrics`: daily metrics.
    - `automation_events`: records from the engine's first version.
    """

    CONVERSATIONS = "conversations"
    CHURN = "churn"
    METRICS = "metrics"
    AUTOMATION_EVENTS = "automation_events"


DEFAULT_DAYS: Final[Mapping[RecordClass, int]] = {
    RecordClass.CONVERSATIONS: 730,
    RecordClass.CHURN: 365,
    RecordClass.METRICS: 1_825,
    RecordClass.AUTOMATION_EVENTS: 730,
}
MIN_DAYS: Final[Mapping[RecordClass, int]] = {
    # Minimum retention in days. A month's tickets are compared with the ledger until the end of the
    # next month, and missed webhook events can be replayed for a month.
    RecordClass.CONVERSATIONS: 90,
    RecordClass.CHURN: 30,
    RecordClass.METRICS: 90,
    RecordClass.AUTOMATION_EVENTS: 1,
}
MAX_DAYS: Final = 36_500


def check_retention(given: Mapping[str, object]) -> dict[str, int | None]:
    """Return a client's validated retention, in days by class. None keeps the records forever.

    Classes that are not given keep their current retention. Raises InvalidInput for an unknown
    class or an invalid number of days.
    """
    return {_class_of(name).value: _checked(_class_of(name), days) for name, days in given.items()}


def days_kept(record_class: RecordClass, overrides: Mapping[str, object]) -> int | None:
    """Return the number of days for which a client's records of a class are kept, or None for
    forever.

    `overrides` are the client's own retention. Invalid values are ignored, and the class's minimum
    always applies.
    """
    if record_class.value not in overrides:
        return DEFAULT_DAYS[record_class]
    days = overrides[record_class.value]
    if days is None:
        return None
    if not isinstance(days, int) or isinstance(days, bool):
        return DEFAULT_DAYS[record_class]
    return min(MAX_DAYS, max(MIN_DAYS[record_class], days))


def kept_from(
    record_class: RecordClass, overrides: Mapping[str, object], now: datetime
) -> datetime | None:
    """Return the cutoff time for a client's records of a class, or None if the records are kept
    forever. Records from before the cutoff are removed."""
    days = days_kept(record_class, overrides)
    return None if days is None else now - timedelta(days=days)


def may_be_incomplete(day: date, overrides: Mapping[str, object], now: datetime) -> bool:
    """Return True if retention may already have removed some of the records for the day's
    metrics."""
    since = kept_from(RecordClass.CONVERSATIONS, overrides, now)
    return since is not None and day <= since.date()


def _class_of(name: str) -> RecordClass:
    if name not in set(RecordClass):
        known = ", ".join(RecordClass)
        raise InvalidInput(f"retention: no such class of records; there are {known}")
    return RecordClass(name)


def _checked(record_class: RecordClass, days: object) -> int | None:
    if days is None:
        return None
    least = MIN_DAYS[record_class]
    if not isinstance(days, int) or isinstance(days, bool) or not least <= days <= MAX_DAYS:
        raise InvalidInput(
            f"retention.{record_class}: a whole number of days from {least} to {MAX_DAYS}, "
            "or null for ever"
        )
    return days
