"""Polling: query platforms for changes, so that a change takes effect even if its webhook was
lost."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Protocol

from domain.core.contracts import Contract
from domain.inbound.inbound_webhook import Identity
from domain.integrations.integration import Integration
from domain.integrations.poll_cursor import PollCursor
from domain.integrations.providers import Provider

ONLY_PROVED: Final = frozenset({Provider.STRIPE})
"""Providers that are polled only to detect revoked credentials, after the credentials have
authenticated with the account. Their webhooks arrive through the installation's app."""
POLLED: Final = ONLY_PROVED | frozenset(
    {Provider.SHOPIFY, Provider.WOOCOMMERCE, Provider.PRESTASHOP, Provider.ZENDESK}
)
EVERY: Final = timedelta(minutes=10)
"""Interval between two polls of a connection."""
SETTLES: Final = timedelta(minutes=2)
"""Delay before the first poll of a new connection because some platforms omit changes made in the
last minute."""
_LONGEST: Final = timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class FoundChange:
    """A change that a poll found, with the identity and body of the webhook that would have
    reported the change."""

    identity: Identity
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """A page of changes, oldest first. `position` is the cursor for the next poll, valid once all
    changes are stored. `has_more` means that the next page is available now."""

    changes: tuple[FoundChange, ...]
    position: Mapping[str, str]
    has_more: bool


class Polls(Protocol):
    """A connection to a platform that can be polled for changes."""

    async def changes(self, position: Mapping[str, str], since: datetime) -> ChangesPage:
        """Return the next page of changes after `position`, the cursor of the previous page.
        Without one, start at `since`. Raises ActionRefused (NotAuthorized), ActionUnreachable."""


class Pollers(Protocol):
    def poller(self, integration: Integration) -> Polls:
        """Return a poller for the integration.

        Raises ActionRefused if the provider does not support polling, and NotAuthorized if the
        credentials cannot be read.
        """


class PollInput(Contract):
    """The input of the polling workflow. `remote_brain`, `review_expiry_s`: settings for the runs
    of tickets found by the poll."""

    remote_brain: bool = False
    review_expiry_s: float = 72 * 3600


class PollResult(Contract):
    """The result of polling: the connections polled, the changes found that no webhook had
    reported, and the connections that failed."""

    polled: int = 0
    found: int = 0
    failed: int = 0


def poll_name(topic: str, thing: str, version: str) -> Identity:
    """Return the identity of a change found by a poll. All polls that find the same version of an
    object yield the same identity."""
    return Identity(dedup_key=f"poll/{topic}/{thing}/{version}", topic=topic)


def is_due(cursor: PollCursor | None, connected_at: datetime, now: datetime) -> bool:
    """Return True if a connection is due for polling. The interval doubles with each consecutive
    failed poll."""
    if cursor is None:
        return now - connected_at >= SETTLES
    if cursor.failures == 0:
        return True
    # Subtract half an interval, so that jitter in the schedule does not skip a poll.
    pause: timedelta = min(EVERY * (1 << min(cursor.failures, 10)), _LONGEST) - EVERY / 2
    return now - cursor.polled_at >= pause
