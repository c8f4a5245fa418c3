"""The outcomes of tickets, as counted in the insight report."""

from enum import StrEnum


class TicketOutcome(StrEnum):
    """A group of runs counted by a metric (`docs/metrics.md`).

    - `automated`, `with_team`: resolved without or with a human.
    - `open`: asked, but not resolved.
    - `timed`: with a response time.
    - `durable`, `reopened`: resolved, without or with another message within 7 days.
    - `answered`: with a first answer.
    - `in_target`, `late`: with a first answer within or after the target, by the current business
      hours.
    - `refunded`: the agent refunded money.
    - `rated`, `satisfied`: with any rating, or one of 4 or 5, on the day of the rating.
    """

    ASKED = "asked"
    RESOLVED = "resolved"
    AUTOMATED = "automated"
    WITH_TEAM = "with_team"
    OPEN = "open"
    ESCALATED = "escalated"
    TIMED = "timed"
    DURABLE = "durable"
    REOPENED = "reopened"
    ANSWERED = "answered"
    IN_TARGET = "in_target"
    LATE = "late"
    REFUNDED = "refunded"
    RATED = "rated"
    SATISFIED = "satisfied"
