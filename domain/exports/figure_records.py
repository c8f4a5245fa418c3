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

    id: Annotated[str, Field(min_length=1, max_length=200, description="The event's own id.")]
    event_type: Annotated[str, Field(description="What kind of event it was.")]
    source: Annotated[str | None, Field(description="Where it came from.")]
    status: Annotated[str | None, Field(description="What had become of it.")]
    customer_email: Annotated[str | None, Field(description="The customer's mail address.")]
    payload: Annotated[
        dict[str, JsonValue], Field(description="The `payload` of the imported line, as it came.")
    ]
    created_at: Annotated[Time, Field(description="When it came.")]


class MetricsRecord(Record):
    """One day of the client, from midnight to midnight UTC. Written every night for the day before,
    and by `metrics backfill`. A rate is null if there is nothing to divide by."""

    day: Annotated[date, Field(description="The day, UTC.")]
    events: Annotated[Count, Field(description="Events that came.")]
    runs: Annotated[Count, Field(description="Runs that began.")]
    completed: Annotated[Count, Field(description="Of them, those that are completed.")]
    needs_review: Annotated[Count, Field(description="Of them, those that wait for a human.")]
    failed: Annotated[Count, Field(description="Of them, those that failed.")]
    no_playbook: Annotated[Count, Field(description="Events that no playbook took.")]
    escalated: Annotated[Count, Field(description="Of the runs, those a human was asked about.")]
    reviewed: Annotated[Count, Field(description="Of them, those a human has decided.")]
    messages_in: Annotated[Count, Field(description="Messages from customers.")]
    messages_out: Annotated[Count, Field(description="Messages to customers.")]
    customers: Annotated[Count, Field(description="Different customers who wrote.")]
    latency_p50_ms: Annotated[
        _Milliseconds | None, Field(description="Half of the answers took at most so long.")
    ]
    latency_p95_ms: Annotated[
        _Milliseconds | None, Field(description="95 of 100 answers took at most so long.")
    ]
    sentiment_mean: Annotated[Score | None, Field(description="Mean tone, -1 to 1.")]
    sentiment_count: Annotated[Count, Field(description="How many tones that is the mean of.")]
    resolution_rate: Annotated[
        Share | None,
        Field(description="Share of runs with something to answer that were completed."),
    ]
    automation_rate: Annotated[
        Share | None, Field(description="Share of runs completed without a human.")
    ]
    escalation_rate: Annotated[
        Share | None, Field(description="Share of runs that a human was asked about.")
    ]
    review_rate: Annotated[
        Share | None, Field(description="Share of those that a human has decided.")
    ]
    # Files of earlier versions lack the fields below.
    asked: Annotated[
        Count | None,
        Field(
            default=None,
            description="Of the runs, those with something of their own to answer; null, as what "
            "follows, where an earlier version counted the day.",
        ),
    ]
    handled: Annotated[
        Count | None, Field(default=None, description="Of `asked`: those with an outcome.")
    ]
    resolved: Annotated[
        Count | None, Field(default=None, description="Of `asked`: those completed.")
    ]
    resolved_alone: Annotated[
        Count | None, Field(default=None, description="Of `resolved`: those without a human.")
    ]
    reopened: Annotated[
        Count | None,
        Field(
            default=None,
            description="Of `resolved`: those whose customer came back within 7 days; null until "
            "these are over.",
        ),
    ]
    durable: Annotated[Count | None, Field(default=None, description="Of `resolved`: the others.")]
    escalations: Annotated[
        dict[str, Count], Field(default={}, description="The escalated runs by reason.")
    ]
    rated: Annotated[Count, Field(default=0, description="Ratings that customers gave.")]
    satisfied: Annotated[Count, Field(default=0, description="Of them, those of 4 or 5.")]
    rating_mean: Annotated[
        Annotated[float, Field(ge=1, le=5)] | None,
        Field(default=None, description="Mean rating, 1 to 5."),
    ]
    cost_micros: Annotated[
        BigCount, Field(default=0, description="What models cost, in millionths of a US dollar.")
    ]
    latencies: Annotated[
        dict[str, Count],
        Field(default={}, description="Runs by the step of their latency: docs/metrics.md."),
    ]
    breakdown: Annotated[
        Breakdown,
        Field(
            default=Breakdown(),
            description="Counts by class, playbook and channel: docs/metrics.md.",
        ),
    ]
    computed_at: Annotated[Time, Field(description="When this was computed.")]


class ChurnRecord(Record):
    """How likely a customer is to leave, computed once a week."""

    id: Annotated[Id, Field(description="ULID of the prediction.")]
    customer_email: Annotated[str, Field(description="The customer's mail address.")]
    week: Annotated[date, Field(description="The Monday of its week, UTC.")]
    score: Annotated[Share, Field(description="0 (stays) to 1 (leaves).")]
    level: Annotated[ChurnLevel, Field(description="The score in a word.")]
    factors: Annotated[
        tuple[Factor, ...], Field(description="What the score is made of: docs/metrics.md.")
    ]
    created_at: Annotated[Time, Field(description="When it was computed.")]
