"""Strangers cause rejections of a shop's emails with forged addresses: its other emails are
sent."""

from adapters.system import new_ulid
from tests.support.core.engine import LiveEngine
from tests.support.core.waiting import eventually
from tests.support.identity.sign_in import calling_from, mail_to, new_address
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, Shop, with_sender
from tests.support.widget.page import page_of

REFUSAL = "550 no such user"
FORGED = 6


async def answered(engine: LiveEngine, shop: Shop, email: str, *, proved: bool = False) -> str:
    answer = await engine.post(
        shop,
        event_type="email.inbound",
        customer_email=email,
        customer_verified=proved,
        message=ORDER_QUESTION,
        headers={"Message-ID": f"<{new_ulid()}@free.example>"},
    )
    return str(answer.json()["status"])


async def ask_for_codes(engine: LiveEngine, shop: Shop, emails: list[str], network: int) -> None:
    page = await page_of(engine, shop)
    for email in emails:
        async with calling_from(engine, f"198.51.100.{network}") as http:
            asked = {"session_id": await page.fresh_token(), "customer_email": email}
            answer = await http.post(
                "/api/widget/email", params=page.params, headers=page.headers, json=asked
            )
        assert answer.status_code == 202, answer.text


async def test_refused_answers_to_forged_mails_stop_no_mail_of_the_shop(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    await with_sender(engine.database, shop)
    mail.recipient_reply = REFUSAL
    forged = [await answered(engine, shop, new_address()) for _ in range(FORGED)]
    assert (forged, mail.refused) == (["failed"] * FORGED, FORGED)
    mail.recipient_reply = "250 ok"

    proved, claimed, visitor = (new_address() for _ in range(3))
    assert await answered(engine, shop, proved, proved=True) == "completed"
    assert await answered(engine, shop, claimed) == "completed"
    await ask_for_codes(engine, shop, [visitor], network=9)
    for address in (proved, claimed, visitor):
        await mail_to(mail, address)


async def test_refused_codes_by_the_shops_sender_stop_no_mail_of_the_shop(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """Attack: a stranger requests widget codes for addresses that the server rejects."""
    await with_sender(engine.database, shop)
    mail.recipient_reply = REFUSAL
    await ask_for_codes(engine, shop, [new_address() for _ in range(FORGED)], network=10)

    async def refused() -> bool:
        return mail.refused == FORGED

    await eventually(refused)
    mail.recipient_reply = "250 ok"

    customer, visitor = new_address(), new_address()
    assert await answered(engine, shop, customer) == "completed"
    await ask_for_codes(engine, shop, [visitor], network=11)
    for address in (customer, visitor):
        await mail_to(mail, address)
