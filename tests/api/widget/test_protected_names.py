"""A shop named like a carrier: its name appears only in emails from its own domain."""

import pytest

from domain.integrations.errors import MailNameProtected
from domain.integrations.mail_allowance import MailGroup
from tests.support.core.engine import LiveEngine
from tests.support.identity.sign_in import code_in, mail_to, new_address
from tests.support.integrations.mailers import MAIL, client_mail, mailer_to
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop, with_sender
from tests.support.widget.page import page_of

NAMES = ("DHL Express Support", "D\u0397L Express", "PayPa1 Service", "L a  P o s t e")
"""With a Greek letter, a digit, and spaces."""


@pytest.mark.parametrize("name", NAMES)
async def test_a_carriers_name_is_in_no_mail_by_the_services_sender(
    engine: LiveEngine, shop: Shop, mail: MailServer, name: str
) -> None:
    """Not even for a person who verified their address in the shop's widget."""
    page, visitor = await page_of(engine, shop), new_address()
    asked = {"session_id": await page.fresh_token(), "customer_email": visitor}
    where = {"params": page.params, "headers": page.headers}
    await engine.http.post("/api/widget/email", json=asked, **where)  # type: ignore[arg-type]
    code = code_in(await mail_to(mail, visitor))
    typed = {"session_id": asked["session_id"], "code": code}
    done = await engine.http.post("/api/widget/verify", json=typed, **where)  # type: ignore[arg-type]
    assert done.status_code == 200, done.text
    mails = client_mail(engine.database, mailer_to(mail.url))
    written = MAIL.model_copy(update={"to": visitor, "from_name": name})

    with pytest.raises(MailNameProtected):
        await mails.send(shop.tenant, written, MailGroup.ANSWERS, answer_of="x")

    honest = written.model_copy(update={"from_name": "Maison Lin"})
    await mails.send(shop.tenant, honest, MailGroup.ANSWERS, answer_of="x")
    shown = [str(one["From"]) for one in mail.mails if str(one["To"]) == visitor]
    assert [one.partition(" <")[0] for one in shown[1:]] == ["Maison Lin"]


@pytest.mark.parametrize("name", NAMES)
async def test_the_domain_is_shown_in_its_place_by_a_sender_of_the_shop(
    engine: LiveEngine, shop: Shop, mail: MailServer, name: str
) -> None:
    await with_sender(engine.database, shop)
    mails, to = client_mail(engine.database, mailer_to(mail.url)), new_address()
    written = MAIL.model_copy(update={"to": to, "from_name": name})

    await mails.send(shop.tenant, written, MailGroup.ANSWERS)

    sent = await mail_to(mail, to)
    assert str(sent["From"]) == '"shop.example" <contact@shop.example>'
