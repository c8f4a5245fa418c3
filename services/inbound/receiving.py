"""Receipt of a webhook: it is verified, identified and stored once, before it has any effect."""

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

# A larger body takes too long to read on the event loop.
_SMALL: Final = 64 * 1024
# A few characters of a stranger's text are enough to identify the text.
_MAX_KEY: Final = 512
_MAX_TOPIC: Final = 128
_UNKNOWN_TOPIC: Final = "unknown"
# In each process, arrivals of one client take turns of at least this length, in seconds. During a
# flood from one client, the others are answered as before, and the flood waits for its answers.
_TURN_S: Final = 0.04


@dataclass(frozen=True, slots=True)
class NamedWebhook:
    """A verified delivery. `unreadable`: a stable code that says why it cannot be read. `digest`:
    the body's digest, if already computed."""

    integration_id: str
    request: InboundRequest
    identity: Identity
    unreadable: str | None = None
    digest: bytes | None = None


class ArrivalGates:
    """Makes arrivals of one client take turns in this process, so that a flood does not hold the
    connections that other clients need. Only a few large bodies are read concurrently."""

    def __init__(self, *, patience_s: float = 15.0, at_most: int = 2048, large: int = 2) -> None:
        """`at_most`: the maximum number of one client's arrivals that wait concurrently. `large`:
        the maximum number of large bodies read concurrently.

        An arrival is stored even if its platform has stopped waiting; the platform's retry is then
        a known repetition.
        """
        self.clients: Gate[TenantId] = Gate(patience_s=patience_s, at_most=at_most, turn_s=_TURN_S)
        self.full_days = FullDays()
        self._large = asyncio.Semaphore(large)

    async def reading(self, request: InboundRequest, read: Callable[[], T]) -> T:
        """Return the result of `read`. A large body is read in a thread."""
        if len(request.body) <= _SMALL:
            return read()
        async with self._large:
            return await asyncio.to_thread(read)


@dataclass(frozen=True, slots=True)
class Believed:
    """The identity of a verified request."""

    identity: Identity
    digest: bytes
    unreadable: str | None = None

    def of(self, integration_id: str, request: InboundRequest) -> NamedWebhook:
        return NamedWebhook(integration_id, request, self.identity, self.unreadable, self.digest)


def believe(
    platform: Platform, request: InboundRequest, secrets: tuple[str, ...], now: datetime
) -> Believed | None:
    """Verify and identify a request. Return None for a platform's test request. `secrets`: the
    valid secrets.

    A signed request that cannot be read is identified by its bytes, so that it appears in the log.
    Raises InboundRefused.
    """
    if platform.is_ping(request):
        return None
    try:
        platform.verify(request, secrets, now)
    except WebhookUnreadable:
        # The part of the request that contains the proof cannot be read.
        raise InboundRefused(RefusalReason.UNREADABLE) from None
    digest = request.digest
    try:
        identity = platform.identify(request)
    except WebhookUnreadable as unreadable:
        nameless = Identity(dedup_key=f"body/{digest.hex()}", topic=_UNKNOWN_TOPIC)
        return Believed(nameless, digest, unreadable.reason)
    key, topic = _kept_text(identity.dedup_key), _kept_text(identity.topic)
    if not key or len(key) > _MAX_KEY:
        # A key that is too long is replaced by the digest of the body.
        key = f"body/{digest.hex()}"
    return Believed(Identity(key, topic[:_MAX_TOPIC] or _UNKNOWN_TOPIC), digest)


def kind_of(platform: Platform, named: Believed | NamedWebhook) -> WebhookKind:
    """Return the kind of webhook for the topic. Unknown topics are ignored."""
    return platform.topics.get(named.identity.topic, WebhookKind.IGNORED)


async def take(
    units: UnitsOfWork,
    gates: ArrivalGates,
    tenant: TenantId,
    platform: Platform,
    named: NamedWebhook,
) -> KeptWebhook:
    """Store a delivery in a separate transaction. After CallerBusy or EngineUnavailable the
    delivery may not be stored, and the platform sends it again."""
    async with gates.clients.enter(tenant), units.of(tenant) as work:
        return await keep(work, platform, named, gates.full_days)


async def keep(
    work: UnitOfWork, platform: Platform, named: NamedWebhook, full_days: FullDays | None = None
) -> KeptWebhook:
    """Store a verified delivery, from a webhook or a poll, in the order of its client's lane.

    If `starts` is true, the caller starts `ProcessWebhook` after the commit: through
    `domain.inbound.ports.WebhookStarter`, or as a child of its workflow. There is no audit entry,
    because the row is the record.
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
