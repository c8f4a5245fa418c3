"""The stored result of an order lookup."""

import asyncio
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from activities.agent import order_search
from activities.agent.look_up import LookUp
from adapters.connectors.http import open_client
from adapters.connectors.registry import ConnectorRegistry
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid
from domain.agent.contracts import LookUpInput
from domain.agent.thread import Thread
from domain.core.contracts import RunRef
from domain.integrations.integration import Integration
from domain.integrations.order import LookupState
from domain.integrations.ports import Helpdesk, NoticeBoard
from domain.integrations.ports import Shop as ConnectedShop
from domain.integrations.providers import Provider
from store.core.database import Database
from store.intake.tables import engine_events
from store.integrations.integrations import IntegrationRepository
from store.reviews.tables import escalation_tickets
from store.runs.cases import CaseRepository
from tests.support.agent.policy_context import an_event
from tests.support.core.endless import endless_search
from tests.support.core.rows import only_row
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import Shop, open_shop

NOW = datetime(2026, 11, 28, 22, 0, tzinfo=UTC)


async def test_a_lookup_is_stored_with_its_time(database: Database, shop: Shop) -> None:
    review = await only_row(database, escalation_tickets, id=await open_review(database, shop))
    run_id = str(review["run_id"])
    ref = RunRef(client_id=shop.client_id, event_id=new_ulid(), run_id=run_id)
    event = an_event().model_dump(mode="json", exclude={"subject", "text"})
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(sa.update(engine_events).values(unified=event))
    async with open_client() as http:
        connectors = ConnectorRegistry(FernetSealer(new_seal_key()), http, allow_loopback=False)
        search = order_search.OrderSearch(database, connectors)
        await LookUp(database, search, lambda: NOW, new_ulid).look_up(LookUpInput(ref=ref))
    async with database.tenant(shop.tenant) as connection:
        case = await CaseRepository(connection, shop.tenant).read(run_id)
    assert case.lookup is not None
    assert case.lookup.looked_up_at == NOW


@pytest.mark.parametrize("step", ["order_to_find", "looks_up"])
async def test_a_message_that_is_too_expensive_to_search_has_no_known_order(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(order_search, step, lambda *_: endless_search())
    async with open_client() as http:
        connectors = ConnectorRegistry(FernetSealer(new_seal_key()), http, allow_loopback=False)
        search = order_search.OrderSearch(database, connectors)
        found = (await search.find(shop.tenant, an_event(), Thread())).lookup

    assert (found.state, found.number) == (LookupState.UNAVAILABLE, None)


class _Silent:
    """Connectors whose shops do not answer. `asked`: the number of calls in progress."""

    def __init__(self) -> None:
        self.asked = 0
        self.full = asyncio.Event()

    def shop(self, integration: Integration) -> ConnectedShop:  # noqa: ARG002
        return self  # type: ignore[return-value]

    def helpdesk(self, integration: Integration) -> Helpdesk:
        raise AssertionError(integration.provider)

    def notices(self, integration: Integration) -> NoticeBoard:
        raise AssertionError(integration.provider)

    async def find_order(self, number: str | None, email: str | None) -> None:  # noqa: ARG002
        self.asked += 1
        if self.asked == order_search.AT_ONCE:
            self.full.set()
        await asyncio.Event().wait()


async def _connect(database: Database, shop: Shop) -> None:
    integration = Integration(id=new_ulid(), provider=Provider.STRIPE, settings={}, sealed=b"")
    async with database.tenant(shop.tenant) as connection:
        known = IntegrationRepository(connection, shop.tenant)
        await known.connect(integration, NOW, new_ulid)


async def test_a_client_with_silent_shops_has_few_calls_in_progress(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Earlier, one client's shops could occupy every activity slot of the worker."""
    other = await open_shop(database)
    for one in (shop, other):
        await _connect(database, one)
    silent = _Silent()
    search = order_search.OrderSearch(database, silent)

    async def find(of: Shop) -> LookupState:
        return (await search.find(of.tenant, an_event(), Thread())).lookup.state

    hanging = [asyncio.ensure_future(find(shop)) for _ in range(order_search.AT_ONCE)]
    await silent.full.wait()
    assert await find(shop) is LookupState.UNAVAILABLE
    assert silent.asked == order_search.AT_ONCE
    assert not any(one.done() for one in hanging)

    monkeypatch.setattr(order_search, "_PATIENCE_S", 0.01)
    assert await find(other) is LookupState.UNAVAILABLE
    assert silent.asked == order_search.AT_ONCE + 1
    for task in hanging:
        task.cancel()
    await asyncio.gather(*hanging, return_exceptions=True)
    assert await find(shop) is LookupState.UNAVAILABLE
    assert silent.asked == order_search.AT_ONCE + 2
