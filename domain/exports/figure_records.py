"""Export records for metrics and predictions, and for events from the engine's first version."""

from datetime import date
from typing import Annotated

from pydantic import Field, JsonValue

from domain.analytics.churn import ChurnLevel, Factor
from domain.analytics.metrics import Breakdown
from domain.exports.record import BigCount, Count, Id, Record, Score, Share, Time

_Milliseconds = Annotated[float, Field(ge=0)]


class AutomationEventRecord(Record):
    """A raw event from the engine's first version. Only the `automation-event import` command
    writes these records."""

    id: Annotated[
        str, Field(min_length=1, max_length=200, description="Id of the event, as imported.")
    ]
    event_type: Annotated[str, Field(description="Type of the event.")]
    source: Annotated[str | None, Field(description="Source of the event.")]
    status: Annotated[str | None, Field(description="Status of the event when it was imported.")]
    customer_email: Annotated[str | None, Field(description="Customer's email address.")]
    payload: Annotated[
        dict[str, JsonValue],
        Field(description=("The `payload` field of the imported line, unchanged.")),
    ]
    created_at: Annotated[Time, Field(description="Time when the event was received.")]


class MetricsRecord(Record):
    """The client's metrics for one day, from midnight to midnight UTC. The service writes them
    every night for the previous day. `metrics backfill` also writes them. A rate is null if its
    denominator is 0."""

    day: Annotated[date, Field(description="Day in UTC.")]
    events: Annotated[Count, Field(description="Number of events received.")]
    runs: Annotated[Count, Field(description="Number of runs started.")]
    completed: Annotated[Count, Field(description="Number of completed runs.")]
    needs_review: Annotated[Count, Field(description="Number of runs pending human review.")]
    failed: Annotated[Count, Field(description="Number of runs that failed.")]
    no_playbook: Annotated[Count, Field(description="Number of events that matched no playbook.")]
    escalated: Annotated[Count, Field(description="Number of runs that were escalated to a human.")]
    reviewed: Annotated[Count, Field(description="Number of escalated runs that a human decided.")]
    messages_in: Annotated[Count, Field(description="Number of messages from customers.")]
    messages_out: Annotated[Count, Field(description="Number of messages to customers.")]
    customers: Annotated[
        Count, Field(description=("Number of distinct customers who sent a message."))
    ]
    latency_p50_ms: Annotated[
        _Milliseconds | None,
        Field(description=("Median latency of the agent's answers, in milliseconds.")),
    ]
    latency_p95_ms: Annotated[
        _Milliseconds | None,
        Field(
            description=("95th percentile of the latency of the agent's answers, in milliseconds.")
        ),
    ]
    sentiment_mean: Annotated[
        Score | None, Field(description="Mean sentiment of customers' messages, -1 to 1.")
    ]
    sentiment_count: Annotated[
        Count, Field(description="Number of messages from which `sentiment_mean` is computed.")
    ]
    resolution_rate: Annotated[
        Share | None,
        Field(
            description=(
                "Share of runs that were completed, among runs with a message to answer, "
                "from 0 to 1."
            )
        ),
    ]
    automation_rate: Annotated[
        Share | None,
        Field(description="Share of runs that were completed without a human, from 0 to 1."),
    ]
    escalation_rate: Annotated[
        Share | None,
        Field(description=("Share of runs that were escalated to a human, from 0 to 1.")),
    ]
    review_rate: Annotated[
        Share | None,
        Field(description=("Share of escalated runs that a human decided, from 0 to 1.")),
    ]
    # Export files from earlier versions lack the fields below.
    asked: Annotated[
        Count | None,
        Field(
            default=None,
            description=(
                "Number of runs with a message that required an answer. The fields `asked` and "
                "`handled` to `durable` are null if an earlier version computed the day."
            ),
        ),
    ]
    handled: Annotated[
        Count | None,
        Field(
            default=None,
            description=("Number of runs counted in `asked` that have an outcome."),
        ),
    ]
    resolved: Annotated[
        Count | None,
        Field(default=None, description=("Number of runs counted in `asked` that are completed.")),
    ]
    resolved_alone: Annotated[
        Count | None,
        Field(
            default=None,
            description=("Number of runs counted in `resolved` that had no human review."),
        ),
    ]
    reopened: Annotated[
        Count | None,
        Field(
            default=None,
            description=(
                "Number of runs counted in `resolved` after which the customer wrote again "
                "within 7 days; null until the 7 days have passed."
            ),
        ),
    ]
    durable: Annotated[
        Count | None,
        Field(
            default=None,
            description=(
                "Number of runs counted in `resolved` after which the customer did not write "
                "again within 7 days; null until the 7 days have passed."
            ),
        ),
    ]
    escalations: Annotated[
        dict[str, Count],
        Field(default={}, description=("Number of escalated runs, by escalation reason.")),
    ]
    rated: Annotated[Count, Field(default=0, description="Number of customer ratings.")]
    satisfied: Annotated[Count, Field(default=0, description="Number of ratings of 4 or 5.")]
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
        Field(default={}, description="Number of runs per latency bucket; see docs/metrics.md."),
    ]
    breakdown: Annotated[
        Breakdown,
        Field(
            default=Breakdown(),
            description="Counts by category, playbook and channel; see docs/metrics.md.",
        ),
    ]
    computed_at: Annotated[
        Time, Field(description=("Time at which the metrics for this day were first computed."))
    ]


class ChurnRecord(Record):
    """A weekly prediction of a customer's likelihood of leaving."""

    id: Annotated[Id, Field(description="ULID of the prediction.")]
    customer_email: Annotated[str, Field(description="Customer's email address.")]
    week: Annotated[date, Field(description="Monday of the prediction's week, in UTC.")]
    score: Annotated[
        Share,
        Field(description=("Churn score, from 0 (the customer stays) to 1 (the customer leaves).")),
    ]
    level: Annotated[ChurnLevel, Field(description="Risk level for the score.")]
    factors: Annotated[
        tuple[Factor, ...],
        Field(description=("Factors of the score; see docs/metrics.md.")),
    ]
    created_at: Annotated[Time, Field(description="Time when this score was first computed.")]
