"""The activity that processes a stored inbound webhook: it parses the bytes and applies the
effect."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Final

from temporalio import activity

from domain.core import names
from domain.core.errors import CallerBusy
from domain.core.ids import TenantId
from domain.inbound.author_proof import AuthorProof, with_standing
from domain.inbound.contracts import GiveUpWebhookInput, ProcessWebhookInput, WebhookWorked
from domain.inbound.effect import Wait, WebhookEffect
from domain.inbound.errors import WebhookUnreadable
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import WebhookKind
from domain.inbound.meaning import ComplianceRequest, InboundTicket, Meaning, Nothing
from domain.inbound.ports import ErasureStarter, Platform
from domain.intake.attachment_type import Inspected
from domain.intake.errors import LargeEventsWait
from domain.integrations.errors import UnknownProvider
from domain.integrations.providers import Provider
from domain.runs.contracts import ProcessEventInput
from services.core.fair_turns import FairTurns
from services.core.unit_of_work import UnitOfWork, UnitsOfWork
from services.inbound.effects import Doer, carry_out
from services.inbound.queue_turns import Failure, QueueTurn, end_turn, hand_over, has_ended
from services.intake.file_inspector import FileInspector
from store.inbound.inbound_queues import lock_queues
from store.inbound.work import StoredWebhook, WebhookStanding, WorkRepository

# During parsing, memory contains several copies of an email and its attachments. A worker therefore
# parses only a few large emails concurrently, and at most one of them for each client.
_LARGE: Final = 1024 * 1024
_LARGE_AT_ONCE: Final = 2
_MOST_LARGE_OF_ONE: Final = 8
_MOST_LARGE: Final = 40
# Maximum time that a large webhook waits for memory, in seconds. It is shorter than the activity's
# timeout. A webhook that waits longer is retried.
_PATIENCE_S: Final = 4.0
# Transaction timeout in seconds. It is long enough to write ten megabytes of attachments.
_TRANSACTION_S: Final = 10.0
# The minimum processing time of a webhook, in seconds, while other webhooks of its queue are
# waiting. It limits how much of the worker's time a client with a long queue can use.
_TURN_S: Final = 0.2

_NOTHING_LEFT: Final = Nothing("erased")


class WorkOnWebhook:
    """The activity that processes inbound webhooks. `platforms`: parsers for each provider's
    webhooks."""

    def __init__(
        self,
        units: UnitsOfWork,
        doer: Doer,
        *,
        platforms: Mapping[Provider, Platform],
        erasures: ErasureStarter,
    ) -> None:
        self._units = units
        self._doer = doer
        self._platforms = platforms
        self._erasures = erasures
        self._files = FileInspector()
        self._large = asyncio.Semaphore(_LARGE_AT_ONCE)
        self._large_turns = FairTurns(
            patience_s=_PATIENCE_S, most_of_one=_MOST_LARGE_OF_ONE, most=_MOST_LARGE
        )

    @activity.defn(name=names.WORK_ON_WEBHOOK)
    async def work(self, step: ProcessWebhookInput) -> WebhookWorked:
        """Apply the webhook's effect in the transaction that updates its row, or leave it pending
        if a limit does not admit it.

        Idempotency key: the webhook's row. For a finished webhook, only return the webhooks to
        start next. Raises LargeEventsWait, EngineUnavailable, and the errors of the use cases.
        """
        loop = asyncio.get_running_loop()
        turn_ends = loop.time() + _TURN_S
        worked = await self._work(step)
        if worked.next_ids:
            await asyncio.sleep(turn_ends - loop.time())
        return worked

    async def _work(self, step: ProcessWebhookInput) -> WebhookWorked:
        tenant = TenantId(step.ref.client_id)
        async with self._units.database.reading(tenant) as connection:
            webhook = await WorkRepository(connection, tenant).read(step.ref.webhook_id)
        if webhook is None:
            return WebhookWorked()
        async with self._room_for(tenant, webhook):
            try:
                said: Meaning | Failure = await self._read(tenant, webhook)
            except WebhookUnreadable as error:
                said = Failure(error.reason)
            return await self._carry_out(step, webhook, said, await self._inspected(tenant, said))

    @activity.defn(name=names.GIVE_UP_WEBHOOK)
    async def give_up(self, step: GiveUpWebhookInput) -> WebhookWorked:
        """Mark an unfinished webhook as failed after its last attempt, so that its queue continues.
        Idempotency key: the webhook's row."""
        tenant = TenantId(step.ref.client_id)
        async with self._units.of(tenant) as work:
            rows = WorkRepository(work.connection, tenant)
            await rows.serialize(step.ref.webhook_id)
            webhook = await rows.standing(step.ref.webhook_id)
            if webhook is None:
                return WebhookWorked()
            if has_ended(webhook):
                turn = await _again(work, webhook)
            else:
                turn = await end_turn(work, webhook, Failure(step.code))
        return WebhookWorked(next_ids=turn.next_ids)

    async def _read(self, tenant: TenantId, webhook: StoredWebhook) -> Meaning:
        """Return the parsed webhook. Parsing runs in a thread because parsing untrusted text may
        take a long time."""
        if has_ended(webhook.standing):
            return _NOTHING_LEFT  # A finished webhook has no further effect.
        platform = self._platforms.get(webhook.provider)
        if platform is None:
            raise UnknownProvider(webhook.integration_id, webhook.provider)
        async with self._units.database.reading(tenant) as connection:
            body = await WorkRepository(connection, tenant).body(webhook.id)
        if body is None:
            return _NOTHING_LEFT
        return await asyncio.to_thread(_said, platform, webhook, body)

    async def _inspected(self, tenant: TenantId, said: Meaning | Failure) -> tuple[Inspected, ...]:
        """Inspect a message's attachments before the transaction, which locks the client's account.
        Raises LargeEventsWait."""
        if not isinstance(said, InboundTicket):
            return ()
        try:
            return await self._files.inspect(tenant, said.attachments)
        except CallerBusy:
            raise LargeEventsWait from None

    async def _carry_out(
        self,
        step: ProcessWebhookInput,
        webhook: StoredWebhook,
        said: Meaning | Failure,
        inspected: tuple[Inspected, ...],
    ) -> WebhookWorked:
        tenant = TenantId(step.ref.client_id)
        async with self._opened(tenant, said) as work:
            if await _is_over(work, webhook):
                return _worked(step, await _again(work, webhook.standing))
            came_to = (
                said
                if isinstance(said, Failure)
                else await carry_out(work, self._doer, webhook, said, inspected)
            )
            begins = isinstance(came_to, WebhookEffect) and came_to.erase is not None
            if not begins:
                turn = await end_turn(work, webhook.standing, came_to)
        if isinstance(came_to, WebhookEffect) and came_to.erase is not None:
            await self._erasures.start_erasure(came_to.erase)
            async with self._opened(tenant, said) as work:
                turn = await end_turn(work, webhook.standing, came_to)
        return _worked(step, turn, came_to if isinstance(came_to, Wait) else None)

    def _opened(
        self, tenant: TenantId, said: Meaning | Failure
    ) -> AbstractAsyncContextManager[UnitOfWork]:
        if isinstance(said, ComplianceRequest):
            return self._units.spanning(tenant)
        return self._units.of(tenant, patience_s=_TRANSACTION_S)

    @asynccontextmanager
    async def _room_for(self, tenant: TenantId, webhook: StoredWebhook) -> AsyncIterator[None]:
        """Limit the large webhooks in memory, one at a time per client. Raises LargeEventsWait."""
        if (webhook.size or 0) <= _LARGE:
            yield
            return
        async with AsyncExitStack() as held:
            try:
                async with asyncio.timeout(_PATIENCE_S):
                    await held.enter_async_context(self._large_turns.turn(tenant))
                    await held.enter_async_context(self._large)
            except (TimeoutError, CallerBusy):
                raise LargeEventsWait from None
            yield


