"""The outcomes of tickets, as counted in the insight report."""

from enum import StrEnum


class TicketOutcome(StrEnum):
    """A group of runs counted by a metric. `docs/metrics.md` defines the counts.

    `automated`, `with_team`: resolved without or with a human. `open`: asked, but not resolved.
    `timed`: with a response time. `durable`, `reopened`: resolved on a day for which the 7-day
    follow-up is complete. `refunded`: the agent refunded money. `rated`, `satisfied`: with a
    customer's rating, or with a rating of 4 or 5. `rated` and `satisfied` are counted on the day of
    the rating. All other runs are counted on the day on which the run was received.
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
    REFUNDED = "refunded"
    RATED = "rated"
    SATISFIED = "satisfied"
