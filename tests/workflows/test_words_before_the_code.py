"""Text in a ticket before its code may be another person's: the code executes none of it."""

from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel
from domain.identity.mailed_code import PROOF_LASTS
from store.identity.tables import address_codes
from tests.support.agent.acting import ScriptedBrain, acting_shop, order, rules, think_by
from tests.support.core.engine import LiveEngine
from tests.support.identity.sign_in import code_in, mail_to
from tests.support.inbound.claimed_tickets import claimed_ticket
from tests.support.integrations.desks import CUSTOMER, DESKS, desk_of
from tests.support.servers.mail import MailServer

# A mailbox receives few codes a day, and this one also receives those of other test files.
pytestmark = pytest.mark.own_database

WISH = "Je voudrais être remboursée de ma commande n° 2001."


@pytest.mark.parametrize("name", DESKS)
async def test_a_code_never_carries_out_a_request_of_before(
    acting: LiveEngine, tmp_path: Path, mail: MailServer, name: str
) -> None:
    """Even if the playbook permits automatic refunds: the attacker asks, the victim enters the
    code, and no money moves before the victim's own yes."""
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    it = await acting_shop(
        acting, tmp_path, [order("2001", email=CUSTOMER)], rules(ActionLevel.AUTONOMOUS)
    )
    with desk_of(name) as desk:
        ticket = await claimed_ticket(acting, it.shop, desk)
        async with acting.working():
            await ticket.says(WISH, CUSTOMER)
            question = await ticket.says(code_in(await mail_to(mail, CUSTOMER)), CUSTOMER)
            after_code = it.refunded
            await ticket.says("Oui", "other@example.com", author="lead-2")
            after_stranger = it.refunded
            await ticket.says("Oui", CUSTOMER)

    assert (after_code, after_stranger, it.refunded) == (0, 0, 4_900)
    assert "2001" in question["response"]
    assert "49,00 EUR" in question["response"]


async def test_a_yes_of_before_confirms_nothing(
    acting: LiveEngine, tmp_path: Path, mail: MailServer
) -> None:
    """A stranger types "Oui" after the verification has expired, while the question is still
    open."""
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    it = await acting_shop(
        acting, tmp_path, [order("2001", email=CUSTOMER)], rules(ActionLevel.CUSTOMER_CONFIRMED)
    )
    with desk_of("zendesk") as desk:
        ticket = await claimed_ticket(acting, it.shop, desk)
        async with acting.working():
            await ticket.says(WISH, CUSTOMER)
            await ticket.says(code_in(await mail_to(mail, CUSTOMER)), CUSTOMER)
            async with acting.database.tenant(it.shop.tenant) as connection:
                await connection.execute(
                    sa.update(address_codes).values(
                        created_at=address_codes.c.created_at - timedelta(hours=2),
                        proved_at=address_codes.c.proved_at - PROOF_LASTS,
                    )
                )
            await ticket.says("Oui, remboursez ma commande n° 2001.", CUSTOMER)
            await ticket.says(code_in(await mail_to(mail, CUSTOMER, number=2)), CUSTOMER)
            after_code = it.refunded
            await ticket.says("Oui", CUSTOMER)

    assert (after_code, it.refunded) == (0, 4_900)
