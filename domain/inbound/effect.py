"""The result of one attempt to process a webhook: its final effect, or a wait until the next
attempt."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from domain.billing.errors import QuotaExhausted
from domain.inbound.inbound_webhook import Outcome, WaitsFor
from domain.intake.errors import (
    ClientRateLimited,
    CustomerRateLimited,
    EventRoomUsed,
    UnprovedShareUsed,
)
from domain.intake.limit_key import LimitKey
from domain.privacy.contracts import EraseInput

# Retry interval if the quota is exhausted. It is short because purchased credits, a plan change or
# a new month can make tickets available at any time.
QUOTA_RETRY: Final = timedelta(minutes=5)

# Maximum wait if the client's stored events have reached their limit. It is short because the
# client can choose a plan at any time, which removes this limit.
_ROOM_RETRY: Final = timedelta(minutes=5)

# Wait time of a webhook that is queued behind another webhook. The earlier webhook is retried
# first.
BEHIND: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class WebhookEffect:
    """The final result of processing a webhook. `reason` is a stable code. `reference` is the
    order, ticket or compliance request. `customer` is the customer's key. `erase` is an erasure to
    start first."""

    outcome: Outcome
    reason: str | None = None
    event_id: str | None = None
    reference: str | None = None
    customer: str | None = None
    erase: EraseInput | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """A limit does not admit the webhook yet. Processing resumes after `lasts`. `customer` is the
    customer whose limit applies."""

    waits_for: WaitsFor
    lasts: timedelta
    customer: LimitKey | None = None


MessagesWait = ClientRateLimited | CustomerRateLimited | UnprovedShareUsed | EventRoomUsed


def wait_after(refused: MessagesWait | QuotaExhausted, customer: LimitKey | None) -> Wait:
    """Return how long a rejected ticket must wait, and for which limit."""
    match refused:
        case CustomerRateLimited():
            return Wait(WaitsFor.CUSTOMER_LIMIT, _pause(refused), customer)
        case ClientRateLimited():
            return Wait(WaitsFor.CLIENT_LIMIT, _pause(refused), customer)
        case EventRoomUsed():
            return Wait(WaitsFor.CLIENT_LIMIT, min(_pause(refused), _ROOM_RETRY), customer)
        case UnprovedShareUsed():
            return Wait(WaitsFor.UNPROVED_LIMIT, _pause(refused), customer)
        case QuotaExhausted():
            return Wait(WaitsFor.QUOTA, QUOTA_RETRY, customer)


def _pause(refused: MessagesWait) -> timedelta:
    return timedelta(seconds=refused.retry_after_s or 1)
