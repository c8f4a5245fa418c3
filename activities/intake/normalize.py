"""Normalize: from the event as sent to the one shape the brain reads."""

import time

from temporalio import activity

from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, NewId
from domain.intake.contracts import NormalizeInput, NormalizeResult
from domain.intake.normalization import normalize
from domain.intake.order_number import asks_about_order
from domain.runs.conversation import conversation_key
from domain.webhooks.outbound_event import PREVIEW_CHARS, ConversationCreated
from store.core.database import Database
from store.intake.events import EventRepository
from store.integrations.integrations import IntegrationRepository
from store.runs.conversations import ConversationRepository
from store.webhooks.outbox import Outbox


class Normalize:
    def __init__(self, database: Database, now: Clock, new_id: NewId) -> None:
        self._database = database
        self._now = now
        self._new_id = new_id

    @activity.defn(name=names.NORMALIZE)
    async def normalize(self, step: NormalizeInput) -> NormalizeResult:
        """Store the unified event and file its message under its conversation, which is told of
        if it is new.

        Idempotency key: event_id. A repetition computes and writes the same.
        """
        started = time.monotonic()
        tenant = TenantId(step.ref.client_id)
        async with self._database.tenant(tenant) as connection:
            events = EventRepository(connection, tenant)
            inbound = await events.inbound(step.ref.event_id)
            unified = normalize(inbound, fallback_ticket_id=step.ref.event_id)
            fresh_id, now = self._new_id(), self._now()
            conversation_id = await ConversationRepository(connection, tenant).open(
                conversation_key(unified, step.ref.event_id),
                conversation_id=fresh_id,
                channel=unified.channel,
                customer_email=unified.customer_email,
                now=now,
            )
            await events.save_unified(step.ref.event_id, unified, conversation_id=conversation_id)
            if conversation_id == fresh_id:
                await Outbox(connection, tenant).add(
                    ConversationCreated(
                        conversation_id=conversation_id,
                        ticket_id=unified.ticket_id or step.ref.event_id,
                        source=inbound.source or inbound.event_type,
                        customer_email=unified.customer_email or "",
                        subject=unified.subject or "",
                        preview=unified.text[:PREVIEW_CHARS],
                    ),
                    dedup_key=conversation_id,
                    now=now,
                    new_id=self._new_id,
                    run_id=step.ref.run_id,
                )
            looks_up = (
                asks_about_order(unified)
                and await IntegrationRepository(connection, tenant).has_shop()
            )
        return NormalizeResult(elapsed_ms=(time.monotonic() - started) * 1000, looks_up=looks_up)
