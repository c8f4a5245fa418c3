"""The activity that converts a received event to the normalized form that the brain takes as
input."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection
from temporalio import activity

from activities.intake.code_entry import with_code
from activities.runtime.fair_normalizer import FairNormalizer
from domain.agent.lookup import looks_up
from domain.agent.ports import SafetyNet
from domain.core import names
from domain.core.errors import OverBudget
from domain.core.ids import TenantId
from domain.core.ports import Clock, NewId, Sealer
from domain.intake.address_claim import can_be_proved
from domain.intake.contracts import NormalizeInput, NormalizeResult
from domain.intake.cut_event import cut_event
from domain.intake.event import Channel, InboundEvent, UnifiedEvent, channel_of
from domain.intake.event_size import is_large
from domain.intake.order_number import with_asked_number
from domain.intake.ports import Normalized
from domain.runs.conversation import conversation_key, memory_key
from domain.runs.later_turn import may_correct
from domain.runs.mail_reply import is_ours
from domain.webhooks.outbound_event import PREVIEW_CHARS, ConversationCreated
from services.core.cpu_guard import limited
from store.billing.usage_ledger import take_again
from store.core.database import Database
from store.customers.customer_index import CustomerIndex
from store.intake.events import EventRepository
from store.integrations.integrations import IntegrationRepository
from store.reviews.escalations import EscalationRepository
from store.reviews.later_turns import LaterTurns
from store.runs.conversations import ConversationRepository, Opened
from store.runs.threads import ThreadRepository
from store.tenants.client_settings import SettingsRepository
from store.webhooks.deliveries import DeliveryRepository
from store.webhooks.outbox import Outbox

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class _Sent:
    """An event as it was received. `authserv_ids` are the mail servers that the client trusts."""

    event: InboundEvent
    authserv_ids: tuple[str, ...]


class Normalize:
    """The activity that normalizes events and adds them to threads. `thread_lasts`: how long a
    thread stays open after its last message."""

    def __init__(
        self,
        database: Database,
        now: Clock,
        new_id: NewId,
        *,
        normalizer: FairNormalizer,
        thread_lasts: timedelta,
        net: SafetyNet,
        sealer: Sealer,
    ) -> None:
        self._database = database
        self._normalizer = normalizer
        self._now = now
        self._new_id = new_id
        self._thread_lasts = thread_lasts
        self._net = net
        self._sealer = sealer

    @activity.defn(name=names.NORMALIZE)
    async def normalize(self, step: NormalizeInput) -> NormalizeResult:
        """Store the normalized event and add its message to its thread, with a webhook event for a
        new thread.

        Idempotency key: event_id. The thread's row is locked, so that messages are added one by
        one. If human agents handle the thread, the message is kept for them. A reopened run's
        ticket is counted again. Raises OverBudget unless `step.cut` is set.
        """
        started = time.monotonic()
        tenant, event_id = TenantId(step.ref.client_id), step.ref.event_id
        async with self._database.tenant(tenant, keeps_plans=True) as connection:
            if step.reopened:
                await take_again(connection, tenant, event_id, new_id=self._new_id, now=self._now())
            sent = await _read(connection, tenant, event_id)
            large = is_large(sent.event) and not step.cut
            if not large:
                done = await self._normalized(tenant, sent, step)
                result = await self._file(connection, tenant, step, sent.event, done.event)
        if large:
            done = await self._normalized(tenant, sent, step)
            async with self._database.tenant(tenant, keeps_plans=True) as connection:
                result = await self._file(connection, tenant, step, sent.event, done.event)
        return result.model_copy(
            update={
                "elapsed_ms": (time.monotonic() - started) * 1000,
                "cut": step.cut,
                "steps": done.steps,
            }
        )

    async def _normalized(self, tenant: TenantId, sent: _Sent, step: NormalizeInput) -> Normalized:
        """Return the normalized event, or the truncated event if `step.cut` is set. A small event
        is normalized without awaiting."""
        if step.cut:
            return Normalized(cut_event(sent.event, fallback_ticket_id=step.ref.event_id), 0)
        return await self._normalizer.normalize(
            tenant, sent.event, fallback_ticket_id=step.ref.event_id, authserv_ids=sent.authserv_ids
        )

    async def _file(
        self,
        connection: AsyncConnection,
        tenant: TenantId,
        step: NormalizeInput,
        inbound: InboundEvent,
        unified: UnifiedEvent,
    ) -> NormalizeResult:
        """Add the event to its thread, and return the result. An event that an earlier attempt
        stored completely is not truncated. Human agents who handle the thread also handle the
        event."""
        events = EventRepository(connection, tenant)
        now = self._now()
        if step.cut:
            unified = await events.unified(step.ref.event_id) or unified
        opened = await ConversationRepository(connection, tenant).open(
            await _key(connection, tenant, unified, step.ref.event_id),
            event_id=step.ref.event_id,
            conversation_id=self._new_id(),
            channel=unified.channel,
            customer_email=unified.customer_email,
            memory_key=memory_key(unified),
            now=now,
            lasts=self._thread_lasts,
        )
        written = unified.text
        unified = await self._with_code(connection, tenant, unified, opened, step)
        thread = opened.thread.seen_by(unified)
        is_handed_on = opened.is_repeated and opened.thread.proposal is None
        if unified.author is None and (thread.proposal or is_handed_on):
            proposal = await ThreadRepository(connection, tenant).answered_by(
                opened.id, step.ref.run_id
            )
            thread = thread.model_copy(update={"proposal": proposal})
        if thread.asked_number or thread.proposal:
            unified = _with_asked_number(step, unified)
        arrived_at = await events.save_unified(
            step.ref.event_id, unified, conversation_id=opened.id, written=written
        )
        if arrived_at is not None:
            await CustomerIndex(connection, tenant).keep(
                unified.customer_email,
                unified.customer_name,
                is_verified=unified.may_act,
                new_id=self._new_id,
                at=arrived_at,
            )
        deliveries: tuple[str, ...] = ()
        joined, considered = None, False
        if opened.is_new:
            deliveries = await Outbox(connection, tenant).add(
                _created(opened.id, inbound, unified, step.ref.event_id),
                dedup_key=opened.id,
                now=now,
                new_id=self._new_id,
                run_id=step.ref.run_id,
            )
        else:
            joined, considered = await self._join(connection, tenant, unified, opened.id, step)
            corrects = _may_correct(unified) if considered and not step.cut else None
            considered = corrects is not None
            if corrects:
                unified = _with_asked_number(step, unified)
                await events.save_unified(
                    step.ref.event_id, unified, conversation_id=opened.id, written=written
                )
        if opened.is_repeated:
            deliveries = await DeliveryRepository(connection, tenant).pending_of_run(
                step.ref.run_id
            )
        wants_order = (
            _within(step, lambda: looks_up(unified, thread))
            and await IntegrationRepository(connection, tenant).has_shop()
        )
        return NormalizeResult(
            elapsed_ms=0,
            looks_up=wants_order,
            deliveries=deliveries,
            joined=joined or "",
            considered=considered,
        )

    async def _with_code(
        self,
        connection: AsyncConnection,
        tenant: TenantId,
        event: UnifiedEvent,
        opened: Opened,
        step: NormalizeInput,
    ) -> UnifiedEvent:
        """Return the event after checking it for an emailed code. An earlier attempt's result is
        kept because a code must be counted only once."""
        if opened.is_repeated and can_be_proved(event):
            return await EventRepository(connection, tenant).unified(step.ref.event_id) or event
        return await with_code(
            connection, tenant, event, opened.id, sealer=self._sealer, now=self._now()
        )

    async def _join(
        self,
        connection: AsyncConnection,
        tenant: TenantId,
        event: UnifiedEvent,
        conversation_id: str,
        step: NormalizeInput,
    ) -> tuple[str | None, bool]:
        """Add the message to the review of a conversation that human agents handle.

        Return the review's id or None, and whether the agent reads the message. A sensitive message
        makes the review urgent and is not read.
        """
        event_id = step.ref.event_id
        reviews = EscalationRepository(connection, tenant)
        joined = await reviews.join(conversation_id, event_id=event_id)
        if joined is None:
            return None, False
        own_words = (await SettingsRepository(connection, tenant).read()).sensitive_words
        if matter := _within(step, lambda: self._net.matter(event.words, own_words)):
            await reviews.mark_sensitive(joined, event_id=event_id, matter=matter)
            return joined, False
        if event.author is not None or not event.reply_allowed:
            return joined, False
        return joined, await LaterTurns(connection, tenant).is_considered(joined, event_id)


def _may_correct(event: UnifiedEvent) -> bool | None:
    """Return whether a message may correct the order number, or None if that is too expensive to
    determine. Humans then read the message."""
    try:
        return limited(lambda: may_correct(event))
    except OverBudget:
        return None


def _with_asked_number(step: NormalizeInput, event: UnifiedEvent) -> UnifiedEvent:
    return _within(step, lambda: with_asked_number(event))


def _within(step: NormalizeInput, work: Callable[[], _Found]) -> _Found:
    """Examine the event's text, and return the result. Raises OverBudget if it is too expensive,
    unless the event is truncated."""
    return work() if step.cut else limited(work)


def _created(
    conversation_id: str, inbound: InboundEvent, unified: UnifiedEvent, event_id: str
) -> ConversationCreated:
    return ConversationCreated(
        conversation_id=conversation_id,
        ticket_id=unified.ticket_id or event_id,
        source=inbound.source or inbound.event_type,
        customer_email=unified.customer_email or "",
        subject=unified.subject or "",
        preview=unified.text[:PREVIEW_CHARS],
    )


async def _key(
    connection: AsyncConnection, tenant: TenantId, event: UnifiedEvent, event_id: str
) -> str:
    """Return the key of the event's thread. A reply joins the thread of our email only if we sent
    that email to the reply's author, according to the action ledger."""
    ours, customer = tuple(filter(is_ours, event.references)), memory_key(event)
    if ours and customer and not (event.ticket_named and event.ticket_id):
        known = await ConversationRepository(connection, tenant).key_of_reply(ours, customer)
        if known is not None:
            return known
    return conversation_key(event, event_id)


async def _read(connection: AsyncConnection, tenant: TenantId, event_id: str) -> _Sent:
    """Return the event as it was received. The client's list of mail servers is loaded only for an
    email."""
    event = await EventRepository(connection, tenant).inbound(event_id)
    if channel_of(event.event_type, event.source) is not Channel.EMAIL:
        return _Sent(event, ())
    chosen = await SettingsRepository(connection, tenant).read()
    return _Sent(event, tuple(chosen.authserv_ids))
