"""Emails in a client's name: the delivery result is recorded, without changing the outcome."""

import pytest

from domain.core.errors import EngineUnavailable
from domain.core.ports import MailSender
from domain.integrations.errors import MailRefused
from store.core.database import Database
from tests.support.identity.sign_in import new_address
from tests.support.integrations.mailers import ADDRESS, MAIL, client_mail, mailer_to
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop


async def test_a_database_that_is_away_changes_nothing_about_a_mail(
    database: Database, shop: Shop, mail: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The email was sent. An unknown outcome would cause a human check or a second email."""
    by_client = client_mail(database, mailer_to(mail.url))
    written = MAIL.model_copy(update={"to": new_address()})
    sender = MailSender(client_id=shop.tenant, address=ADDRESS)

    def away(*_: object) -> None:
        raise EngineUnavailable("away")

    monkeypatch.setattr(database, "tenant", away)
    assert await by_client.send_by(sender, written) == "<reply.1@shop.example>"
    mail.recipient_reply = "550 no"
    with pytest.raises(MailRefused):
        await by_client.send_by(sender, written)
    assert [one["To"] for one in mail.mails].count(written.to) == 1
