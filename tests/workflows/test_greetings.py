"""The customer's display name in an answer: a name is greeted, and a stranger's text is not."""

import pytest

from tests.support.content.content import TEMPLATES
from tests.support.core.engine import LiveEngine
from tests.support.servers.mail import MailServer
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import ORDER_QUESTION, Shop

GREETING = {
    "name": "Suivi",
    "category": "order_status",
    "intent": "track_order",
    "language": "fr",
    "body": "Bonjour {{ customer_name | à vous }}, votre commande est en route.",
}


async def _answered(engine: LiveEngine, shop: Shop, **event: object) -> str:
    owner = bearer(session_token(engine.settings, shop.owner_user_id))
    listed = await engine.http.get(TEMPLATES, headers=owner)
    for one in listed.json()["templates"]:
        await engine.http.delete(f"{TEMPLATES}/{one['id']}", headers=owner)
    made = await engine.http.post(TEMPLATES, json=GREETING, headers=owner)
    assert made.status_code == 201, made.text
    answer = await engine.post(shop, message=ORDER_QUESTION, **event)
    assert answer.json()["status"] == "completed", answer.text
    response: str = answer.json()["response"]
    return response


@pytest.mark.parametrize(
    "name",
    [
        "https://evil.example", "Claim 500 EUR now", "Your account is blocked",
        "Your Account Is Blocked", "YOUR ACCOUNT IS BLOCKED", "Votre Compte Est Bloqué",
    ],
)  # fmt: skip
async def test_a_strangers_text_is_not_greeted(engine: LiveEngine, shop: Shop, name: str) -> None:
    told = await _answered(engine, shop, customer_email="eve@example.com", customer_name=name)

    assert told == "Bonjour à vous, votre commande est en route."


async def test_nor_is_it_from_the_head_of_a_mail(engine: LiveEngine, shop: Shop) -> None:
    sender = '"Your Account Is Blocked" <eve@example.com>'
    told = await _answered(
        engine, shop, event_type="email.inbound", is_test=True, **{"from": sender}
    )

    assert told == "Bonjour à vous, votre commande est en route."


async def test_a_name_is_greeted(engine: LiveEngine, shop: Shop) -> None:
    told = await _answered(engine, shop, customer_email="l@b.example", customer_name="Léa Martin")

    assert told == "Bonjour Léa Martin, votre commande est en route."


@pytest.mark.parametrize(
    ("verified", "greeted", "subject"),
    [(False, "à vous", "Re: Votre message"), (True, "Léa Martin", "Re: Ma commande")],
)
async def test_no_word_of_an_unproved_mail_is_in_its_answer(
    engine: LiveEngine, shop: Shop, mail: MailServer, verified: bool, greeted: str, subject: str
) -> None:
    """Attack: a stranger chooses the name and subject, and the answer goes to the forged From
    address."""
    told = await _answered(
        engine,
        shop,
        event_type="email.inbound",
        subject="Ma commande",
        customer_verified=verified,
        **{"from": "Léa Martin <victim@example.com>"},
    )

    assert told == f"Bonjour {greeted}, votre commande est en route."
    (sent,) = mail.mails
    assert (sent["To"], sent["Subject"]) == ("victim@example.com", subject)
