"""The sweep of inbound webhooks. It resumes work that a crash interrupted between two steps."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import structlog
from temporalio import activity

from activities.runtime.one_by_one import Tally, one_by_one
from domain.core import names
from domain.core.ports import Clock
from domain.inbound.contracts import ProcessWebhookInput, WebhookRef
from domain.inbound.ports import WebhookStarter
from domain.runs.contracts import SweepInput, SweepResult
from store.core.database import Database
from store.core.place import Place
from store.inbound.inbound_queues import InboundQueues, lock_queues
from store.inbound.queue_sweep import LeftWebhook, StoppedQueue, stopped_queues, webhooks_left

BATCH: Final = 200

_log = structlog.get_logger(__name__)


class SweepWebhooks:
    def __init__(self, database: Database, engine: WebhookStarter, now: Clock) -> None:
        self._database = database
        self._engine = engine
        self._now = now

    @activity.defn(name=names.SWEEP_WEBHOOKS)
    async def start_left(self, step: SweepInput) -> SweepResult:
        """Start the workflows of webhooks that are next in their queue, and restart stopped queues.
        Idempotency key: the workflow's id."""
        before = self._now() - timedelta(seconds=step.older_than_s)

        async def next_page(after: Place | None) -> Sequence[LeftWebhook]:
            async with self._database.service() as connection:
                return await webhooks_left(connection, before=before, after=after, limit=BATCH)

        async def start(left: LeftWebhook) -> bool:
            return await self._start(step, left.ref)

        try:
            swept = await one_by_one(
                next_page, start, what="failed to start the workflow of a polled webhook"
            )
        finally:
            moved = await self._restart_stopped(step)
        moved.check()
        return swept + moved.result

    async def _restart_stopped(self, step: SweepInput) -> Tally:
        async with self._database.service() as connection:
            stopped = await stopped_queues(connection, limit=BATCH)
        tally = Tally("failed to restart a stalled inbound queue")
        for queue in stopped:
            await tally.add(self._move(step, queue), client_id=queue.tenant)
        return tally

    async def _move(self, step: SweepInput, stopped_queue: StoppedQueue) -> bool:
        async with self._database.tenant(stopped_queue.tenant) as connection:
            await lock_queues(connection, stopped_queue.tenant)
            webhook_id = await InboundQueues(connection, stopped_queue.tenant).take_next(
                stopped_queue.kind
            )
        if webhook_id is None:
            return False
        _log.error(
            "stalled inbound queue restarted", client_id=stopped_queue.tenant, webhook_id=webhook_id
        )
        ref = WebhookRef(client_id=stopped_queue.tenant, webhook_id=webhook_id)
        return await self._start(step, ref)

    async def _start(self, step: SweepInput, ref: WebhookRef) -> bool:
        return await self._engine.process_webhook(
            ProcessWebhookInput(
                ref=ref, remote_brain=step.remote_brain, review_expiry_s=step.review_expiry_s
            )
        )
