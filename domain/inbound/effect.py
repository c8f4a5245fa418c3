"""What one try at a webhook comes to: an effect, or a wait."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from domain.billing.errors import QuotaExhausted
from domain.inbound.inbound_webhook import Outcome, WaitsFor
from domain.intake.errors import ClientRateLimited, CustomerRateLimited, UnprovedShareUsed
from domain.intake.limit_key import LimitKey
from domain.privacy.contracts import EraseInput

# Credits may be bought and a plan changed at any time, and a month turns.
QUOTA_RETRY: Final = timedelta(minutes=5)

# After the one that it waits behind, which is tried first.
BEHIND: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class WebhookEffect:
    """It has ended. `reason`: a stable code. `event_id`: what it became. `reference`: the order,
    ticket or duty that it was about. `customer`: the key of whom it is of. `erase`: an erasure that
    is started before the webhook counts as done."""

    outcome: Outcome
    reason: str | None = None
    event_id: str | None = None
    reference: str | None = None
    customer: str | None = None
    erase: EraseInput | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """A limit refused it. `lasts`: until the next try. `customer`: whom it counts for."""

    waits_for: WaitsFor
    lasts: timedelta
    customer: LimitKey | None = None


MessagesWait = ClientRateLimited | CustomerRateLimited | UnprovedShareUsed


def wait_after(refused: MessagesWait | QuotaExhausted, customer: LimitKey | None) -> Wait:
    """How long a refused ticket waits, and for what."""
    match refused:
        case CustomerRateLimited():
            return Wait(WaitsFor.CUSTOMER_LIMIT, _pause(refused), customer)
        case ClientRateLimited():
            return Wait(WaitsFor.CLIENT_LIMIT, _pause(refused), customer)
        case UnprovedShareUsed():
            return Wait(WaitsFor.UNPROVED_LIMIT, _pause(refused), customer)
        case QuotaExhausted():
            return Wait(WaitsFor.QUOTA, QUOTA_RETRY, customer)


def _pause(refused: MessagesWait) -> timedelta:
    return timedelta(seconds=refused.retry_after_s or 1)
