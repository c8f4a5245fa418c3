"""The outcomes of tickets, as counted in the insight report."""

from enum import StrEnum


class TicketOutcome(StrEnum):
    """A group of runs counted by a metric. `docs/metrics.md` defines the counts.

    `automated`: resolved without a human. `with_team`: resolved with a human. `open`: asked, but
    not resolved. `timed`: with a response time. `durable`, `reopened`: resolved, and the customer
    did not (`durable`) or did (`reopened`) write again within 7 days. `answered`: with a first
    answer. `in_target`: with a first answer within the target. `late`: with a first answer after
    the target. Both use the current business hours. `refunded`: the agent refunded money. `rated`:
    with a customer's rating. `satisfied`: with a rating of 4 or 5. `rated` and `satisfied` are
    counted on the day of the rating. All other runs are counted on the day on which the run was
    received.
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
