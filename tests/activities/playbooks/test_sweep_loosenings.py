"""The sweep emails each manager once, and applies due changes."""

from datetime import datetime, timedelta

import pytest
from temporalio.testing import ActivityEnvironment

from activities.identity.left_keys import LeftKeyNotices
from activities.playbooks.sweep_loosenings import SweepLoosenings
from adapters.system import new_ulid, utc_now
from domain.core.ports import Mailer
from domain.core.service_name import ServiceName
from domain.runs.contracts import SweepInput
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import LooseningHeld
from services.core.unit_of_work import UnitsOfWork
from services.playbooks.playbooks import create_playbook
from services.playbooks.publish_gate import NEW_CLIENT
from store.core.database import Database
from store.playbooks.playbooks import PlaybookRepository
from store.tenants.tables import loosenings
from tests.support.core.rows import only_row
from tests.support.core.units import Recorder, units_on
from tests.support.integrations.mailers import mailer_to, service_mails
from tests.support.servers.mail import MailServer
from tests.support.tenants.joined import join
from tests.support.tenants.loosenings import refunding
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.own_database

DAY = timedelta(hours=24)


async def ask(database: Database, shop: Shop) -> None:
    """Create a second manager's request for a playbook with refunds."""
    admin = new_ulid()
    async with database.service() as connection:
        await join(connection, shop.client_id, admin, Role.ADMIN, email="admin@shop.test")
        await join(connection, shop.client_id, new_ulid(), Role.AGENT, email="agent@shop.test")
    spec = refunding(name="Secret name")
    with pytest.raises(LooseningHeld):
        async with units_on(database).of(shop.tenant) as work:
            await create_playbook(work, Actor.person(admin, Role.ADMIN), spec, NEW_CLIENT)


async def sweep(database: Database, mailer: Mailer, at: datetime) -> int:
    units = UnitsOfWork(database, Recorder(), lambda: at, new_ulid)
    activity = SweepLoosenings(
        units,
        service_mails(database, mailer),
        lambda: "",
        (
            LeftKeyNotices(
                units,
                service_mails(database, mailer),
                dashboard_url="https://x.example/app",
                service=ServiceName(),
            ).send,
        ),
        dashboard_url="https://x.example/app",
        service=ServiceName(),
    )
    done = await ActivityEnvironment().run(activity.sweep, SweepInput(older_than_s=0))
    return int(done.picked_up)


async def names(database: Database, shop: Shop) -> set[str]:
    async with database.reading(shop.tenant) as connection:
        found = await PlaybookRepository(connection, shop.tenant).all()
    return {entry.playbook.name for entry in found}


async def test_managers_are_told_once_and_nothing_of_the_client(
    database: Database, shop: Shop, mail: MailServer
) -> None:
    await ask(database, shop)
    now = utc_now()
    assert await sweep(database, mailer_to("smtp://127.0.0.1:1"), now) == 0
    assert mail.mails == []
    for _ in range(2):
        assert await sweep(database, mailer_to(mail.url), now) == 0

    owner = f"{shop.client_id.lower()}@example.com"
    assert sorted(one["To"] for one in mail.mails) == sorted([owner, "admin@shop.test"])
    assert all("/app/loosenings" in one.as_string() for one in mail.mails)
    assert not any("Secret name" in one.as_string() for one in mail.mails)
    assert await names(database, shop) == {"all"}


async def test_what_is_due_takes_effect_once(
    database: Database, shop: Shop, mail: MailServer
) -> None:
    await ask(database, shop)
    now, mailer = utc_now(), mailer_to(mail.url)

    assert await sweep(database, mailer, now + DAY - timedelta(minutes=1)) == 0
    assert await names(database, shop) == {"all"}
    assert await sweep(database, mailer, now + DAY + timedelta(minutes=1)) == 1
    assert await sweep(database, mailer, now + DAY + timedelta(minutes=2)) == 0

    assert await names(database, shop) == {"all", "Secret name"}
    assert (await only_row(database, loosenings))["state"] == "applied"
