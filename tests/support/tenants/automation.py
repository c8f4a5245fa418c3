"""Stopping all automation, by members and operators."""

from collections.abc import Awaitable, Callable

from temporalio import activity

from activities.runs.execute import Execute
from domain.core import names
from domain.runs.contracts import ExecuteInput, ExecuteResult
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.tenants.automation import (
    resume_automation,
    resume_installation,
    stop_automation,
    stop_installation,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop

OPERATOR = Actor.operator("operator:tester")


def owner_of(shop: Shop) -> Actor:
    return Actor.person(shop.owner_user_id, Role.OWNER)


async def stop(engine: LiveEngine, shop: Shop) -> None:
    async with units_on(engine.database).of(shop.tenant) as work:
        await stop_automation(work, owner_of(shop))


async def resume(engine: LiveEngine, shop: Shop) -> None:
    async with units_on(engine.database).of(shop.tenant) as work:
        await resume_automation(work, owner_of(shop))


async def stop_all(engine: LiveEngine) -> None:
    async with units_on(engine.database).everywhere() as work:
        await stop_installation(work, OPERATOR)


async def resume_all(engine: LiveEngine) -> None:
    async with units_on(engine.database).everywhere() as work:
        await resume_installation(work, OPERATOR)


class StoppingExecute(Execute):
    """An executor that stops all automation after the plan is executed."""

    def __init__(self, real: Execute, throw: Callable[[], Awaitable[None]]) -> None:
        self.__dict__.update(real.__dict__)
        self._throw = throw

    @activity.defn(name=names.EXECUTE)
    async def execute(self, order: ExecuteInput) -> ExecuteResult:
        done = await super().execute(order)
        await self._throw()
        return done
