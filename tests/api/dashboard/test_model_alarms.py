"""An unusable language model is a problem on Home, and one email to the owner."""

from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy

import pytest
from temporalio.testing import ActivityEnvironment

from activities.agent.model_alarm_notices import ModelAlarmNotices
from adapters.system import new_ulid
from domain.agent.model_fault import ALARMING, ModelFault
from domain.core.ports import Mailer
from domain.core.service_name import ServiceName
from domain.tenants.client import Role
from services.core.unit_of_work import UnitsOfWork
from store.agent.model_alarms import MAIL_INTERVAL, ModelAlarms
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.units import Recorder
from tests.support.dashboard.visitors import at_pages
from tests.support.integrations.mailers import mailer_to, service_mails
from tests.support.servers.mail import MailServer
from tests.support.tenants.account import new_member
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.own_database

START = datetime(2026, 11, 29, 12, tzinfo=UTC)
KEY_REJECTED = "rejects the API key"


async def sweep(front: LiveEngine, mailer: Mailer, at: datetime) -> None:
    notices = ModelAlarmNotices(
        UnitsOfWork(front.database, Recorder(), lambda: at, new_ulid),
        service_mails(front.database, mailer),
        dashboard_url="https://x.example/app",
        service=ServiceName(),
    )
    await ActivityEnvironment().run(notices.send)


async def start(front: LiveEngine, shop: Shop, fault: ModelFault, at: datetime) -> None:
    async with front.database.tenant(shop.tenant) as connection:
        await ModelAlarms(connection, shop.tenant).start(fault, at)


async def end(front: LiveEngine, shop: Shop, at: datetime) -> None:
    async with front.database.tenant(shop.tenant) as connection:
        await ModelAlarms(connection, shop.tenant).end(ALARMING, at)


async def test_the_owner_gets_one_email_for_each_problem(
    front: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    await new_member(front, shop, Role.ADMIN)
    mailer = mailer_to(mail.url)
    for fault in (ModelFault.UNAUTHORIZED, ModelFault.UNAUTHORIZED, ModelFault.BUDGET):
        await start(front, shop, fault, START)

    await sweep(front, mailer_to("smtp://127.0.0.1:1"), START)
    assert mail.mails == []
    for _ in range(2):
        await sweep(front, mailer, START)

    assert len(mail.mails) == 2
    texts = [
        plain_text(message_from_bytes(one.as_bytes(), policy=policy.default)) for one in mail.mails
    ]
    assert [KEY_REJECTED in text for text in sorted(texts, key=len)] == [False, True]
    assert all("Bonjour" in text and "Hello" in text for text in texts)


async def test_a_problem_that_returns_is_not_mailed_again_at_once(
    front: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    mailer, later = mailer_to(mail.url), START + timedelta(minutes=5)
    await start(front, shop, ModelFault.UNAUTHORIZED, START)
    await sweep(front, mailer, START)
    await end(front, shop, later)
    await start(front, shop, ModelFault.UNAUTHORIZED, later)

    await sweep(front, mailer, later)
    assert len(mail.mails) == 1
    await sweep(front, mailer, START + MAIL_INTERVAL + timedelta(minutes=1))
    assert len(mail.mails) == 2


@pytest.mark.parametrize("language", ["en", "fr"])
async def test_home_shows_the_problem_until_a_call_works(
    front: LiveEngine, shop: Shop, language: str
) -> None:
    async with at_pages(front, shop, Role.AGENT, language=language) as visitor:
        for fault in ALARMING:
            await start(front, shop, fault, START)
        page = await visitor.see("/app")
        assert page.count("/app/inbox?reason=model_unavailable") == 2 * len(ALARMING)

        await end(front, shop, START)
        page = await visitor.see("/app")
        assert "/app/inbox?reason=model_unavailable" not in page
