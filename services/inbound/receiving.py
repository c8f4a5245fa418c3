"""How a webhook is taken: believed, named, and kept once, before anything is done about it."""

from dataclasses import dataclass

from domain.inbound.ports import Platform
from domain.inbound.request import InboundRequest
from domain.inbound.webhook import Identity
from services.core.unit_of_work import UnitOfWork
from store.inbound.webhooks import KeptWebhook


@dataclass(frozen=True, slots=True)
class NamedWebhook:
    """A delivery that is believed. `unreadable`: why it cannot be read, a stable code."""

    integration_id: str
    request: InboundRequest
    identity: Identity
    unreadable: str | None = None


async def keep(work: UnitOfWork, platform: Platform, named: NamedWebhook) -> KeptWebhook:
    """Keep a delivery that is believed, in the order of its client's lane; what a webhook brought
    and what a poll found alike. Where `starts` is true, have `ProcessWebhook` started after the
    commit: `TemporalEngine.process_webhook`, or a child of the caller's workflow."""
    raise NotImplementedError
