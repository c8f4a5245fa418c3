"""Strangers request codes for a victim's address, and guess them, in their own tickets."""

from pathlib import Path

import pytest

from domain.agent.brain import Category
from domain.identity.mailed_code import LONG
from store.identity.tables import address_codes
from tests.support.agent.acting import ScriptedBrain, acting_shop, order, rules, think_by
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually
from tests.support.identity.sign_in import code_in, mail_to
from tests.support.inbound.claimed_tickets import claimed_ticket
from tests.support.integrations.desks import CUSTOMER, desk_of
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop

WHERE = "Bonjour, où en est ma commande n° 2001 ?"


async def _all_mailed(engine: LiveEngine, shop: Shop) -> bool:
    kept = await rows(engine.database, address_codes, of=shop)
    return all(row["sealed_code"] is None for row in kept)


async def _proved_by_last_code(
    engine: LiveEngine, folder: Path, mail: MailServer, *, tickets: int
) -> None:
    """Attack: strangers request codes in ticket after ticket, then guess. The victim enters their
    mailbox's latest code in their own ticket."""
    think_by(engine, ScriptedBrain(category=Category.ORDER_STATUS))
    it = await acting_shop(engine, folder, [order("2001", email=CUSTOMER)], rules())
    with desk_of("intercom") as desk:
        ticket = await claimed_ticket(engine, it.shop, desk)
        async with engine.working():
            for number in range(tickets):
                await ticket.says(WHERE, CUSTOMER, author=f"lead-{number}", ticket_id=f"9{number}")
            await mail_to(mail, CUSTOMER, number=tickets)
            await ticket.says("000 000", CUSTOMER, author="lead-1", ticket_id="91")
            asked = await ticket.says(WHERE, CUSTOMER, author="victim")
            await eventually(lambda: _all_mailed(engine, it.shop))
            code = code_in(mail.mails[-1])
            answered = await ticket.says(code, CUSTOMER, author="victim")

    assert "code" in asked["response"]
    assert answered["lookup"] is not None
    assert answered["lookup"]["order"]["number"] == "2001"


async def test_strangers_do_not_use_up_a_victims_codes(
    acting: LiveEngine, tmp_path: Path, mail: MailServer
) -> None:
    await _proved_by_last_code(acting, tmp_path, mail, tickets=5)


async def test_where_no_code_is_left_the_shared_one_is_good(
    acting: LiveEngine, tmp_path: Path, mail: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("CODES_A_DAY", "CODES_AT_MOST"):
        monkeypatch.setattr(f"domain.identity.mailed_code.{limit}", 3)

    await _proved_by_last_code(acting, tmp_path, mail, tickets=4)

    assert len(code_in(mail.mails[-1])) == LONG
    assert len([one for one in mail.mails if str(one["To"]) == CUSTOMER]) == 4
