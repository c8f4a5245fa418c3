"""Attack: an event for a victim's address whose fields contain an attacker's tracking link. The
shop's templates must not repeat the fields of an unverified caller."""

from pathlib import Path
from typing import Any, Final

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.rulebook import Rulebook
from domain.content.starter_templates import starter_templates
from store.content.content import ContentRepository
from store.content.tables import response_templates
from tests.support.agent.acting import CUSTOMER, Acting, acting_shop, order
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop, open_shop, with_sender
from tests.workflows.test_who_vouches import _mcp_key, _push

LINK: Final = "https://late-parcel.evil.example/pay"
STATUS: Final = "held at customs"
FIELDS: Final = {
    "tracking_url": LINK,
    "order_status": STATUS,
    "order_placed_on": "12 novembre",
    "order_total": "1 EUR",
    "order_items": "un colis",
}
QUESTIONS: Final = (
    "Bonjour, où est ma commande 2001 ? Avez-vous un lien de suivi ?",
    "Bonjour, quel est le suivi de ma commande 2001 ?",
    "Bonjour, où est ma commande ?",
)


async def _with_starters(engine: LiveEngine, shop: Shop) -> Shop:
    async with engine.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.delete(response_templates).where(response_templates.c.client_id == shop.client_id)
        )
        await ContentRepository(connection, shop.tenant).add_templates(
            starter_templates(new_ulid), utc_now()
        )
    return shop


async def _without_shop(engine: LiveEngine) -> Shop:
    shop = await _with_starters(engine, await open_shop(engine.database))
    await with_sender(engine.database, shop)
    return shop


async def _connected(engine: LiveEngine, folder: Path) -> Acting:
    it = await acting_shop(engine, folder, [order("2001", state="shipped")], Rulebook())
    await _with_starters(engine, it.shop)
    return it


def _words(answers: list[dict[str, Any]], mail: MailServer) -> str:
    told = [str(answer.get("response", "")) for answer in answers]
    return "\n".join((*told, *map(plain_text, mail.mails)))


@pytest.mark.own_database
@pytest.mark.parametrize("shop", ["none", "connected"])
async def test_an_unverified_callers_link_reaches_no_victim(
    acting: LiveEngine, mail: MailServer, tmp_path: Path, shop: str
) -> None:
    if shop == "connected":
        it = await _connected(acting, tmp_path)
    else:
        it = Acting(await _without_shop(acting), tmp_path)
    headers = await _mcp_key(acting, it)
    shapes: tuple[dict[str, str], ...] = (
        {"event_type": "email.inbound"},
        {"event_type": "zendesk.ticket.created", "ticket_id": "7"},
        {"event_type": "shopify.ticket.created"},
        {"event_type": "api_direct"},
    )
    async with acting.working():
        answers = [
            await _push(
                acting, it, headers, **shape, customer_email=CUSTOMER, message=text,
                order_number="2001", **FIELDS,
            )
            for shape in shapes
            for text in QUESTIONS[:2]
        ]  # fmt: skip
    said = _words(answers, mail)
    assert "evil.example" not in said
    assert STATUS not in said


@pytest.mark.own_database
async def test_a_forged_mails_link_reaches_no_victim(
    acting: LiveEngine, mail: MailServer, tmp_path: Path
) -> None:
    """The merchant's own system forwards the JSON of its mail provider. The mail is forged, and its
    headers are fields of the event."""
    it = await _connected(acting, tmp_path)
    async with acting.working():
        answers = [
            await _push(
                acting, it, it.shop.headers, event_type="mailgun.inbound", sender=CUSTOMER,
                recipient="contact@shop.example", subject="Commande", tracking_url=LINK,
                **{"from": f"Lea <{CUSTOMER}>", "body-plain": text, "stripped-text": text},
            )
            for text in QUESTIONS
        ]  # fmt: skip
    assert {answer["status"] for answer in answers} <= {"completed", "needs_review"}
    said = _words(answers, mail)
    assert "evil.example" not in said
    assert STATUS not in said


@pytest.mark.own_database
async def test_order_facts_come_from_the_connected_shop_alone(
    acting: LiveEngine, mail: MailServer, tmp_path: Path
) -> None:
    """Even the merchant's own system does not replace what the shop states, or does not state."""
    it = await _connected(acting, tmp_path)
    async with acting.working():
        answers = [
            await _push(
                acting, it, it.shop.headers, event_type="email.inbound", customer_email=CUSTOMER,
                customer_verified=True, message=text, order_number="2001", **FIELDS,
            )
            for text in QUESTIONS
        ]  # fmt: skip
    said = _words(answers, mail)
    assert "evil.example" not in said
    assert STATUS not in said


@pytest.mark.own_database
async def test_a_merchants_system_without_a_shop_states_its_orders_facts(
    acting: LiveEngine, mail: MailServer, tmp_path: Path
) -> None:
    it = Acting(await _without_shop(acting), tmp_path)
    async with acting.working():
        answers = [
            await _push(
                acting, it, it.shop.headers, event_type="email.inbound", customer_email=CUSTOMER,
                customer_verified=True, message=text, order_number="2001", **FIELDS,
            )
            for text in QUESTIONS
        ]  # fmt: skip
    assert LINK in _words(answers, mail)


@pytest.mark.own_database
@pytest.mark.parametrize("number", ["2001 - https://late-parcel.evil.example", "evil.example", "0"])
async def test_an_unverified_order_number_has_the_form_of_one(
    acting: LiveEngine, mail: MailServer, tmp_path: Path, number: str
) -> None:
    it = Acting(await _without_shop(acting), tmp_path)
    headers = await _mcp_key(acting, it)
    async with acting.working():
        answers = [
            await _push(
                acting, it, headers, event_type="email.inbound", customer_email=CUSTOMER,
                message=text, order_number=number,
            )
            for text in ("Bonjour, où est ma commande ?", "Je voudrais retourner ma commande.")
        ]  # fmt: skip
    assert "evil.example" not in _words(answers, mail)
