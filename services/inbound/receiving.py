"""How a webhook is taken: believed, named, and kept once, before anything is done about it."""

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
from store.inbound.webhooks import KeptWebhook, NewWebhookRow, WebhookArrivals

T = TypeVar("T")

# Reading a larger one takes longer than others on the event loop should wait.
_SMALL: Final = 64 * 1024
# Of strangers' text, a few characters are enough to name it.
_MAX_KEY: Final = 512
_MAX_TOPIC: Final = 128
_UNKNOWN_TOPIC: Final = "unknown"
# Of one client that sends a flood a process keeps 25 a second, so that the others are answered as
# before. The flood waits for its answers.
_TURN_S: Final = 0.04


@dataclass(frozen=True, slots=True)
class NamedWebhook:
    """A delivery that is believed. `unreadable`: why it cannot be read, a stable code. `digest`: of
    the body, where it is known already."""

    integration_id: str
    request: InboundRequest
    identity: Identity
    unreadable: str | None = None
    digest: bytes | None = None


class ArrivalGates:
    """In this process: arrivals of one client take turns, so that its flood does not hold the
    connections that others need, and few large bodies are read and stored at once."""

    def __init__(self, *, patience_s: float = 15.0, at_most: int = 2048, large: int = 2) -> None:
        """`at_most`: arrivals of one client that wait at once. `large`: bodies at once.

        An arrival whose platform has gone meanwhile is kept all the same: it knows the repetition.
        """
        self.clients: Gate[TenantId] = Gate(patience_s=patience_s, at_most=at_most, turn_s=_TURN_S)
        self._large = asyncio.Semaphore(large)

    async def reading(self, request: InboundRequest, read: Callable[[], T]) -> T:
        """What `read` makes of the request: in a thread, where that may take long."""
        if len(request.body) <= _SMALL:
            return read()
        async with self._large:
            return await asyncio.to_thread(read)


@dataclass(frozen=True, slots=True)
class Believed:
    """What a request says of itself, once it was verified."""

    identity: Identity
    digest: bytes
    unreadable: str | None = None

    def of(self, integration_id: str, request: InboundRequest) -> NamedWebhook:
        return NamedWebhook(integration_id, request, self.identity, self.unreadable, self.digest)


def believe(
    platform: Platform, request: InboundRequest, secrets: tuple[str, ...], now: datetime
) -> Believed | None:
    """Verify and name a request; None for a platform's trial of the address, which has no effect.

    `secrets`: those good now. One that was signed and cannot be read is named by its bytes, so
    that it is in the log. Raises InboundRefused.
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
        # A name that is too long is replaced by the digest of the bytes.
        key = f"body/{digest.hex()}"
    return Believed(Identity(key, topic[:_MAX_TOPIC] or _UNKNOWN_TOPIC), digest)


def kind_of(platform: Platform, named: Believed | NamedWebhook) -> WebhookKind:
    """What its topic is. One without a name that can be read is ignored."""
    return platform.topics.get(named.identity.topic, WebhookKind.IGNORED)


async def take(
    units: UnitsOfWork,
    gates: ArrivalGates,
    tenant: TenantId,
    platform: Platform,
    named: NamedWebhook,
) -> KeptWebhook:
    """Keep a delivery in a transaction of its own. Raises CallerBusy, EngineUnavailable: then
    nothing may have been kept, and the platform sends it again."""
    async with gates.clients.enter(tenant), units.of(tenant) as work:
        return await keep(work, platform, named)


async def keep(work: UnitOfWork, platform: Platform, named: NamedWebhook) -> KeptWebhook:
    """Keep a delivery that is believed, in the order of its client's lane; what a webhook brought
    and what a poll found alike.

    Where `starts` is true, have `ProcessWebhook` started after the commit:
    `domain.inbound.ports.WebhookStarter`, or a child of the caller's workflow. No audit entry: the
    row is the record.
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
    return await WebhookArrivals(work.connection, work.tenant).keep(row, work.now)


def _kept_text(text: str) -> str:
    """As PostgreSQL can hold it."""
    return text.replace("\0", "").encode(errors="replace").decode()
