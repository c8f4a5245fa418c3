"""A sample history: records that make a new client look like an active client."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from domain.agent.escalation_reason import EscalationReason
from domain.exports.export import Section
from domain.exports.record import Record


@dataclass(frozen=True, slots=True)
class OpenReview:
    """The opening time of a review. It is not an export record, because an import closes every open
    review."""

    event_id: str
    run_id: str
    review_id: str
    reason: EscalationReason
    at: datetime
    expires_at: datetime


@dataclass(slots=True)
class SampleHistory:
    """A history's records by section, and its open reviews. `tickets` maps an event id to its time
    of arrival."""

    sections: dict[Section, list[Record]] = field(default_factory=lambda: defaultdict(list))
    open_reviews: list[OpenReview] = field(default_factory=list)
    tickets: dict[str, datetime] = field(default_factory=dict)
