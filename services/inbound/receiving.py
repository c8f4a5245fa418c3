"""Receive a webhook: verify it, identify it and store it once. The webhook has no effect before it
is stored."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from domain.core.ids import TenantId
from domain.inbound.errors import InboundRefused, RefusalReason, WebhookUnreadable
from domain.inbound.headers import kept_headers
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity, WebhookKind
from domain.inbound.ports import Platform
from services.core.gate import Gate
from services.core.unit_of_work import UnitOfWork, UnitsOfWork
from store.inbound.full_days import FullDays
from store.inbound.webhooks import KeptWebhook, NewWebhookRow, WebhookArrivals

T = TypeVar("T")

# Maximum size of a body that is read on the event loop. A larger body would block the event loop
# for too long.
_SMALL: Final = 64 * 1024
# Maximum lengths of the stored deduplication key and topic, in characters. Outsiders control both
# texts, and these lengths suffice to identify a webhook.
_MAX_KEY: Final = 512
_MAX_TOPIC: Final = 128
_UNKNOWN_TOPIC: Final = "unknown"
# In each process, one client's arrivals take turns of at least this length, in seconds. During a
# flood from one client, requests from other clients are processed as usual, and requests from the
# flooding client wait.
_TURN_S: Final = 0.04


@dataclass(frozen=True, slots=True)
class NamedWebhook:
    """A verified webhook delivery. `unreadable`: the stable code of a parsing error, or None.
    `digest`: the digest of the body, if already computed."""

    integration_id: str
    request: InboundRequest
    identity: Identity
    unreadable: str | None = None
    digest: bytes | None = None


class ArrivalGates:
    """Makes each client's arrivals take turns in this process. A flood of arrivals then does not
    use up the database connections that other clients need. Only a few large bodies are read
    concurrently."""

    def __init__(self, *, patience_s: float = 15.0, at_most: int = 2048, large: int = 2) -> None:
        """Create the gates. `at_most`: the maximum number of arrivals from one client that wait
        concurrently. `large`: the maximum number of large bodies that are read concurrently.

        An arrival is stored even if its platform has stopped waiting for the response. If the
        platform then sends the webhook again, it is recognized as a repetition.
        """
        self.clients: Gate[TenantId] = Gate(patience_s=patience_s, at_most=at_most, turn_s=_TURN_S)
        self.full_days = FullDays()
        self._large = asyncio.Semaphore(large)

    async def reading(self, request: InboundRequest, read: Callable[[], T]) -> T:
        """Call `read` and return its result. For a large body, `read` runs in a thread."""
        if len(request.body) <= _SMALL:
            return read()
        async with self._large:
            return await asyncio.to_thread(read)


@dataclass(frozen=True, slots=True)
class Believed:
    """A verified request with its identity and digest. `unreadable`: the stable code of a parsing
    error, or None."""

    identity: Identity
    digest: bytes
    unreadable: str | None = None

    def of(self, integration_id: str, request: InboundRequest) -> NamedWebhook:
        """Return the webhook as one of the given integration."""
        return NamedWebhook(integration_id, request, self.identity, self.unreadable, self.digest)


def believe(
    platform: Platform, request: InboundRequest, secrets: tuple[str, ...], now: datetime
) -> Believed | None:
    """Verify a request and return its identity. Return None for a platform's test request.
    `secrets`: the valid secrets.

    If a signed request cannot be parsed, its bytes identify it, so that it appears in the log.
    Raises InboundRefused.
    """
    if platform.is_ping(request):
        return None
    try:
        platform.verify(request, secrets, now)
    except WebhookUnreadable:
        # The part of the request that contains the signature cannot be parsed.
        raise InboundRefused(RefusalReason.UNREADABLE) from None
    digest = request.digest
    try:
        identity = platform.identify(request)
    except WebhookUnreadable as unreadable:
        nameless = Identity(dedup_key=f"body/{digest.hex()}", topic=_UNKNOWN_TOPIC)
        return Believed(nameless, digest, unreadable.reason)
    key, topic = _kept_text(identity.dedup_key), _kept_text(identity.topic)
    if not key or len(key) > _MAX_KEY:
        # If the key is missing or too long, the digest of the body replaces it.
        key = f"body/{digest.hex()}"
    return Believed(Identity(key, topic[:_MAX_TOPIC] or _UNKNOWN_TOPIC), digest)


def kind_of(platform: Platform, named: Believed | NamedWebhook) -> WebhookKind:
    """Return the kind of a webhook, which depends on its topic. Webhooks with an unknown topic are
    ignored."""
    return platform.topics.get(named.identity.topic, WebhookKind.IGNORED)


async def take(
    units: UnitsOfWork,
    gates: ArrivalGates,
    tenant: TenantId,
    platform: Platform,
    named: NamedWebhook,
) -> KeptWebhook:
    """When it is the client's turn, store a webhook delivery in its own transaction. If this raises
    CallerBusy or EngineUnavailable, the delivery might not be stored, and the platform sends it
    again."""
    async with gates.clients.enter(tenant), units.of(tenant) as work:
        return await keep(work, platform, named, gates.full_days)


async def keep(
    work: UnitOfWork, platform: Platform, named: NamedWebhook, full_days: FullDays | None = None
) -> KeptWebhook:
    """Store a verified delivery, from a webhook or a poll, in the client's queue.

    If `starts` in the result is true, the caller must start `ProcessWebhook` after the commit. It
    does so through `domain.inbound.ports.WebhookStarter`, or as a child workflow of its own
    workflow. No audit entry is written, because the row itself is the record.
    """
    row = NewWebhookRow(
        id=work.new_id(),
        integration_id=named.integration_id,
        provider=platform.provider,
        identity=named.identity,
        kind=kind_of(platform, named),
        body_digest=named.digest or named.request.digest,
        body=named.request.body,
        headers=kept_headers(named.request.headers),
        unreadable=named.unreadable,
    )
    return await WebhookArrivals(work.connection, work.tenant).keep(row, work.now, full_days)


def _kept_text(text: str) -> str:
    """Return the text without characters that PostgreSQL cannot store."""
    return text.replace("\0", "").encode(errors="replace").decode()
