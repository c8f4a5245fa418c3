"""Webhooks as they are taken: one row a delivery, whatever comes how often."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from domain.inbound.webhook import Identity, WebhookKind
from domain.integrations.provider import Provider
from store.core.repository import TenantRepository


@dataclass(frozen=True, slots=True)
class NewWebhookRow:
    """A delivery to be kept. `id`: of its row, where it is new. `headers`: those that reading
    needs, by their names in lower case. `unreadable`: the stable code of why it cannot be read;
    then it is kept as failed."""

    id: str
    integration_id: str
    provider: Provider
    identity: Identity
    kind: WebhookKind
    body_digest: bytes
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    unreadable: str | None = None


class KeptAs(StrEnum):
    """`known`: the same delivery came before. `conflict`: its name came before with another body;
    nothing of this one is kept."""

    NEW = "new"
    KNOWN = "known"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class KeptWebhook:
    """`id`: of the delivery's row, which may have been there before. `starts`: it is new and its
    turn has come: its workflow must be started after the commit."""

    id: str
    was: KeptAs
    starts: bool


class WebhookArrivals(TenantRepository):
    async def keep(self, arrived: NewWebhookRow, now: datetime) -> KeptWebhook:
        """Store a delivery once, and tell whether its work begins. Takes the lock of the client's
        lanes, which is held until the transaction ends."""
        raise NotImplementedError
