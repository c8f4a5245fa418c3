"""Mails that the service sends in its own name, and what their refusals count for."""

import pytest
from temporalio.testing import ActivityEnvironment

from adapters.system import utc_now
from domain.integrations.service_mail import ServiceMail
from store.core.database import Database
from store.integrations.mail_counts import MailCountRepository
from tests.support.integrations.mailers import MAIL, mailer_to, service_mails
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop


async def _refused(database: Database, mail: MailServer, shop: Shop, kind: ServiceMail) -> int:
    """Send five mails of the kind to addresses that the server refuses, and return how many of
    these refusals count for the client."""
    mail.recipient_reply = "550 no such user"
    mails = service_mails(database, mailer_to(mail.url))
    for number in range(5):
        to = f"nobody-{number}@dead.example"
        sent = MAIL.model_copy(update={"name": f"code.{number}", "to": to})
        await ActivityEnvironment().run(mails.send_once, kind, sent, shop.tenant)
    assert mail.refused == 5
    async with database.service() as connection:
        standing = await MailCountRepository(connection).standing(shop.tenant, utc_now())
    return standing.refused


@pytest.mark.parametrize("kind", [ServiceMail.VISITOR_CODE, ServiceMail.TICKET_CODE])
async def test_refused_codes_do_not_end_a_clients_mail(
    database: Database, mail: MailServer, shop: Shop, kind: ServiceMail
) -> None:
    """The attack: a stranger asks for codes at addresses that the relay refuses."""
    assert await _refused(database, mail, shop, kind) == 0


async def test_refused_invitations_count_for_the_client(
    database: Database, mail: MailServer, shop: Shop
) -> None:
    assert await _refused(database, mail, shop, ServiceMail.INVITATION) == 5
