"""Bounces and complaints reported by the operator's relay."""

import pytest

from adapters.system import utc_now
from domain.integrations.mail_allowance import FREE_PER_DAY, MailGroup, mails_per_day
from domain.tenants.actor import Actor
from domain.tenants.client import Plan, Role
from domain.tenants.errors import ClientNotFound, RoleRequired
from services.integrations.reported_mails import report_mails
from store.core.database import Database
from store.integrations.mail_counts import MailCountRepository
from tests.support.core.units import units_on
from tests.support.intake.admission import on_plan
from tests.support.integrations.senders import OPERATOR
from tests.support.tenants.shop import Shop


async def allowances(database: Database, shop: Shop) -> dict[MailGroup, int]:
    now = utc_now()
    async with database.service() as connection:
        counts = MailCountRepository(connection)
        return {
            group: mails_per_day(await counts.standing(shop.tenant, group, now), now)
            for group in MailGroup
        }


async def test_reports_shrink_the_allowance(database: Database, shop: Shop) -> None:
    await on_plan(database, shop, Plan.FREE)
    for _ in range(2):
        async with units_on(database).spanning(shop.tenant) as work:
            await report_mails(work, OPERATOR, MailGroup.MEMBERS, 3)
    async with units_on(database).spanning(shop.tenant) as work:
        await report_mails(work, OPERATOR, MailGroup.CLAIMS, 5)

    assert await allowances(database, shop) == {
        MailGroup.MEMBERS: 0,
        MailGroup.ANSWERS: FREE_PER_DAY,
        MailGroup.CLAIMS: 0,
    }


async def test_a_client_reports_nothing(database: Database, shop: Shop) -> None:
    async with units_on(database).spanning(shop.tenant) as work:
        with pytest.raises(RoleRequired):
            await report_mails(work, Actor.person("user", Role.OWNER), MailGroup.ANSWERS, 1)


async def test_nobody_is_reported_who_is_gone(database: Database, shop: Shop) -> None:
    async with units_on(database).spanning(type(shop.tenant)("gone")) as work:
        with pytest.raises(ClientNotFound):
            await report_mails(work, OPERATOR, MailGroup.ANSWERS, 1)
