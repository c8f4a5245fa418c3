"""The use cases for business hours: permissions, the stored form, and the audit log."""

from datetime import date

import pytest
import structlog

from domain.tenants.actor import Actor
from domain.tenants.business_hours import BusinessHours, Weekday, parse_day
from domain.tenants.client import Role
from domain.tenants.errors import InvalidSettings, RoleRequired
from services.tenants.business_hours import (
    NO_TARGET,
    adjust_business_hours,
    read_business_hours,
    set_business_hours,
)
from store.core.database import Database
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop

ADMIN = Actor.person("sub|1", Role.ADMIN)
AGENT = Actor.person("sub|2", Role.AGENT)
HOURS = BusinessHours(
    time_zone="Europe/Paris",
    week={Weekday.MONDAY: parse_day("09:00-12:00, 14:00-18:00")},
    holidays=(date(2026, 12, 25),),
    target_minutes=60,
)


async def read(database: Database, shop: Shop) -> BusinessHours:
    async with database.reading(shop.tenant) as connection:
        return await read_business_hours(connection, shop.tenant, AGENT)


async def test_the_hours_are_stored_and_audited(database: Database, shop: Shop) -> None:
    assert await read(database, shop) == BusinessHours()
    with structlog.testing.capture_logs() as lines:
        for _ in range(2):
            async with units_on(database).of(shop.tenant) as work:
                assert await set_business_hours(work, ADMIN, HOURS) == HOURS

    assert await read(database, shop) == HOURS
    assert [(line["event"], line["fields"]) for line in lines] == [
        ("business hours changed", "holidays target_minutes week")
    ]


async def test_an_adjustment_leaves_the_other_parts(database: Database, shop: Shop) -> None:
    async with units_on(database).of(shop.tenant) as work:
        await set_business_hours(work, ADMIN, HOURS)
        tuesday = {Weekday.TUESDAY: parse_day("10:00-11:00")}
        changed = await adjust_business_hours(work, ADMIN, days=tuesday)
        assert changed == HOURS.model_copy(update={"week": {**HOURS.week, **tuesday}})
        closed = await adjust_business_hours(
            work, ADMIN, days={Weekday.TUESDAY: ()}, target_minutes=NO_TARGET, holidays=()
        )
    assert closed == HOURS.model_copy(update={"target_minutes": None, "holidays": ()})
    assert await read(database, shop) == closed


async def test_only_managers_change_the_hours(database: Database, shop: Shop) -> None:
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(RoleRequired):
            await set_business_hours(work, AGENT, HOURS)
        with pytest.raises(RoleRequired):
            await adjust_business_hours(work, AGENT, target_minutes=5)
        with pytest.raises(InvalidSettings):
            await adjust_business_hours(work, ADMIN, time_zone="Mars/Base")
    assert await read(database, shop) == BusinessHours()
