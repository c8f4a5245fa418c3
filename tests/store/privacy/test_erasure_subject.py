"""Whose an event is that was never normalized: it is read for the first time by the erasure."""

import asyncio
import threading

import pytest

from adapters.system import utc_now
from domain.intake.event import InboundEvent, UnifiedEvent
from domain.intake.normalization import normalize
from store.core.database import Database
from store.privacy import erasure_subject
from store.privacy.erasure_subject import Subject
from tests.support.runs.conversation import CUSTOMER, admitted
from tests.support.tenants.shop import Shop


async def test_others_are_answered_while_events_are_read(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = await admitted(database, shop, customer=CUSTOMER, now=utc_now())
    begun, go_on = threading.Event(), threading.Event()

    def slow(event: InboundEvent, *, fallback_ticket_id: str) -> UnifiedEvent:
        begun.set()
        assert go_on.wait(10), "the event loop was held"
        return normalize(event, fallback_ticket_id=fallback_ticket_id)

    monkeypatch.setattr(erasure_subject, "normalize", slow)

    async def answers() -> None:
        await asyncio.to_thread(begun.wait)
        go_on.set()

    answering = asyncio.create_task(answers())
    async with database.tenant(shop.tenant) as connection:
        found = await Subject(connection, shop.tenant, CUSTOMER, utc_now()).events("")
    await answering

    assert found.ids == (ref.event_id,)
