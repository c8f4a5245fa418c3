"""Turns: a webhook's row is written, and its lane goes on, in one transaction."""

from dataclasses import dataclass

from domain.inbound.effect import Wait, WebhookEffect
from domain.inbound.inbound_webhook import WebhookState
from services.core.unit_of_work import UnitOfWork
from store.inbound.lanes import LaneRepository, lock_lanes
from store.inbound.work import UnstartedRun, WebhookStanding, WorkRepository


@dataclass(frozen=True, slots=True)
class Failure:
    """`reason`: a stable code."""

    reason: str


@dataclass(frozen=True, slots=True)
class LaneTurn:
    """What starts after the commit. `next_ids`: webhooks whose turn it is. `run`: what the webhook
    became, as long as it has no answer."""

    next_ids: tuple[str, ...]
    run: UnstartedRun | None


async def end_turn(
    work: UnitOfWork, webhook: WebhookStanding, came_to: WebhookEffect | Wait | Failure
) -> LaneTurn:
    """Write what one try came to. A webhook that has ended, or stands aside, lets the next of its
    lane begin."""
    rows = WorkRepository(work.connection, work.tenant)
    await lock_lanes(work.connection, work.tenant)
    match came_to:
        case WebhookEffect():
            await rows.end(webhook.id, came_to, work.now)
        case Wait():
            await rows.wait(webhook.id, came_to, work.now)
        case Failure(reason=reason):
            await rows.fail(webhook.id, reason, work.now)
    return await hand_over(work, webhook)


async def hand_over(work: UnitOfWork, webhook: WebhookStanding) -> LaneTurn:
    """Let the lane go on, on a transaction that holds the client's lanes. Repeating it names the
    same: a crash after the commit loses nothing."""
    lanes = LaneRepository(work.connection, work.tenant)
    await lanes.take_next(webhook.kind)
    heads = await lanes.heads(webhook.kind)
    run = await WorkRepository(work.connection, work.tenant).run_to_start(webhook.id)
    return LaneTurn(tuple(head for head in heads if head != webhook.id), run)


def has_ended(webhook: WebhookStanding | None) -> bool:
    """Whether nothing is left to do. None: its row was erased."""
    return webhook is None or webhook.state in (WebhookState.DONE, WebhookState.FAILED)
