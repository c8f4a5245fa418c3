"""The records of metrics and predictions, and of events from the engine's first version."""

from datetime import date
from typing import Annotated

from pydantic import Field, JsonValue

from domain.analytics.churn import ChurnLevel, Factor
from domain.analytics.metrics import Breakdown
from domain.exports.record import BigCount, Count, Id, Record, Score, Share, Time

_Milliseconds = Annotated[float, Field(ge=0)]


class AutomationEventRecord(Record):
    """A raw event of the engine's first version. Only `automation-event import` writes them."""

    id: Annotated[
        str, Field(min_length=1, max_length=200, description="Id of the event, as imported.")
    ]
    event_type: Annotated[str, Field(description="Type of the event.")]
    source: Annotated[str | None, Field(description="Source of the event.")]
    status: Annotated[str | None, Field(description="Status of the event at import.")]
    customer_email: Annotated[str | None, Field(description="Customer's email address.")]
    payload: Annotated[
        dict[str, JsonValue], Field(description="`payload` of the imported line, unchanged.")
    ]
    created_at: Annotated[Time, Field(description="Time when the event was received.")]


class MetricsRecord(Record):
    """One day of the client, from midnight to midnight UTC. Written every night for the day before,
    and by `metrics backfill`. A rate is null if there is nothing to divide by."""

    day: Annotated[date, Field(description="Day in UTC.")]
    events: Annotated[Count, Field(description="Events received.")]
    runs: Annotated[Count, Field(description="Runs started.")]
    completed: Annotated[Count, Field(description="Runs that are completed.")]
    needs_review: Annotated[Count, Field(description="Runs that wait for a human.")]
    failed: Annotated[Count, Field(description="Runs that failed.")]
    no_playbook: Annotated[Count, Field(description="Events that matched no playbook.")]
    escalated: Annotated[Count, Field(description="Runs that were escalated to a human.")]
    reviewed: Annotated[Count, Field(description="Escalated runs that a human decided.")]
    messages_in: Annotated[Count, Field(description="Messages from customers.")]
    messages_out: Annotated[Count, Field(description="Messages to customers.")]
    customers: Annotated[Count, Field(description="Distinct customers who wrote.")]
    latency_p50_ms: Annotated[
        _Milliseconds | None, Field(description="Median latency of the answers, in milliseconds.")
    ]
    latency_p95_ms: Annotated[
        _Milliseconds | None,
        Field(description="95th percentile of the latency of the answers, in milliseconds."),
    ]
    sentiment_mean: Annotated[
        Score | None, Field(description="Mean sentiment of the messages, -1 to 1.")
    ]
    sentiment_count: Annotated[
        Count, Field(description="Number of messages that `sentiment_mean` covers.")
    ]
    resolution_rate: Annotated[
        Share | None,
        Field(description="Share of runs with something to answer that were completed, 0 to 1."),
    ]
    automation_rate: Annotated[
        Share | None,
        Field(description="Share of runs that were completed without a human, 0 to 1."),
    ]
    escalation_rate: Annotated[
        Share | None, Field(description="Share of runs that were escalated to a human, 0 to 1.")
    ]
    review_rate: Annotated[
        Share | None, Field(description="Share of escalated runs that a human decided, 0 to 1.")
    ]
    # Files of earlier versions lack the fields below.
    asked: Annotated[
        Count | None,
        Field(
            default=None,
            description="Runs with something of their own to answer. Null, like `handled` to "
            "`durable`, if an earlier version counted the day.",
        ),
    ]
    handled: Annotated[
        Count | None, Field(default=None, description="Runs in `asked` with an outcome.")
    ]
    resolved: Annotated[
        Count | None, Field(default=None, description="Runs in `asked` that are completed.")
    ]
    resolved_alone: Annotated[
        Count | None, Field(default=None, description="Runs in `resolved` without a human.")
    ]
    reopened: Annotated[
        Count | None,
        Field(
            default=None,
            description="Runs in `resolved` after which the customer came back within 7 days; null "
            "until these days are over.",
        ),
    ]
    durable: Annotated[
        Count | None,
        Field(
            default=None,
            description="Runs in `resolved` that were not reopened within 7 days; null until these "
            "days are over.",
        ),
    ]
    escalations: Annotated[
        dict[str, Count], Field(default={}, description="Number of escalated runs, by reason.")
    ]
    rated: Annotated[Count, Field(default=0, description="Number of customer ratings.")]
    satisfied: Annotated[Count, Field(default=0, description="Ratings of 4 or 5.")]
    rating_mean: Annotated[
        Annotated[float, Field(ge=1, le=5)] | None,
        Field(default=None, description="Mean rating, 1 to 5."),
    ]
    cost_micros: Annotated[
        BigCount,
        Field(default=0, description="Cost of language models, in millionths of a US dollar."),
    ]
    latencies: Annotated[
        dict[str, Count],
        Field(default={}, description="Number of runs by latency step; see docs/metrics.md."),
    ]
    breakdown: Annotated[
        Breakdown,
        Field(
            default=Breakdown(),
            description="Counts by category, playbook and channel; see docs/metrics.md.",
        ),
    ]
    computed_at: Annotated[Time, Field(description="Time when these values were first computed.")]


class ChurnRecord(Record):
    """How likely a customer is to leave, computed once a week."""

    id: Annotated[Id, Field(description="ULID of the prediction.")]
    customer_email: Annotated[str, Field(description="Customer's email address.")]
    week: Annotated[date, Field(description="Monday of the week, UTC.")]
    score: Annotated[Share, Field(description="Churn score, 0 (stays) to 1 (leaves).")]
    level: Annotated[ChurnLevel, Field(description="Level of the score.")]
    factors: Annotated[
        tuple[Factor, ...], Field(description="Factors of the score; see docs/metrics.md.")
    ]
    created_at: Annotated[Time, Field(description="Time when this score was first computed.")]
