"""State changes of inbound webhooks. One transaction updates a webhook's row and advances the
webhook's queue."""

from dataclasses import dataclass

from domain.inbound.effect import Wait, WebhookEffect
from domain.inbound.inbound_webhook import WebhookState
from services.core.unit_of_work import UnitOfWork
from store.inbound.inbound_queues import InboundQueues, lock_queues
from store.inbound.work import UnstartedRun, WebhookStanding, WorkRepository


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed attempt to process a webhook. `reason` is a stable code."""

    reason: str


@dataclass(frozen=True, slots=True)
class QueueTurn:
    """The work to start after the commit. `next_ids` are the webhooks to process next. `run` was
    started by the webhook and has no answer yet, or is None."""

    next_ids: tuple[str, ...]
    run: UnstartedRun | None


async def end_turn(
    work: UnitOfWork, webhook: WebhookStanding, came_to: WebhookEffect | Wait | Failure
) -> QueueTurn:
    """Store the result of one attempt to process a webhook, and return the work to start. If the
    webhook has ended or must wait, the next webhook in the queue is started."""
    rows = WorkRepository(work.connection, work.tenant)
    await lock_queues(work.connection, work.tenant)
    match came_to:
        case WebhookEffect():
            await rows.end(webhook.id, came_to, work.now)
        case Wait():
            await rows.wait(webhook.id, came_to, work.now)
        case Failure(reason=reason):
            await rows.fail(webhook.id, reason, work.now)
    return await hand_over(work, webhook)


async def hand_over(work: UnitOfWork, webhook: WebhookStanding) -> QueueTurn:
    """Move the next webhook to the head of its queue, and return the work to start. The caller must
    have locked the client's queues.

    A repeated call returns the same work, so a crash after the commit loses nothing.
    """
    inbound_queues = InboundQueues(work.connection, work.tenant)
    await inbound_queues.take_next(webhook.kind)
    heads = await inbound_queues.heads(webhook.kind)
    run = await WorkRepository(work.connection, work.tenant).run_to_start(webhook.id)
    return QueueTurn(tuple(head for head in heads if head != webhook.id), run)


def has_ended(webhook: WebhookStanding | None) -> bool:
    """Return True if no more work is needed for a webhook. `webhook`: None if the webhook's row was
    erased."""
    return webhook is None or webhook.state in (WebhookState.DONE, WebhookState.FAILED)
