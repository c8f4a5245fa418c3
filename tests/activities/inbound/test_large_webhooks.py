"""One client's large webhooks do not delay another client's."""

import asyncio
import threading
from typing import Any, Final, cast

import orjson
from temporalio.testing import ActivityEnvironment

from activities.inbound.work import WorkOnWebhook
from domain.core.ids import TenantId
from domain.inbound.contracts import ProcessWebhookInput, WebhookRef, WebhookWorked
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity
from domain.inbound.meaning import Meaning
from domain.inbound.platform_catalogue import PLATFORMS
from domain.inbound.ports import EndpointFacts, Platform
from domain.intake.errors import LargeEventsWait
from domain.integrations.providers import Provider
from store.core.database import Database
from tests.support.inbound.stored import listen_to, store_webhook
from tests.support.inbound.working import NotedStarts, worker_on
from tests.support.tenants.shop import Shop, open_shop

_LARGE: Final = 1024 * 1024 + 1
_FLOOD: Final = b"the flood"


class Held:
    """The generic platform. It blocks the thread that parses a body of the flood."""

    def __init__(self) -> None:
        self._generic = PLATFORMS[Provider.GENERIC]
        self.started = 0
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._generic, name)

    def read(self, request: InboundRequest, identity: Identity, facts: EndpointFacts) -> Meaning:
        if _FLOOD in request.body[:100]:
            self.started += 1
            self.begun.set()
            assert self.go_on.wait(60)
        return self._generic.read(request, identity, facts)


async def _stored(database: Database, shop: Shop, message: str) -> str:
    body = orjson.dumps({"message": message, "event_type": "x", "pad": "x" * _LARGE})
    async with database.tenant(shop.tenant) as connection:
        integration_id = await listen_to(connection, shop.tenant)
        return await store_webhook(connection, shop.tenant, integration_id, body)


async def _work(worker: WorkOnWebhook, tenant: TenantId, webhook_id: str) -> WebhookWorked:
    ref = WebhookRef(client_id=tenant, webhook_id=webhook_id)
    step = ProcessWebhookInput(ref=ref, review_expiry_s=60)
    return await ActivityEnvironment().run(worker.work, step)


async def test_one_clients_large_webhooks_leave_a_place_for_another(database: Database) -> None:
    """With one queue for all clients, two large webhooks of one client delayed all others."""
    flooder, other = await open_shop(database), await open_shop(database)
    flood = [await _stored(database, flooder, _FLOOD.decode()) for _ in range(6)]
    theirs = await _stored(database, other, "hello")
    held = Held()
    platforms = {**PLATFORMS, Provider.GENERIC: cast("Platform", held)}
    worker = worker_on(database, NotedStarts(), platforms=platforms)
    tasks = [asyncio.create_task(_work(worker, flooder.tenant, one)) for one in flood]
    try:
        assert await asyncio.to_thread(held.begun.wait, 60)

        worked = await _work(worker, other.tenant, theirs)
    finally:
        at_once = held.started
        held.go_on.set()
        done = await asyncio.gather(*tasks, return_exceptions=True)

    assert at_once == 1
    assert worked.run is not None
    # The flood's own webhooks are processed in turn, or retried later.
    assert all(isinstance(one, WebhookWorked | LargeEventsWait) for one in done)
    assert any(isinstance(one, WebhookWorked) for one in done)
