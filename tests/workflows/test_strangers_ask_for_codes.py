"""Strangers ask for the codes of a victim's address, and guess them, in tickets of their own."""

from pathlib import Path

from domain.agent.brain import Category
from tests.support.agent.acting import ScriptedBrain, acting_shop, order, rules, think_by
from tests.support.core.engine import LiveEngine
from tests.support.identity.sign_in import code_in
from tests.support.inbound.claimed_tickets import claimed_ticket
from tests.support.integrations.desks import CUSTOMER, desk_of
from tests.support.servers.mail import MailServer

WHERE = "Bonjour, où en est ma commande n° 2001 ?"


async def test_strangers_do_not_use_up_a_victims_codes(
    acting: LiveEngine, tmp_path: Path, mail: MailServer
) -> None:
    """The attack: leads ask in ticket after ticket, then guess. The victim is proved in a ticket of
    their own all the same, by the last code in their mailbox."""
    think_by(acting, ScriptedBrain(category=Category.ORDER_STATUS))
    it = await acting_shop(acting, tmp_path, [order("2001", email=CUSTOMER)], rules())
    with desk_of("intercom") as desk:
        ticket = await claimed_ticket(acting, it.shop, desk)
        async with acting.working():
            for number in range(12):
                await ticket.says(WHERE, CUSTOMER, author=f"lead-{number}", ticket_id=f"9{number}")
            await ticket.says("000 000", CUSTOMER, author="lead-1", ticket_id="91")
            asked = await ticket.says(WHERE, CUSTOMER, author="victim")
            code = code_in(mail.mails[-1])
            answered = await ticket.says(code, CUSTOMER, author="victim")

    assert "code" in asked["response"]
    assert answered["lookup"] is not None
    assert answered["lookup"]["order"]["number"] == "2001"
