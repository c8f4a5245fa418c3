"""The sweep of inbound webhooks: one client's failure does not stop the other clients."""

import pytest
import sqlalchemy as sa
from temporalio.testing import ActivityEnvironment

from activities.inbound.sweep_webhooks import SweepWebhooks
from adapters.system import utc_now
from domain.core.errors import EngineUnavailable
from domain.inbound.contracts import ProcessWebhookInput
from domain.runs.contracts import SweepInput, SweepResult
from store.core.database import Database
from store.inbound.tables import inbound_webhooks
from tests.support.inbound.stored import listen_to
from tests.support.inbound.working import Inbox
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.own_database

ALL = SweepInput(older_than_s=3600)


class Starter:
    """An engine that raises `error` for one client."""

    def __init__(self, shop: Shop, error: Exception) -> None:
        self._client_id = shop.client_id
        self._error = error
        self.started: list[str] = []

    async def process_webhook(self, webhook: ProcessWebhookInput, *, wake: bool = False) -> bool:
        assert not wake
        if webhook.ref.client_id == self._client_id:
            raise self._error
        self.started.append(webhook.ref.client_id)
        return True


async def two_stopped_queues(database: Database) -> tuple[Shop, Shop]:
    shops = (await open_shop(database), await open_shop(database))
    for shop in shops:
        async with database.tenant(shop.tenant) as connection:
            inbox = Inbox(database, shop, await listen_to(connection, shop.tenant))
        await inbox.comes()
    async with database.service() as connection:
        await connection.execute(sa.update(inbound_webhooks).values(state="queued"))
    return shops


async def test_a_queue_that_cannot_be_restarted_keeps_no_other_from_it(database: Database) -> None:
    first, second = await two_stopped_queues(database)
    engine = Starter(first, EngineUnavailable("Temporal did not answer"))
    sweep = SweepWebhooks(database, engine, utc_now)

    swept = await ActivityEnvironment().run(sweep.start_left, ALL)

    assert swept == SweepResult(picked_up=1, failed=1)
    assert engine.started == [second.client_id]


async def test_a_fault_of_one_queue_is_reported_after_the_others(database: Database) -> None:
    first, second = await two_stopped_queues(database)
    engine = Starter(first, ValueError("poison"))
    sweep = SweepWebhooks(database, engine, utc_now)

    with pytest.raises(ValueError, match="poison"):
        await ActivityEnvironment().run(sweep.start_left, ALL)

    assert engine.started == [second.client_id]
