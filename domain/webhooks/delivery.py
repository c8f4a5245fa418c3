"""A delivery: one event sent to one webhook, and its result."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.webhooks.outbound_event import OutboundEventId

RESPONSE_KEPT: Final = 4096
"""Maximum number of bytes stored from a response body with the delivery."""


class Trigger(StrEnum):
    EVENT = "event"
    REPLAY = "replay"
    TEST = "test"


class DeliveryStatus(StrEnum):
    """The state of a delivery. `skipped`: the delivery was not sent or not retried, because the
    webhook was disabled or the client's plan does not include webhooks."""

    PENDING = "pending"
    SUCCESS = "success"
    FAILED = "failed"
    SKIPPED = "skipped"


class FailureKind(StrEnum):
    """The kind of a delivery failure. `connect`: no connection, or one that broke before a
    response. `too_large`: the response headers are too large. `protocol`: the response is not valid
    HTTP."""

    HTTP_3XX = "http_3xx"
    HTTP_4XX = "http_4xx"
    HTTP_5XX = "http_5xx"
    TIMEOUT = "timeout"
    DNS = "dns"
    TLS = "tls"
    CONNECT = "connect"
    BLOCKED_ADDRESS = "blocked_address"
    TOO_LARGE = "too_large"
    PROTOCOL = "protocol"


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """The result of one POST to a receiver. `failure` is None for a 2xx response. `error` describes
    the cause in the service's own words. `dns_ms`, `connect_ms` and `first_byte_ms` are the ends of
    the phases from the start, or None."""

    failure: FailureKind | None
    duration_ms: int
    error: str | None = None
    response_status: int | None = None
    response_body: bytes = field(default=b"", repr=False)
    retry_after_s: float | None = None
    remote_ip: str | None = None
    dns_ms: int | None = None
    connect_ms: int | None = None
    first_byte_ms: int | None = None


@dataclass(frozen=True, slots=True)
class DeliveryPhase:
    """A phase of a delivery attempt: DNS look-up (`dns`), connecting (`connect`), waiting for the
    response (`waiting`) or reading the response (`rest`). `begins_ms`: milliseconds from the start
    of the attempt."""

    name: str
    begins_ms: int
    took_ms: int


class DeliverySummary(BaseModel):
    """A delivery as displayed in a list.

    `duration_ms` and the outcome are from the latest attempt. `failure_count_after` is the
    webhook's number of consecutive failures after it, or null if unchanged.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    webhook_id: str
    event: OutboundEventId
    event_id: str
    trigger: Trigger
    replay_of: str | None
    url: str
    status: DeliveryStatus
    attempt: int
    next_attempt_at: datetime | None
    failure_kind: FailureKind | None
    error: str | None
    response_status: int | None
    duration_ms: int | None
    failure_count_after: int | None
    disabled_webhook: bool
    created_at: datetime
    sent_at: datetime | None
    finished_at: datetime | None


class Delivery(DeliverySummary):
    """A delivery with all its details. The request is as sent, with masked signatures in
    `request_headers`."""

    response_body: str | None
    remote_ip: str | None
    request_headers: Mapping[str, str]
    request_body: str
    dns_ms: int | None
    connect_ms: int | None
    first_byte_ms: int | None

    @property
    def phases(self) -> tuple[DeliveryPhase, ...]:
        """The phases of the latest attempt, in order."""
        return phases_of(self.dns_ms, self.connect_ms, self.first_byte_ms, self.duration_ms)


def phases_of(
    dns_ms: int | None, connect_ms: int | None, first_byte_ms: int | None, duration_ms: int | None
) -> tuple[DeliveryPhase, ...]:
    """Return the phases that an attempt reached, in order. The last one ends with the attempt. All
    arguments are in milliseconds from the start."""
    ends = (("dns", dns_ms), ("connect", connect_ms), ("waiting", first_byte_ms))
    phases: list[DeliveryPhase] = []
    begin = 0
    for name, reached in (*ends, ("rest", duration_ms)):
        end = duration_ms if reached is None else reached
        if end is None:
            break
        phases.append(DeliveryPhase(name, begin, max(0, end - begin)))
        begin = max(begin, end)
        if reached is None:
            break
    return tuple(phases)


def failure_of(status: int) -> FailureKind | None:
    """Return the failure kind for an HTTP response status, or None for a success."""
    if 200 <= status < 300:
        return None
    kinds = {3: FailureKind.HTTP_3XX, 4: FailureKind.HTTP_4XX, 5: FailureKind.HTTP_5XX}
    return kinds.get(status // 100, FailureKind.PROTOCOL)
