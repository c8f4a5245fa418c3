"""Receive a webhook: verify it, identify it and store it once. The webhook has no effect before it
is stored."""

import asyncio
from collections.abc import Callable, Hashable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from domain.core.errors import CallerBusy
from domain.core.ids import TenantId
from domain.inbound.errors import InboundBusy, InboundRefused, RefusalReason, WebhookUnreadable
from domain.inbound.headers import kept_headers
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity, WebhookKind
from domain.inbound.ports import Platform
from services.core.gate import Gate
from services.core.unit_of_work import UnitOfWork, UnitsOfWork
from store.inbound.full_days import FullDays
from store.inbound.webhooks import KeptWebhook, NewWebhookRow, WebhookArrivals

T = TypeVar("T")

# Maximum size of a body that is read on the event loop. Even a form of this size takes 10 ms if it
# has as many parts as possible.
_SMALL: Final = 16 * 1024
# Maximum lengths of the stored deduplication key and topic, in characters. Outsiders control both
# texts, and these lengths suffice to identify a webhook.
_MAX_KEY: Final = 512
_MAX_TOPIC: Final = 128
_UNKNOWN_TOPIC: Final = "unknown"
# In each process, one client's webhooks take turns of at least this length, in seconds. During a
# flood from one client, only that client's requests wait.
_TURN_S: Final = 0.04
# Maximum time that a large body waits to be read, in seconds.
_READ_PATIENCE_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class NamedWebhook:
    """A verified webhook delivery. `unreadable` is a parsing error's code, or None. `digest` is the
    body's digest, if computed. `is_signed` means that a secret verified it. `vouches` means that
    the endpoint could then vouch for customers' addresses."""

    integration_id: str
    request: InboundRequest
    identity: Identity
    unreadable: str | None = None
    digest: bytes | None = None
    is_signed: bool = False
    vouches: bool = False


class ArrivalGates:
    """The gates through which each client's webhooks take turns in this process, so that a flood
    does not use up the database connections. Large bodies are read one per client, and only a few
    at a time."""

    def __init__(
        self,
        *,
        patience_s: float = 15.0,
        at_most: int = 2048,
        large: int = 2,
        read_patience_s: float = _READ_PATIENCE_S,
    ) -> None:
        """Create the gates. `at_most` limits a client's waiting webhooks, and `large` the
        concurrent reads of large bodies. `read_patience_s` is the maximum wait of a large body in
        seconds.

        A webhook is stored even if its platform no longer waits. Its redelivery is then a
        duplicate.
        """
        self.clients: Gate[TenantId] = Gate(patience_s=patience_s, at_most=at_most, turn_s=_TURN_S)
        self.full_days = FullDays()
        self._readers: Gate[Hashable] = Gate(patience_s=read_patience_s, at_most=at_most)
        self._large = asyncio.Semaphore(large)
        self._read_patience_s = read_patience_s

    async def reading(self, sender: Hashable, request: InboundRequest, read: Callable[[], T]) -> T:
        """Call `read` and return its result, in a thread for a large body.

        One large body is read at a time for each `sender`, a client or an address. Raises
        InboundBusy after too long a wait.
        """
        if len(request.body) <= _SMALL:
            return read()
        async with AsyncExitStack() as place:
            try:
                async with asyncio.timeout(self._read_patience_s):
                    await place.enter_async_context(self._readers.enter(sender))
                    await place.enter_async_context(self._large)
            except (TimeoutError, CallerBusy):
                raise InboundBusy from None
            return await asyncio.to_thread(read)


@dataclass(frozen=True, slots=True)
class Believed:
    """A verified request with its identity and digest. `is_signed` means that a secret verified it.
    `unreadable` is a parsing error's code, or None."""

    identity: Identity
    digest: bytes
    is_signed: bool
    unreadable: str | None = None

    def of(self, integration_id: str, request: InboundRequest, *, vouches: bool) -> NamedWebhook:
        """Return the webhook as a NamedWebhook of the given integration. `vouches` means that the
        endpoint is now trusted to vouch for customers' addresses."""
        return NamedWebhook(
            integration_id,
            request,
            self.identity,
            self.unreadable,
            self.digest,
            is_signed=self.is_signed,
            vouches=vouches,
        )


def believe(
    platform: Platform, request: InboundRequest, secrets: tuple[str, ...], now: datetime
) -> Believed | None:
    """Verify a request and return its identity, or None for a platform's test request. Raises
    InboundRefused.

    A signed request that cannot be parsed is identified by its bytes, so that it appears in the
    log.
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
        return Believed(nameless, digest, bool(secrets), unreadable.reason)
    key, topic = _kept_text(identity.dedup_key), _kept_text(identity.topic)
    if not key or len(key) > _MAX_KEY:
        # If the key is missing or too long, the digest of the body replaces it.
        key = f"body/{digest.hex()}"
    return Believed(Identity(key, topic[:_MAX_TOPIC] or _UNKNOWN_TOPIC), digest, bool(secrets))


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
    """Wait for the client's turn, then store a webhook delivery in its own transaction. If the call
    raises CallerBusy or EngineUnavailable, the delivery might not be stored, and the platform sends
    it again."""
    async with gates.clients.enter(tenant), units.of(tenant) as work:
        return await keep(work, platform, named, gates.full_days)


async def keep(
    work: UnitOfWork, platform: Platform, named: NamedWebhook, full_days: FullDays | None = None
) -> KeptWebhook:
    """Store a verified delivery, from a webhook or a poll, in the client's queue.

    If the result's `starts` is true, the caller must start `ProcessWebhook` after the commit, by
    `domain.inbound.ports.WebhookStarter` or as a child workflow. The row is its own record, so no
    audit entry is written.
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
        is_signed=named.is_signed,
        vouches=named.vouches,
    )
    return await WebhookArrivals(work.connection, work.tenant).keep(row, work.now, full_days)


def _kept_text(text: str) -> str:
    """Return the text without characters that PostgreSQL cannot store."""
    return text.replace("\0", "").encode(errors="replace").decode()
