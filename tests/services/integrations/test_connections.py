"""The use cases for integrations: the same for members, operators and the demo."""

import pytest
import structlog

from adapters.system import new_ulid
from domain.integrations.errors import IntegrationNotFound, InvalidIntegration
from domain.integrations.integration import IntegrationEntry
from domain.integrations.providers import Provider
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.core.unit_of_work import UnitOfWork
from services.integrations.connections import connect_integration, disconnect_integration
from store.core.database import Database
from store.integrations.tables import integrations
from tests.support.core.rows import rows
from tests.support.core.units import Recorder, units_on
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhooks import SEALER, subscribe

OPERATOR = Actor.operator("operator:test")
SYSTEM = Actor.system("demo")


async def connect_file(work: UnitOfWork, actor: Actor) -> IntegrationEntry:
    path = {"path": "/orders.json"}
    return await connect_integration(work, actor, Provider.DEMO_SHOP, path, {}, sealer=SEALER)


@pytest.mark.parametrize("actor", [OPERATOR, SYSTEM])
async def test_who_works_on_this_machine_may_connect_its_files(
    database: Database, shop: Shop, actor: Actor
) -> None:
    async with units_on(database).of(shop.tenant) as work:
        made = await connect_file(work, actor)
    assert made.settings == {"path": "/orders.json"}


@pytest.mark.parametrize("role", [Role.OWNER, None])
async def test_who_works_elsewhere_may_not(
    database: Database, shop: Shop, role: Role | None
) -> None:
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(InvalidIntegration):
            await connect_file(work, Actor.person(new_ulid(), role))


async def test_who_may_not(database: Database, shop: Shop) -> None:
    """No route reaches this point; a use case checks every caller."""
    for actor in (Actor.person(new_ulid(), Role.AGENT), Actor.key(shop.key_id)):
        async with units_on(database).of(shop.tenant) as work:
            for use_case in (
                connect_file(work, actor),
                disconnect_integration(work, actor, new_ulid()),
            ):
                with pytest.raises(RoleRequired):
                    await use_case
    assert await rows(database, integrations, of=shop) == []


async def test_told_after_the_commit_and_in_the_log(database: Database, shop: Shop) -> None:
    """Earlier, an operator's change was not logged."""
    await subscribe(database, shop)
    engine = Recorder()
    with structlog.testing.capture_logs() as lines:
        async with units_on(database, engine).of(shop.tenant) as work:
            made = await connect_file(work, OPERATOR)
            await disconnect_integration(work, OPERATOR, made.id)
            await disconnect_integration(work, OPERATOR, made.id)
            assert engine.sent == []
    assert len(engine.sent) == 2, "its end is told once"
    assert [line["event"] for line in lines] == [
        "integration connected", "integration disconnected", "integration disconnected",
    ]  # fmt: skip
    assert {line["user_id"] for line in lines} == {"operator:test"}


async def test_one_that_is_not_there(database: Database, shop: Shop) -> None:
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(IntegrationNotFound):
            await disconnect_integration(work, OPERATOR, new_ulid())
