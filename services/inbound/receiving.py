"""Receiving a webhook: it is verified, identified and stored once, before it has any effect."""

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

# Reading a larger body takes longer than others on the event loop should wait.
_SMALL: Final = 64 * 1024
# A few characters of a stranger's text are enough to identify it.
_MAX_KEY: Final = 512
_MAX_TOPIC: Final = 128
_UNKNOWN_TOPIC: Final = "unknown"
# A client that sends a flood gets one turn of at least this length at a time in a process, so that
# others are answered as before. The flood waits for its answers.
_TURN_S: Final = 0.04


@dataclass(frozen=True, slots=True)
class NamedWebhook:
    """A verified delivery. `unreadable`: a stable code of why it cannot be read. `digest`: the
    body's digest, if it is known already."""

    integration_id: str
    request: InboundRequest
    identity: Identity
    unreadable: str | None = None
    digest: bytes | None = None


class ArrivalGates:
    """In this process, arrivals of one client take turns, so that its flood does not hold the
    connections that others need. Few large bodies are read at once."""

    def __init__(self, *, patience_s: float = 15.0, at_most: int = 2048, large: int = 2) -> None:
        """`at_most`: arrivals of one client that wait at once. `large`: large bodies at once.

        An arrival is stored even if its platform stopped waiting: the platform's retry is then a
        known repetition.
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
    """Verify and identify a request. Return None for a platform's test of the address.

    `secrets`: the valid ones. A signed request that cannot be read is identified by its bytes, so
    that it is logged. Raises InboundRefused.
    """
    if platform.is_ping(request):
        return None
    try:
        platform.verify(request, secrets, now)
    except WebhookUnreadable:
        # The part that holds the proof cannot be read.
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
    """Return the kind of the topic. An unknown topic is ignored."""
    return platform.topics.get(named.identity.topic, WebhookKind.IGNORED)


async def take(
    units: UnitsOfWork,
    gates: ArrivalGates,
    tenant: TenantId,
    platform: Platform,
    named: NamedWebhook,
) -> KeptWebhook:
    """Store a delivery in a separate transaction. Raises CallerBusy, EngineUnavailable: it may not
    be stored then, and the platform sends it again."""
    async with gates.clients.enter(tenant), units.of(tenant) as work:
        return await keep(work, platform, named, gates.full_days)


async def keep(
    work: UnitOfWork, platform: Platform, named: NamedWebhook, full_days: FullDays | None = None
) -> KeptWebhook:
    """Store a verified delivery in the order of its client's lane, from a webhook or from a poll.

    If `starts` is true, the caller starts `ProcessWebhook` after the commit: by
    `domain.inbound.ports.WebhookStarter`, or as a child of its workflow. There is no audit entry:
    the row is the record.
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
    """Return the text in a form that PostgreSQL can store."""
    return text.replace("\0", "").encode(errors="replace").decode()
