"""Hand-made rows of days."""

from datetime import UTC, date, datetime
from typing import Any, Final

from domain.analytics.metrics import DayInsight

_NOTHING: Final[dict[str, Any]] = {
    **dict.fromkeys(("events", "runs", "completed", "needs_review", "failed", "no_playbook"), 0),
    **dict.fromkeys(("escalated", "reviewed", "messages_in", "messages_out", "customers"), 0),
    **dict.fromkeys(("sentiment_count", "rated", "satisfied", "cost_micros"), 0),
    **dict.fromkeys(("asked", "handled", "resolved", "resolved_alone"), 0),
    **dict.fromkeys(("latency_p50_ms", "latency_p95_ms", "sentiment_mean", "rating_mean"), None),
    **dict.fromkeys(("resolution_rate", "automation_rate", "escalation_rate", "review_rate")),
    **dict.fromkeys(("reopened", "durable")),
    "escalations": {},
    "latencies": {},
    "breakdown": {},
    "computed_at": datetime(2026, 1, 1, tzinfo=UTC),
}


def day_insight(day: date, **values: object) -> DayInsight:
    """Return a day with these values, and otherwise zeros."""
    return DayInsight.model_validate({**_NOTHING, "day": day, **values})
