"""After a rollback: a later version's connection suspends only its client's runs."""

import asyncio

import sqlalchemy as sa
from temporalio.service import RPCError

from domain.agent.brain import Category
from domain.integrations.errors import UnknownProvider
from domain.integrations.providers import Provider
from domain.tenants.actor import Actor
from services.integrations.connections import disconnect_integration
from store.integrations.tables import integrations
from store.runs.tables import engine_runs
from tests.support.agent.acting import ScriptedBrain, connect, think_by
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.core.units import units_on
from tests.support.core.waiting import eventually
from tests.support.tenants.shop import open_shop


async def test_a_run_waits_until_the_connection_is_known_or_ended(idle_engine: LiveEngine) -> None:
    shop = await open_shop(idle_engine.database)
    unknown = await connect(idle_engine, shop, Provider.ZENDESK, {}, "{}")
    async with idle_engine.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(integrations).where(integrations.c.id == unknown).values(provider="woo")
        )
    think_by(idle_engine, ScriptedBrain(category=Category.OTHER, text="Bonjour, et merci."))

    async def waits() -> bool:
        for run in await rows(idle_engine.database, engine_runs):
            try:
                seen = await idle_engine.run_of(shop, str(run["event_id"])).describe()
            except RPCError:
                continue  # the row exists before its workflow
            for activity in seen.raw_description.pending_activities:
                info = activity.last_failure.application_failure_info
                if info.type == UnknownProvider.code:
                    return True
        return False

    async with idle_engine.working():
        asking = asyncio.create_task(
            idle_engine.post(shop, event_type="widget", message="Bonjour !")
        )
        await eventually(waits)
        async with units_on(idle_engine.database).of(shop.tenant) as work:
            await disconnect_integration(work, Actor.operator("operator:test"), unknown)
        answer = (await asking).json()

    assert answer["status"] == "completed"
