"""The use cases for plans: effects of a change, and permissions."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from domain.core.period import period_of
from domain.tenants.actor import Actor
from domain.tenants.client import Plan, Role
from domain.tenants.errors import ClientNotFound, RoleRequired
from services.billing.plans import change_plan, give_trial
from services.webhooks.plan import subscriber
from store.billing.tables import usage_counters
from store.core.database import Database
from store.tenants.accounts import AccountRepository
from store.tenants.tables import clients
from tests.support.core.units import Recorder, units_on
from tests.support.tenants.shop import Shop
from tests.support.webhooks.told import only_told
from tests.support.webhooks.webhooks import subscribe

OPERATOR = Actor.operator("operator:test")


async def test_what_a_change_makes_reached_is_sent_after_the_commit(
    database: Database, shop: Shop
) -> None:
    await subscribe(database, shop)
    counter = {"client_id": shop.client_id, "period": period_of(utc_now()), "tickets_used": 4_000}
    async with database.service() as connection:
        await connection.execute(sa.insert(usage_counters).values(counter))
    engine = Recorder()

    async with units_on(database, engine).of(shop.tenant) as work:
        changed = await change_plan(work, OPERATOR, Plan.STARTER)
        assert engine.sent == []

    assert (changed.plan, changed.next_plan) == (Plan.PRO, Plan.STARTER)
    assert (await only_told(database, of=shop)).data["threshold"] == 80
    assert len(engine.sent) == 1


async def test_a_trial_is_given_and_ended(database: Database, shop: Shop) -> None:
    for days in (14, 0):
        async with units_on(database).of(shop.tenant) as work:
            ends_at = await give_trial(work, OPERATOR, days)
            kept = (await AccountRepository(work.connection, work.tenant).lock()).subscription
        assert ends_at == (work.now + timedelta(days=days) if days else None)
        assert kept.trial_ends_at == ends_at


async def test_no_client_changes_its_own_plan(database: Database, shop: Shop) -> None:
    for actor in (Actor.person(shop.owner_user_id, Role.OWNER), Actor.key(shop.key_id)):
        async with units_on(database).of(shop.tenant) as work:
            for use_case in (change_plan(work, actor, Plan.ENTERPRISE), give_trial(work, actor, 1)):
                with pytest.raises(RoleRequired):
                    await use_case


async def test_a_client_that_is_being_erased_has_no_plan(database: Database, shop: Shop) -> None:
    """The check before webhooks are changed once permitted it; the counters never did."""
    async with database.service() as connection:
        await connection.execute(
            sa.update(clients).where(clients.c.id == shop.client_id).values(closed_at=utc_now())
        )
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(ClientNotFound):
            await subscriber(work)
        with pytest.raises(ClientNotFound):
            await change_plan(work, OPERATOR, Plan.PRO)
