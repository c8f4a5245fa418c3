"""Polling: what a platform is asked for, so that a missed webhook has its effect."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Protocol

from domain.core.contracts import Contract
from domain.inbound.inbound_webhook import Identity
from domain.integrations.integration import Integration
from domain.integrations.poll_cursor import PollCursor
from domain.integrations.providers import Provider

POLLED: Final = frozenset(
    {Provider.SHOPIFY, Provider.WOOCOMMERCE, Provider.PRESTASHOP, Provider.ZENDESK}
)
EVERY: Final = timedelta(minutes=10)
"""How often the platforms are asked."""
SETTLES: Final = timedelta(minutes=2)
"""How long after it was made a connection is asked first: some platforms answer nothing of the last
minute."""
_LONGEST: Final = timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class FoundChange:
    """A change that a poll found, as the webhook that was missed: the name of the delivery, and its
    bytes."""

    identity: Identity
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """Changes, the oldest first. `position`: where to go on once all of them are kept.
    `has_more`: there are more already."""

    changes: tuple[FoundChange, ...]
    position: Mapping[str, str]
    has_more: bool


class Polls(Protocol):
    """One connection, as it is asked what has changed."""

    async def changes(self, position: Mapping[str, str], since: datetime) -> ChangesPage:
        """The next page. `position`: of the page before; empty at first, when `since` says from
        when on. Raises ActionRefused (NotAuthorized), ActionUnreachable."""


class Pollers(Protocol):
    def poller(self, integration: Integration) -> Polls:
        """Raises ActionRefused for a provider that cannot be asked, NotAuthorized for credentials
        that cannot be read."""


class PollInput(Contract):
    """`remote_brain`, `review_expiry_s`: of the runs of tickets that are found."""

    remote_brain: bool = False
    review_expiry_s: float = 72 * 3600


class PollResult(Contract):
    """`polled`: connections that were asked. `found`: changes that no webhook had told.
    `failed`: connections that could not be asked to the end."""

    polled: int = 0
    found: int = 0
    failed: int = 0


def poll_name(topic: str, thing: str, version: str) -> Identity:
    """The name of what a poll found: the same thing at the same version is one delivery."""
    return Identity(dedup_key=f"poll/{topic}/{thing}/{version}", topic=topic)


def is_due(cursor: PollCursor | None, connected_at: datetime, now: datetime) -> bool:
    """Whether a connection is asked now: one that fails is asked less and less often."""
    if cursor is None:
        return now - connected_at >= SETTLES
    if cursor.failures == 0:
        return True
    # Just below a multiple of the interval, so that the schedule's own unrest skips none.
    pause: timedelta = min(EVERY * (1 << min(cursor.failures, 10)), _LONGEST) - EVERY / 2
    return now - cursor.polled_at >= pause
