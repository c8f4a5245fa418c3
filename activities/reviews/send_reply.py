"""The activities that send a member's reply to a customer."""

from typing import Final

from temporalio import activity

from activities.runs.actions import Actions, Step
from activities.runtime.heartbeat import beating
from activities.runtime.insisting import insisting
from domain.agent.plan import StepOutcome, StepState
from domain.core import names
from domain.core.contracts import BackgroundRef
from domain.core.ids import TenantId
from domain.core.ports import Clock, NewId
from domain.integrations.errors import (
    ActionForbidden,
    ActionRefused,
    ActionUnknown,
    ActionUnreachable,
    NotAuthorized,
)
from domain.runs.action_key import action_key
from domain.runs.contracts import DeliveredReply, FailReplyInput, ReplyDue
from domain.runs.errors import ReplyNotFound
from services.core.unit_of_work import UnitsOfWork
from services.reviews.reply_sending import (
    StartedReply,
    fail_reply,
    place_of,
    settle_reply,
    start_reply,
)
from store.integrations.integrations import IntegrationRepository
from store.reviews.replies import ReplyRepository
from store.runs.action_ledger import ActionLedger

_NOTE_PAUSES_S: Final = (0.1, 0.3, 1.0)


class SendReplies:
    def __init__(self, units: UnitsOfWork, actions: Actions, now: Clock, new_id: NewId) -> None:
        self._units = units
        self._database = units.database
        self._actions = actions
        self._now = now
        self._new_id = new_id

    @activity.defn(name=names.REPLY_DUE)
    async def due(self, work: BackgroundRef) -> ReplyDue:
        """Return how long the reply can still be undone. Idempotency key: none, because this
        activity only reads."""
        tenant = TenantId(work.client_id)
        async with self._database.tenant(tenant) as connection:
            try:
                reply = await ReplyRepository(connection, tenant).read(work.record_id)
            except ReplyNotFound:
                return ReplyDue(is_over=True)
        wait = (reply.send_at - self._now()).total_seconds()
        return ReplyDue(wait_s=max(0.0, wait), is_over=reply.state.is_final)

    @activity.defn(name=names.DELIVER_REPLY)
    async def send(self, work: BackgroundRef) -> DeliveredReply:
        """Send the reply and record its outcome, unless the reply was undone.

        Idempotency key: (run_id, step) in the action ledger, written before sending. The external
        system's key is derived from both. Raises ActionUnreachable, for Temporal to retry, if the
        reply was certainly not sent.
        """
        tenant = TenantId(work.client_id)
        async with beating():
            async with self._units.of(tenant) as unit:
                started = await start_reply(unit, work.record_id)
            if started is not None:
                await self._deliver(tenant, started)
        async with self._database.tenant(tenant) as connection:
            late = await ReplyRepository(connection, tenant).late(work.record_id)
        return DeliveredReply(late_answer=late)

    @activity.defn(name=names.FAIL_REPLY)
    async def fail(self, step: FailReplyInput) -> None:
        """Record that the reply could not be sent. Idempotency key: the reply's id, for which an
        outcome is stored only once."""
        async with self._units.of(TenantId(step.client_id)) as unit:
            await fail_reply(unit, step.record_id, step.error_code)

    async def _deliver(self, tenant: TenantId, started: StartedReply) -> None:
        reply, claim, kind = started.reply, started.claim, started.action.kind
        outcome, reference = StepOutcome(kind=kind, state=StepState.DONE), ""
        try:
            with self._actions.room(tenant, started.integration):
                reference = await self._actions.perform_known(_step(tenant, started))
        except ActionUnreachable as error:
            if isinstance(error, ActionForbidden):
                await self._note_refusal(tenant, started, error)
            if not claim.interrupted:  # An interrupted attempt may have sent the reply.
                await self._release(tenant, started)
            raise
        except ActionRefused as error:
            if isinstance(error, NotAuthorized):
                await self._disconnect(tenant, started, error)
            # If an earlier attempt was interrupted, a rejection before any request was sent says
            # nothing about that attempt's outcome.
            unsure = claim.interrupted and not error.sent
            state = StepState.UNKNOWN if unsure else StepState.FAILED
            outcome = StepOutcome(kind=kind, state=state, detail=error.code)
        except ActionUnknown as error:
            outcome = StepOutcome(kind=kind, state=StepState.UNKNOWN, detail=error.code)
        async for attempt in insisting(_NOTE_PAUSES_S):
            with attempt:
                async with self._units.of(tenant) as unit:
                    await settle_reply(unit, reply, outcome, reference=reference)

    async def _release(self, tenant: TenantId, started: StartedReply) -> None:
        """Release the claim on the reply because no request was sent."""
        place = place_of(started.reply)
        async for attempt in insisting(_NOTE_PAUSES_S):
            with attempt:
                async with self._database.tenant(tenant) as connection:
                    await ActionLedger(connection, tenant).release(place, started.entry_id)

    async def _note_refusal(
        self, tenant: TenantId, started: StartedReply, error: ActionForbidden
    ) -> None:
        async with self._database.tenant(tenant) as connection:
            known = IntegrationRepository(connection, tenant)
            await known.note_refusal(started.action.integration_id or "", error.code)

    async def _disconnect(
        self, tenant: TenantId, started: StartedReply, error: NotAuthorized
    ) -> None:
        if started.integration is None:
            return
        async with self._database.tenant(tenant) as connection:
            known, now = IntegrationRepository(connection, tenant), self._now()
            run_id = started.reply.run_id
            await known.fail(started.integration.id, error.code, now, self._new_id, run_id=run_id)


def _step(tenant: TenantId, started: StartedReply) -> Step:
    reply = started.reply
    return Step(
        tenant,
        reply.run_id,
        started.action,
        started.case,
        started.integration,
        None,
        action_key(reply.run_id, reply.step, None),
        again=started.claim.again,
        interrupted=started.claim.interrupted,
        files=started.files,
    )
