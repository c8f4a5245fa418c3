"""A delivery: one event on its way to one webhook, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.webhooks.outbound_event import OutboundEventId
from domain.webhooks.webhook import RetryPolicy

RESPONSE_KEPT: Final = 4096
"""Bytes of an answer's body that are kept."""

# Seconds before each retry, as the Standard Webhooks specification gives them.
SCHEDULE: Final = (
    5.0, 5 * 60.0, 30 * 60.0, 2 * 3600.0, 5 * 3600.0, 10 * 3600.0, 14 * 3600.0, 20 * 3600.0,
    24 * 3600.0,
)  # fmt: skip
_JITTER: Final = 0.1
_LONGEST_RETRY_AFTER_S: Final = 24 * 3600.0
# Answers that say the receiver, or what stands before it, has too much to do.
_OVERLOADED: Final = frozenset({429, 502, 504})
_SLOWED_DOWN_S: Final = 60.0


class Trigger(StrEnum):
    EVENT = "event"
    REPLAY = "replay"
    TEST = "test"


class DeliveryStatus(StrEnum):
    """`skipped`: not sent, or not again, since the webhook was disabled or the plan too small."""

    PENDING = "pending"
    SUCCESS = "success"
    FAILED = "failed"
    SKIPPED = "skipped"


class FailureKind(StrEnum):
    """`connect`: no connection, or it broke before an answer. `too_large`: the answer's headers.
    `protocol`: what came back is no HTTP answer."""

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
    """What came of one POST. `failure` None: a 2xx. `error`: why, in words of our own. Times in
    milliseconds from the start, None for what was not reached."""

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
    """A part of a try's time, in milliseconds from its start: looking the name up (`dns`),
    connecting (`connect`), waiting for the answer (`waiting`), reading it (`rest`)."""

    name: str
    begins_ms: int
    took_ms: int


class DeliverySummary(BaseModel):
    """A delivery in a list. Times of the latest try, in milliseconds; `url`: where it went.

    `failure_count_after`: the webhook's, once this one was counted; null if it was not.
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
    """The whole record of a delivery. `request_body` is what was sent, byte for byte;
    `request_headers` has its signatures masked."""

    response_body: str | None
    remote_ip: str | None
    request_headers: Mapping[str, str]
    request_body: str
    dns_ms: int | None
    connect_ms: int | None
    first_byte_ms: int | None

    @property
    def phases(self) -> tuple[DeliveryPhase, ...]:
        """What the time of the latest try was spent on."""
        return phases_of(self.dns_ms, self.connect_ms, self.first_byte_ms, self.duration_ms)


def phases_of(
    dns_ms: int | None, connect_ms: int | None, first_byte_ms: int | None, duration_ms: int | None
) -> tuple[DeliveryPhase, ...]:
    """The parts of a try, as far as it came. The last one that was begun ends with the try."""
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
    """What an answer's status is counted as; None for a success."""
    if 200 <= status < 300:
        return None
    kinds = {3: FailureKind.HTTP_3XX, 4: FailureKind.HTTP_4XX, 5: FailureKind.HTTP_5XX}
    return kinds.get(status // 100, FailureKind.PROTOCOL)


def says_gone(attempt: DeliveryAttempt, policy: RetryPolicy) -> bool:
    """Whether the receiver asks for nothing more, ever: 410 to a webhook with retries."""
    return policy is RetryPolicy.STANDARD and attempt.response_status == 410


def retry_in_s(
    attempt: DeliveryAttempt, number: int, trigger: Trigger, policy: RetryPolicy, chance: float
) -> float | None:
    """Seconds until the next try after try `number` (from 1) failed so; None: it gives up.

    Retry-After may make it later, never earlier. `chance`: 0 to 1, spreads retries over a tenth
    more than the schedule's time, so that those of one outage do not come back all at once.
    """
    if policy is RetryPolicy.NONE or trigger is Trigger.TEST or says_gone(attempt, policy):
        return None
    if number > len(SCHEDULE):
        return None
    wait = SCHEDULE[number - 1]
    if attempt.response_status in _OVERLOADED:
        wait = max(wait, _SLOWED_DOWN_S)
    if attempt.retry_after_s is not None:
        wait = max(wait, min(attempt.retry_after_s, _LONGEST_RETRY_AFTER_S))
    return wait * (1 + _JITTER * chance)
