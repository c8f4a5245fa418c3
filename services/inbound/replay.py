"""Replay a stored webhook: process it again, unless its processing is complete."""

from domain.inbound.errors import InboundWebhookNotFound
from domain.inbound.inbound_webhook import WebhookKind, WebhookState
from domain.tenants.actor import MANAGERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.inbound.inbound_queues import InboundQueues, lock_queues
from store.inbound.work import WorkRepository


async def replay_webhook(work: UnitOfWork, actor: Actor, webhook_id: str) -> bool:
    """Prepare a stored webhook for another attempt. If True is returned, the caller must start its
    workflow after the commit (`WebhookStarter.process_webhook`, with `wake`).

    A processed webhook stays unchanged. A failed webhook is processed as if it were new, and a
    waiting webhook is tried now. Raises RoleRequired, InboundWebhookNotFound.
    """
    actor.require(MANAGERS)
    await lock_queues(work.connection, work.tenant)
    rows = WorkRepository(work.connection, work.tenant)
    queues = InboundQueues(work.connection, work.tenant)
    webhook = await rows.standing(webhook_id)
    if webhook is None:
        raise InboundWebhookNotFound(webhook_id)
    match webhook.state:
        case WebhookState.DONE:
            return False
        case WebhookState.FAILED:
            starts = webhook.kind is WebhookKind.IGNORED or await queues.is_idle(webhook.kind)
            await rows.restart(webhook_id, WebhookState.WORKING if starts else WebhookState.QUEUED)
            work.note(actor, "webhook replayed", webhook_id=webhook_id)
            return starts
        case WebhookState.WORKING | WebhookState.WAITING:
            return True
        case WebhookState.QUEUED:
            return False
