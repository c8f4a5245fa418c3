"""A webhook: a merchant's URL that is told of some events. Source: the specification."""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Final, get_args

from pydantic import BaseModel, ConfigDict

from domain.webhooks.errors import InvalidWebhook
from domain.webhooks.outbound_event import OutboundEventId

MAX_LABEL: Final = 100
"""Characters."""
MAX_WEBHOOKS: Final = 100
"""Of one client."""
MAX_PENDING: Final = 20_000
"""Deliveries of one client that wait to be sent, shared evenly by its webhooks. A further event is
kept as missed: it can be replayed when there is room."""
KEPT_DELIVERIES: Final = 50
"""Of one webhook, those that ended last, beside those that wait to be sent."""
COUNTED_MISSES: Final = 1000
"""Up to which missed events are counted: a webhook that was away for long has missed any number,
and nobody may wait for their count."""
DISABLED_AT: Final = 20
"""Consecutive failures."""
WARNED_AT: Final = (10, 15)
"""Consecutive failures after which the owner is warned."""
OVERLAP_HOURS: Final = 24.0
"""How long the secret before a rotation goes on signing, if nobody says otherwise."""
MAX_OVERLAP_HOURS: Final = 7 * 24.0

ALL_EVENTS: Final = "*"
# French keyboards write them before a colon; a label is shown where neither matters.
_SPACES: Final = str.maketrans("\u00a0\u202f", "  ")
# Within emoji of several parts; Python counts it among what cannot be printed.
_JOINER: Final = "\u200d"
EVENT_IDS: Final[tuple[OutboundEventId, ...]] = get_args(OutboundEventId)


class RetryPolicy(StrEnum):
    """Whether a failed delivery is tried again: not at all, or as Standard Webhooks suggests."""

    NONE = "none"
    STANDARD = "standard"


class DisabledReason(StrEnum):
    """`gone`: the receiver answered 410 to a webhook with retries."""

    FAILURES = "failures"
    GONE = "gone"
    MANUAL = "manual"


class Notice(StrEnum):
    """What the tenant's owner is told by mail."""

    FAILING = "failing"
    DISABLED = "disabled"
    GONE = "gone"


class Webhook(BaseModel):
    """A subscription as people see it: without its secret. `missed`: events it has not got and that
    can still be replayed, counted up to 1000. `once_per_ticket`: only the first event
    of each type is sent for a ticket. `previous_secret_until`: the end of a rotation's overlap."""

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
    """The label, trimmed, with plain spaces. Raises InvalidWebhook."""
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
    """The events in the catalogue's order, each once; `*` stands for all and swallows the others.

    Raises InvalidWebhook for none, and for one that does not exist.
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
    """Whether a webhook with these events is told of `event`."""
    return any(one in (ALL_EVENTS, event) for one in events)


def pending_room(webhooks: int) -> int:
    """Return how many deliveries may wait of each webhook of a client that has so many."""
    return MAX_PENDING // max(1, webhooks)


def notice_of(failure_count: int, *, disabled: bool) -> Notice | None:
    """What the owner must hear of after a delivery: `failure_count` is the one it brought about.
    One that is disabled by fewer failures was so by a receiver that is gone."""
    if disabled:
        return Notice.DISABLED if failure_count >= DISABLED_AT else Notice.GONE
    return Notice.FAILING if failure_count in WARNED_AT else None
