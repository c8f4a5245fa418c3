"""Emails in the service's own name, and how their rejections are counted."""

from datetime import UTC, datetime, timedelta

import pytest
from temporalio.testing import ActivityEnvironment

from adapters.system import new_ulid, utc_now
from domain.integrations.mail_allowance import MailGroup
from domain.integrations.service_mail import LIMITS, ServiceMail
from store.core.database import Database
from store.integrations.mail_counts import MailCountRepository
from tests.support.integrations.mailers import MAIL, mailer_to, service_mails
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop


async def _refused(database: Database, mail: MailServer, shop: Shop, kind: ServiceMail) -> int:
    """Send five emails of a kind to addresses that the server rejects. Return how many rejections
    count for the client."""
    mail.recipient_reply = "550 no such user"
    mails = service_mails(database, mailer_to(mail.url))
    for number in range(5):
        to = f"nobody-{number}@dead.example"
        sent = MAIL.model_copy(update={"name": f"code.{number}", "to": to})
        await ActivityEnvironment().run(mails.send_once, kind, sent, shop.tenant)
    assert mail.refused == 5
    async with database.service() as connection:
        standing = await MailCountRepository(connection).standing(
            shop.tenant, MailGroup.MEMBERS, utc_now()
        )
    return standing.refused


@pytest.mark.parametrize("kind", [ServiceMail.VISITOR_CODE, ServiceMail.TICKET_CODE])
async def test_refused_codes_do_not_end_a_clients_mail(
    database: Database, mail: MailServer, shop: Shop, kind: ServiceMail
) -> None:
    """Attack: a stranger requests codes for addresses that the relay rejects."""
    assert await _refused(database, mail, shop, kind) == 0


async def test_refused_invitations_count_for_the_client(
    database: Database, mail: MailServer, shop: Shop
) -> None:
    assert await _refused(database, mail, shop, ServiceMail.INVITATION) == 5


@pytest.mark.parametrize("kind", [ServiceMail.VISITOR_CODE, ServiceMail.TICKET_CODE])
async def test_a_used_up_day_leaves_some_codes_an_hour(
    database: Database, mail: MailServer, shop: Shop, kind: ServiceMail
) -> None:
    """Attack: strangers use up a mailbox's daily codes, at any clients."""
    now = datetime(2026, 3, 4, 10, 5, tzinfo=UTC)
    to = f"{new_ulid().lower()}@free.example"

    async def send(number: int) -> bool:
        before = len(mail.mails)
        mails = service_mails(database, mailer_to(mail.url), lambda: now)
        sent = MAIL.model_copy(update={"name": f"code.{new_ulid()}.{number}", "to": to})
        await ActivityEnvironment().run(mails.send_once, kind, sent, shop.tenant)
        return len(mail.mails) > before

    limit = LIMITS[kind]
    assert all([await send(number) for number in range(limit.per_address)])
    assert [await send(number) for number in range(4)] == [True, True, False, False]
    now += timedelta(hours=1)
    assert [await send(number) for number in range(3)] == [True, True, False]
