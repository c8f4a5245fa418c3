"""A client's chosen brand name appears in its emails."""

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.tenants.client_settings import Branding, SettingsChange
from store.tenants.client_settings import SettingsRepository
from store.tenants.tables import client_settings
from tests.support.core.engine import LiveEngine
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, Shop


async def sender(engine: LiveEngine, shop: Shop, mail: MailServer) -> str:
    """Return the sender of the email that answers a new customer's message."""
    customer = f"{new_ulid().lower()}@b.example"
    answer = await engine.post(
        shop, event_type="email.inbound", customer_email=customer, message=ORDER_QUESTION
    )
    assert answer.json()["status"] == "completed"
    assert set(mail.mails[-1].keys()).isdisjoint({"Bcc", "Cc"})
    (address,) = mail.mails[-1]["From"].addresses
    return str(address.display_name)


async def test_from(engine: LiveEngine, shop: Shop, mail: MailServer) -> None:
    assert await sender(engine, shop, mail) == "Boutique"

    async with engine.database.tenant(shop.tenant) as connection:
        await SettingsRepository(connection, shop.tenant).change(
            SettingsChange(branding=Branding(display_name='Été & Fils, "la boutique"')), utc_now()
        )
    assert await sender(engine, shop, mail) == 'Été & Fils, "la boutique"'

    async with engine.database.tenant(shop.tenant) as connection:
        await SettingsRepository(connection, shop.tenant).change(
            SettingsChange(branding=Branding()), utc_now()
        )
    assert await sender(engine, shop, mail) == "Boutique"


@pytest.mark.parametrize(
    ("stored", "shown"),
    [("Shop\r\nBcc: eve@evil.example", "Shop Bcc: eve@evil.example"), (" \n ", "Boutique")],
)
async def test_what_no_check_has_seen_adds_no_header(
    engine: LiveEngine, shop: Shop, mail: MailServer, stored: str, shown: str
) -> None:
    """The name is also sanitized on use, regardless of its source."""
    async with engine.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.insert(client_settings).values(
                client_id=shop.client_id, branding={"display_name": stored}, updated_at=utc_now()
            )
        )
    assert await sender(engine, shop, mail) == shown
