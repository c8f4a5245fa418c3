"""A webhook: a merchant's URL that receives selected events. Source: the API specification."""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Final, get_args

from pydantic import BaseModel, ConfigDict

from domain.core.errors import InvalidInput
from domain.webhooks.errors import InvalidWebhook
from domain.webhooks.outbound_event import OutboundEventId

MAX_LABEL: Final = 100
"""Maximum length of a webhook's label, in characters."""
MAX_WEBHOOKS: Final = 100
"""Maximum number of webhooks per client."""
MAX_PENDING: Final = 20_000
"""Maximum number of pending deliveries per client, divided evenly among its webhooks. An event
above the limit is recorded as missed, and can be replayed later."""
KEPT_DELIVERIES: Final = 50
"""Number of finished deliveries that are stored for each webhook, latest first. Pending deliveries
are always stored."""
COUNTED_MISSES: Final = 1000
"""A webhook's missed events are counted up to this number. A webhook that was disabled for a long
time can have missed any number of events, and an exact count would take too long."""
DISABLED_AT: Final = 20
"""Number of consecutive failures at which a webhook is disabled."""
WARNED_AT: Final = (10, 15)
"""Numbers of consecutive failures at which the client's owner is warned."""
OVERLAP_HOURS: Final = 24.0
"""Default number of hours for which the previous secret is still used for signing after a rotation.
"""
MAX_OVERLAP_HOURS: Final = 7 * 24.0

ALL_EVENTS: Final = "*"
# French keyboards insert these non-breaking spaces before a colon. Displayed labels do not need
# them.
_SPACES: Final = str.maketrans("\u00a0\u202f", "  ")
# The zero-width joiner joins the parts of an emoji, but Python treats it as unprintable.
_JOINER: Final = "\u200d"
EVENT_IDS: Final[tuple[OutboundEventId, ...]] = get_args(OutboundEventId)


class RetryPolicy(StrEnum):
    """The retry policy for failed deliveries: no retries, or the Standard Webhooks schedule."""

    NONE = "none"
    STANDARD = "standard"


class DisabledReason(StrEnum):
    """The reason why a webhook was disabled. `gone`: the receiver responded with 410, and the
    webhook has retries."""

    FAILURES = "failures"
    GONE = "gone"
    MANUAL = "manual"


class Notice(StrEnum):
    """A kind of mail that notifies the client's owner of a failing or disabled webhook."""

    FAILING = "failing"
    DISABLED = "disabled"
    GONE = "gone"


class Webhook(BaseModel):
    """A webhook as displayed, without its secret.

    - `missed`: the undelivered events that can still be replayed, counted up to COUNTED_MISSES.
    - `once_per_ticket`: only the first event of each type is sent for a ticket.
    - `previous_secret_until`: the end of the overlap after a rotation.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    label: str
    url: str
    events: tuple[str, ...]
    retry_policy: RetryPolicy
    once_per_ticket: bool
    is_active: bool
    failure_count: int
    disabled_at: datetime | None
    disabled_reason: DisabledReason | None
    previous_secret_until: datetime | None
    missed: int
    created_at: datetime


def check_label(label: str) -> str:
    """Validate a label and return it trimmed, with non-breaking spaces replaced. Raises
    InvalidWebhook."""
    trimmed = label.translate(_SPACES).strip()
    if not 1 <= len(trimmed) <= MAX_LABEL:
        raise InvalidWebhook(
            f"label: 1 to {MAX_LABEL} characters", f"label : 1 à {MAX_LABEL} caractères attendus"
        )
    if not trimmed.replace(_JOINER, "").isprintable():
        raise InvalidWebhook(
            "label: no control characters", "label : caractères de contrôle interdits"
        )
    return trimmed


def check_events(events: Iterable[str]) -> tuple[str, ...]:
    """Return event names in the catalogue's order, without duplicates. `*` replaces all others.

    Raises InvalidWebhook for an empty list or an unknown event.
    """
    wanted = set(events)
    if not wanted:
        raise InvalidWebhook("events: at least one", "events : au moins un événement attendu")
    if not wanted <= {ALL_EVENTS, *EVENT_IDS}:
        raise InvalidWebhook("events: there is no such event", "events : événement inconnu")
    if ALL_EVENTS in wanted:
        return (ALL_EVENTS,)
    return tuple(event for event in EVENT_IDS if event in wanted)


def wants(events: Iterable[str], event: OutboundEventId) -> bool:
    """Return True if a webhook subscribed to `events` receives `event`."""
    return any(one in (ALL_EVENTS, event) for one in events)


def pending_room(webhooks: int) -> int:
    """Return the maximum number of pending deliveries per webhook, for a client with `webhooks`
    webhooks."""
    return MAX_PENDING // max(1, webhooks)


def notice_of(failure_count: int, *, disabled: bool) -> Notice | None:
    """Return the kind of mail to send to the client's owner after a delivery, or None.

    `failure_count` counts consecutive failures after the delivery. `disabled` means that the
    delivery disabled the webhook. Before DISABLED_AT failures, that is due to a 410 response.
    """
    if disabled:
        return Notice.DISABLED if failure_count >= DISABLED_AT else Notice.GONE
    return Notice.FAILING if failure_count in WARNED_AT else None


def event_named(name: str) -> OutboundEventId:
    """Return the webhook event with this name. Raises InvalidInput if there is none."""
    for event in EVENT_IDS:
        if event == name:
            return event
    raise InvalidInput(f"events are {', '.join(EVENT_IDS)}")
