"""Who mails a visitor's code: the service, whatever sender the client has."""

from tests.support.core.engine import LiveEngine
from tests.support.identity.sign_in import code_in, mail_to, new_address
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop, with_sender
from tests.support.widget.page import page_of


async def test_a_shops_own_sender_never_has_a_visitors_code(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """The attack: an admin's mail server reads the code of a customer, and the admin types it."""
    await with_sender(engine.database, shop)
    page, visitor = await page_of(engine, shop), new_address()
    asked = {"session_id": await page.fresh_token(), "customer_email": visitor}

    answer = await engine.http.post(
        "/api/widget/email", params=page.params, headers=page.headers, json=asked
    )

    assert answer.status_code == 202, answer.text
    sent = await mail_to(mail, visitor)
    assert code_in(sent)
    assert "contact@shop.example" not in str(sent["From"])