def _said(platform: Platform, webhook: StoredWebhook, body: bytes) -> Meaning:
    """Return the parsed webhook. Raises WebhookUnreadable."""
    request = InboundRequest(webhook.headers, body)
    identity = webhook.identity
    if webhook.kind is WebhookKind.IGNORED:
        # The topic was unknown when the webhook was received, but this version of the code may
        # support the topic.
        identity = platform.identify(request)
        if platform.topics.get(identity.topic, WebhookKind.IGNORED) is WebhookKind.IGNORED:
            return Nothing("topic")
    said = platform.read(request, identity, webhook.facts)
    proof = platform.author_proof if webhook.facts.vouches else AuthorProof.NOTHING
    return with_standing(said, proof) if isinstance(said, InboundTicket) else said


async def _is_over(work: UnitOfWork, webhook: StoredWebhook) -> bool:
    """Wait until concurrent attempts have committed. Return whether one of them has finished the
    webhook."""
    rows = WorkRepository(work.connection, work.tenant)
    await rows.serialize(webhook.id)
    return has_ended(await rows.standing(webhook.id))


async def _again(work: UnitOfWork, webhook: WebhookStanding) -> QueueTurn:
    await lock_queues(work.connection, work.tenant)
    return await hand_over(work, webhook)


def _worked(step: ProcessWebhookInput, turn: QueueTurn, wait: Wait | None = None) -> WebhookWorked:
    run = turn.run and ProcessEventInput(
        ref=turn.run.ref,
        threshold=turn.run.threshold,
        remote_brain=step.remote_brain,
        review_expiry_s=step.review_expiry_s,
    )
    return WebhookWorked(
        run=run,
        wait_s=wait.lasts.total_seconds() if wait else 0,
        waits_for=wait.waits_for if wait else None,
        next_ids=turn.next_ids,
    )
