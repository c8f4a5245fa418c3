"""Polling: query platforms for changes, so that a missed webhook still takes effect."""

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
"""Interval between polls of a connection."""
SETTLES: Final = timedelta(minutes=2)
"""Delay before a new connection's first poll: some platforms omit changes of the last minute."""
_LONGEST: Final = timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class FoundChange:
    """A change found by a poll, in the form of the missed webhook: the delivery's identity and
    body."""

    identity: Identity
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """Changes, oldest first. `position`: the cursor to continue from once all changes are stored.
    `has_more`: whether more changes are available now."""

    changes: tuple[FoundChange, ...]
    position: Mapping[str, str]
    has_more: bool


class Polls(Protocol):
    """A connection that can be polled for changes."""

    async def changes(self, position: Mapping[str, str], since: datetime) -> ChangesPage:
        """Return the next page.

        `position`: the previous page's cursor; if it is empty, polling starts at `since`. Raises
        ActionRefused (NotAuthorized), ActionUnreachable.
        """


class Pollers(Protocol):
    def poller(self, integration: Integration) -> Polls:
        """Return the integration's poller.

        Raises ActionRefused if the provider does not support polling, NotAuthorized if the
        credentials cannot be read.
        """


class PollInput(Contract):
    """`remote_brain`, `review_expiry_s`: settings for the runs of tickets that the poll finds."""

    remote_brain: bool = False
    review_expiry_s: float = 72 * 3600


class PollResult(Contract):
    """`polled`: number of connections polled. `found`: number of changes without a webhook.
    `failed`: number of connections whose poll did not finish."""

    polled: int = 0
    found: int = 0
    failed: int = 0


def poll_name(topic: str, thing: str, version: str) -> Identity:
    """Return the identity of a change found by a poll. The same version of an object counts as one
    delivery."""
    return Identity(dedup_key=f"poll/{topic}/{thing}/{version}", topic=topic)


def is_due(cursor: PollCursor | None, connected_at: datetime, now: datetime) -> bool:
    """Return whether a connection is due for polling. The interval grows with each consecutive
    failure."""
    if cursor is None:
        return now - connected_at >= SETTLES
    if cursor.failures == 0:
        return True
    # Slightly less than a multiple of the interval, so that the schedule's jitter skips no poll.
    pause: timedelta = min(EVERY * (1 << min(cursor.failures, 10)), _LONGEST) - EVERY / 2
    return now - cursor.polled_at >= pause
