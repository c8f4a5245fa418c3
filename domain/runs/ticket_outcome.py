"""The outcomes of tickets, as counted in the insight report."""

from enum import StrEnum


class TicketOutcome(StrEnum):
    """A group of runs counted by a metric. `docs/metrics.md` defines the counts.

    `automated`, `with_team`: resolved without or with a human. `open`: asked, but not resolved.
    `timed`: with a response time. `durable`, `reopened`: resolved on a day for which the 7-day
    follow-up is complete. `answered`: with a first answer. `in_target`, `late`: with a first answer
    within or after the target, measured with the current business hours. `refunded`: the agent
    refunded money. `rated`, `satisfied`: with a customer's rating, or with a rating of 4 or 5.
    `rated` and `satisfied` are counted on the day of the rating. All other runs are counted on the
    day on which the run was received.
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
