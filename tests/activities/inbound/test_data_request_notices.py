"""The owner is notified once of a customer's data request, in an email that names nobody."""

import pytest
from temporalio.testing import ActivityEnvironment

from activities.inbound.data_request_notices import DataRequestNotices
from adapters.system import utc_now
from domain.core.service_name import ServiceName
from domain.integrations.errors import MailUnreachable
from store.core.database import Database
from store.inbound.data_requests import DataRequestRepository
from tests.support.inbound.data_requests import data_requested
from tests.support.integrations.mailers import mailer_to, service_mails
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.own_database


async def test_the_owner_is_told_once(database: Database, shop: Shop, mail: MailServer) -> None:
    request_id = await data_requested(database, shop, "zita@canari.example")
    async with database.tenant(shop.tenant) as connection:
        requests = DataRequestRepository(connection, shop.tenant)
        answered = await data_requested(database, shop)
        await requests.fulfil(answered, by="u", now=utc_now())
    away = DataRequestNotices(
        database,
        service_mails(database, mailer_to("smtp://127.0.0.1:1")),
        utc_now,
        dashboard_url="https://x.example/app",
        service=ServiceName("Maison Aide"),
    )
    with pytest.raises(MailUnreachable):
        await ActivityEnvironment().run(away.tell)
    activity = DataRequestNotices(
        database,
        service_mails(database, mailer_to(mail.url)),
        utc_now,
        dashboard_url="https://x.example/app",
        service=ServiceName("Maison Aide"),
    )
    for _ in range(2):
        await ActivityEnvironment().run(activity.tell)

    (told,) = mail.mails
    assert told["From"].startswith("Maison Aide ")
    text = told.as_string()
    assert request_id in text
    assert "canari" not in text
