"""Normalize: from the event as sent to the one shape the brain reads."""

import time
from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncConnection
from temporalio import activity

from domain.agent.lookup import looks_up
from domain.agent.ports import SafetyNet
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, NewId
from domain.intake.contracts import NormalizeInput, NormalizeResult
from domain.intake.event import Channel, InboundEvent, UnifiedEvent, channel_of
from domain.intake.normalization import normalize
from domain.intake.order_number import with_asked_number
from domain.runs.conversation import conversation_key, memory_key
from domain.runs.mail_reply import is_ours
from domain.webhooks.outbound_event import PREVIEW_CHARS, ConversationCreated
from store.core.database import Database
from store.intake.events import EventRepository
from store.integrations.integrations import IntegrationRepository
from store.reviews.escalations import EscalationRepository
from store.runs.conversations import ConversationRepository
from store.runs.threads import ThreadRepository
from store.tenants.client_settings import SettingsRepository
from store.webhooks.deliveries import DeliveryRepository
from store.webhooks.outbox import Outbox


class Normalize:
    """`thread_lasts`: how long after its last message a thread ends."""

    def __init__(
        self,
        database: Database,
        now: Clock,
        new_id: NewId,
        thread_lasts: timedelta,
        net: SafetyNet,
    ) -> None:
        self._database = database
        self._now = now
        self._new_id = new_id
        self._thread_lasts = thread_lasts
        self._net = net

    @activity.defn(name=names.NORMALIZE)
    async def normalize(self, step: NormalizeInput) -> NormalizeResult:
        """Store the unified event and file its message in its thread, which is told of if it is
        new. A thread that people have keeps its message for them.

        Idempotency key: event_id. A repetition computes and writes the same. The thread's row is
        locked, so that of messages at once each sees what the others did.
        """
        started = time.monotonic()
        tenant = TenantId(step.ref.client_id)
        async with self._database.tenant(tenant) as connection:
            events = EventRepository(connection, tenant)
            inbound = await events.inbound(step.ref.event_id)
            unified = normalize(
                inbound,
                fallback_ticket_id=step.ref.event_id,
                authserv_ids=await _authserv_ids(connection, tenant, inbound),
            )
            now = self._now()
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
            thread = opened.thread
            if thread.proposal or opened.is_repeated:
                proposal = await ThreadRepository(connection, tenant).answered_by(
                    opened.id, step.ref.run_id
                )
                thread = thread.model_copy(update={"proposal": proposal})
            if thread.asked_number or thread.proposal:
                unified = with_asked_number(unified)
            await events.save_unified(step.ref.event_id, unified, conversation_id=opened.id)
            deliveries: tuple[str, ...] = ()
            joined = None
            if opened.is_new:
                deliveries = await Outbox(connection, tenant).add(
                    ConversationCreated(
                        conversation_id=opened.id,
                        ticket_id=unified.ticket_id or step.ref.event_id,
                        source=inbound.source or inbound.event_type,
                        customer_email=unified.customer_email or "",
                        subject=unified.subject or "",
                        preview=unified.text[:PREVIEW_CHARS],
                    ),
                    dedup_key=opened.id,
                    now=now,
                    new_id=self._new_id,
                    run_id=step.ref.run_id,
                )
            else:
                joined = await self._join(connection, tenant, unified, opened.id, step.ref.event_id)
            if opened.is_repeated:
                deliveries = await DeliveryRepository(connection, tenant).pending_of_run(
                    step.ref.run_id
                )
            wants_order = (
                looks_up(unified, thread)
                and await IntegrationRepository(connection, tenant).has_shop()
            )
        return NormalizeResult(
            elapsed_ms=(time.monotonic() - started) * 1000,
            looks_up=wants_order,
            deliveries=deliveries,
            joined=joined or "",
        )

    async def _join(
        self,
        connection: AsyncConnection,
        tenant: TenantId,
        event: UnifiedEvent,
        conversation_id: str,
        event_id: str,
    ) -> str | None:
        """The review that the message is added to, if people have the conversation. What always
        reaches a human makes it urgent."""
        reviews = EscalationRepository(connection, tenant)
        joined = await reviews.join(conversation_id, event_id=event_id)
        if joined is not None:
            own_words = (await SettingsRepository(connection, tenant).read()).sensitive_words
            if matter := self._net.matter(event.words, own_words):
                await reviews.mark_sensitive(joined, event_id=event_id, matter=matter)
        return joined


async def _key(
    connection: AsyncConnection, tenant: TenantId, event: UnifiedEvent, event_id: str
) -> str:
    """Of the thread that the event belongs to. A mail program may keep nothing but the name of our
    own reply, which the ledger has with whom it went to."""
    ours, customer = tuple(filter(is_ours, event.references)), memory_key(event)
    if ours and customer and not (event.ticket_named and event.ticket_id):
        known = await ConversationRepository(connection, tenant).key_of_reply(ours, customer)
        if known is not None:
            return known
    return conversation_key(event, event_id)


async def _authserv_ids(
    connection: AsyncConnection, tenant: TenantId, event: InboundEvent
) -> tuple[str, ...]:
    """The mail servers that the client believes; of no use for what is no mail."""
    if channel_of(event.event_type, event.source) is not Channel.EMAIL:
        return ()
    return (await SettingsRepository(connection, tenant).read()).authserv_ids
