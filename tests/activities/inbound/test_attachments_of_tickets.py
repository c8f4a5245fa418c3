"""Attachments of a ticket are inspected before its transaction."""

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import orjson
import pytest
import sqlalchemy as sa
from temporalio.testing import ActivityEnvironment

from domain.core.attached_file import AttachedFile
from domain.inbound.contracts import ProcessWebhookInput, WebhookRef
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity
from domain.inbound.meaning import InboundTicket, Meaning
from domain.inbound.platform_catalogue import PLATFORMS
from domain.inbound.ports import EndpointFacts, Platform
from domain.intake.attachment_type import Inspected, inspect
from domain.integrations.providers import Provider
from services.intake import file_inspector
from store.core.database import Database
from store.intake.tables import attachments
from tests.support.core.rows import only_row
from tests.support.inbound.stored import listen_to, store_webhook
from tests.support.inbound.working import NotedStarts, worker_on
from tests.support.intake.attachments import PHOTO
from tests.support.tenants.shop import Shop


class WithPhoto:
    """The generic platform. Each of its tickets has a photo."""

    def __init__(self) -> None:
        self._generic = PLATFORMS[Provider.GENERIC]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._generic, name)

    def read(self, request: InboundRequest, identity: Identity, facts: EndpointFacts) -> Meaning:
        said = self._generic.read(request, identity, facts)
        assert isinstance(said, InboundTicket)
        return replace(said, attachments=(PHOTO,))


async def test_no_lock_is_held_during_the_inspection(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, go_on = threading.Event(), threading.Event()

    def slow(files: Sequence[AttachedFile]) -> tuple[Inspected, ...]:
        started.set()
        assert go_on.wait(30)
        return inspect(files)

    monkeypatch.setattr(file_inspector, "inspect", slow)
    async with database.tenant(shop.tenant) as connection:
        integration_id = await listen_to(connection, shop.tenant)
        body = orjson.dumps({"message": "hello", "event_type": "x"})
        webhook_id = await store_webhook(connection, shop.tenant, integration_id, body)
    platforms = {**PLATFORMS, Provider.GENERIC: cast("Platform", WithPhoto())}
    worker = worker_on(database, NotedStarts(), platforms=platforms)
    step = ProcessWebhookInput(
        ref=WebhookRef(client_id=shop.client_id, webhook_id=webhook_id), review_expiry_s=60
    )
    working = asyncio.create_task(ActivityEnvironment().run(worker.work, step))
    try:
        assert await asyncio.to_thread(started.wait, 30)
        async with database.tenant(shop.tenant) as connection:
            await connection.execute(
                sa.text("SELECT id FROM clients WHERE id = :id FOR NO KEY UPDATE NOWAIT"),
                {"id": shop.client_id},
            )
    finally:
        go_on.set()
        await working

    assert (await only_row(database, attachments, of=shop))["state"] == "stored"
