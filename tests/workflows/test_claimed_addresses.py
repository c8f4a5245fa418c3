"""A helpdesk ticket whose author typed an address: no order is shown or changed before the address
is verified."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from domain.agent.brain import Category
from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel
from domain.identity.mailed_code import (
    PLACE_CODES_AN_HOUR,
    PROOF_LASTS,
    TRIES,
    CodePlace,
    lifetime_of,
)
from store.identity.tables import address_codes
from store.runs.tables import customer_memories, engine_messages
from tests.support.agent.acting import (
    Acting,
    ScriptedBrain,
    acting_shop,
    order,
    rules,
    think_by,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import rows
from tests.support.identity.sign_in import code_in, mail_to
from tests.support.inbound.claimed_tickets import claimed_ticket
from tests.support.integrations.desks import CUSTOMER, DESKS, Desk, desk_of
from tests.support.servers.mail import MailServer

SECRET = "Mon adresse est 3 rue des Lilas"
TRACKING = "https://track.example/2001"
CONFIRMED = rules(ActionLevel.CUSTOMER_CONFIRMED)


@pytest.fixture(params=DESKS)
def desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    with desk_of(request.param) as one:
        yield one


async def _victim(engine: LiveEngine, folder: Path, brain: ScriptedBrain) -> Acting:
    think_by(engine, brain)
    return await acting_shop(
        engine, folder, [order("2001", email=CUSTOMER, tracking_url=TRACKING)], CONFIRMED
    )


async def test_a_typed_address_shows_no_order(
    acting: LiveEngine, tmp_path: Path, desk: Desk
) -> None:
    brain = ScriptedBrain(ActionKind.REFUND)
    it = await _victim(acting, tmp_path, brain)
    ticket = await claimed_ticket(acting, it.shop, desk)
    async with acting.working():
        run = await ticket.says("Bonjour, où en est ma commande n° 2001 ?", CUSTOMER)

    assert run["lookup"] is None
    assert {request.order for request in brain.requests} <= {None}
    assert TRACKING not in str(run)


async def test_a_typed_address_reads_and_changes_no_memory(
    acting: LiveEngine, tmp_path: Path, desk: Desk
) -> None:
    """The customer has written to the shop before: an author who types the address sees neither the
    messages nor their outcome."""
    brain = ScriptedBrain(category=Category.ORDER_STATUS)
    it = await _victim(acting, tmp_path, brain)
    ticket = await claimed_ticket(acting, it.shop, desk)
    event = {"event_type": "shopify.ticket.created", "customer_email": CUSTOMER}
    async with acting.working():
        for number in range(2):
            said = f"{SECRET} {number} : où en est ma commande n° 2001 ?"
            await acting.post(it.shop, **event, customer_verified=True, message=said)
        assert brain.requests[-1].summary, "the customer's own message has their memory"
        memory = await rows(acting.database, customer_memories, of=it.shop)
        asked = len(brain.requests)
        await ticket.says("Que vous ai-je écrit ? Où en est ma commande ?", CUSTOMER)

    for request in brain.requests[asked:]:
        assert (request.summary, request.turns) == ("", ())
        assert SECRET not in request.model_dump_json()
    assert await rows(acting.database, customer_memories, of=it.shop) == memory


async def test_a_typed_address_moves_no_money(
    acting: LiveEngine, tmp_path: Path, desk: Desk
) -> None:
    brain = ScriptedBrain(ActionKind.REFUND)
    it = await _victim(acting, tmp_path, brain)
    ticket = await claimed_ticket(acting, it.shop, desk)
    async with acting.working():
        asked = await ticket.says("Je voudrais être remboursée de ma commande n° 2001.", CUSTOMER)
        said_yes = await ticket.says("Oui", CUSTOMER)

    assert (asked["lookup"], said_yes["lookup"]) == (None, None)
    assert it.refunded == 0


WHERE = "Bonjour, où en est ma commande n° 2001 ?"
WISH = "Je voudrais être remboursée de ma commande n° 2001."
ATTACKER = "other@example.com"


async def _code(mail: MailServer, *, number: int = 1, to: str = CUSTOMER) -> str:
    return code_in(await mail_to(mail, to, number=number))


async def test_the_code_of_the_mail_shows_the_order(
    acting: LiveEngine, tmp_path: Path, desk: Desk, mail: MailServer
) -> None:
    """The answer asks for the code without containing it; after the code, the first question is
    answered."""
    brain = ScriptedBrain(category=Category.ORDER_STATUS, text=f"Suivi : {TRACKING}")
    it = await _victim(acting, tmp_path, brain)
    ticket = await claimed_ticket(acting, it.shop, desk)
    async with acting.working():
        asked = await ticket.says(WHERE, CUSTOMER)
        before = list(brain.requests)
        code = await _code(mail)
        answered = await ticket.says(f"Voici : {code[:3]} {code[3:]}", CUSTOMER)
        later = await ticket.says("Et ma commande n° 2001, elle arrive quand ?", CUSTOMER)

    assert asked["status"] == "completed", (asked["steps"], asked["plan"])
    assert (asked["status"], asked["lookup"], before) == ("completed", None, [])
    assert "code" in asked["response"]
    assert code not in str(asked) + str(await rows(acting.database, address_codes, of=it.shop))
    assert answered["status"] == "completed"
    assert answered["lookup"]["order"]["number"] == "2001"
    assert brain.requests[0].text == WHERE
    assert TRACKING in answered["response"]
    assert later["lookup"]["order"]["number"] == "2001"
    # The typed text is stored unchanged in the conversation.
    said = await rows(acting.database, engine_messages, of=it.shop, direction="inbound")
    assert f"Voici : {code[:3]} {code[3:]}" in {row["body"] for row in said}


async def test_the_mail_has_no_word_of_the_client_or_the_author(
    acting: LiveEngine, tmp_path: Path, desk: Desk, mail: MailServer
) -> None:
    it = await _victim(acting, tmp_path, ScriptedBrain())
    ticket = await claimed_ticket(acting, it.shop, desk)
    async with acting.working():
        await ticket.says(f"{WHERE} Voyez https://evil.example/x", CUSTOMER)
        sent = await mail_to(mail, CUSTOMER)

    whole = sent.as_string() + plain_text(sent)
    assert "evil" not in whole
    assert "http" not in whole
    assert "2001" not in plain_text(sent).replace(code_in(sent), "")


async def test_a_yes_after_the_code_moves_the_money_once(
    acting: LiveEngine, tmp_path: Path, desk: Desk, mail: MailServer
) -> None:
    it = await _victim(acting, tmp_path, ScriptedBrain(ActionKind.REFUND))
    ticket = await claimed_ticket(acting, it.shop, desk)
    async with acting.working():
        await ticket.says(WISH, CUSTOMER)
        question = await ticket.says(await _code(mail), CUSTOMER)
        before = it.refunded
        await ticket.says("Oui", ATTACKER, author="lead-2")
        others = it.refunded
        await ticket.says("Oui", CUSTOMER)

    assert "49,00 EUR" in question["response"]
    assert (before, others, it.refunded) == (0, 0, 4_900)


@pytest.mark.parametrize("desk", ["intercom"], indirect=True)
async def test_a_code_is_good_in_its_thread_and_of_its_author_alone(
    acting: LiveEngine, tmp_path: Path, desk: Desk, mail: MailServer
) -> None:
    brain = ScriptedBrain(ActionKind.REFUND)
    it = await _victim(acting, tmp_path, brain)
    ticket = await claimed_ticket(acting, it.shop, desk)
    async with acting.working():
        await ticket.says(WHERE, CUSTOMER)
        code = await _code(mail)
        runs = [
            await ticket.says(code, CUSTOMER, author="lead-2"),
            await ticket.says(code, ATTACKER),
            await ticket.says(code, CUSTOMER, ticket_id="777"),
            await ticket.says(WHERE, CUSTOMER, author="lead-2"),
            await ticket.says(code, CUSTOMER, author="lead-2"),
        ]
        mine = await ticket.says(code, CUSTOMER)
        again = await ticket.says(code, CUSTOMER, author="lead-2")

    assert [run["lookup"] for run in (*runs, again)] == [None] * 6
    assert mine["lookup"]["order"]["number"] == "2001"


@pytest.mark.parametrize("desk", ["zendesk"], indirect=True)
async def test_a_code_bears_few_tries(
    acting: LiveEngine, tmp_path: Path, desk: Desk, mail: MailServer
) -> None:
    it = await _victim(acting, tmp_path, ScriptedBrain())
    ticket = await claimed_ticket(acting, it.shop, desk)
    async with acting.working():
        await ticket.says(WHERE, CUSTOMER)
        code = await _code(mail)
        wrong = f"{(int(code) + 1) % 1_000_000:06d}"
        refused = [await ticket.says(wrong, CUSTOMER) for _ in range(TRIES)]
        late = await ticket.says(code, CUSTOMER)

    assert "valable" in refused[0]["response"]
    assert late["lookup"] is None
    assert len([one for one in mail.mails if str(one["To"]) == CUSTOMER]) <= PLACE_CODES_AN_HOUR


@pytest.mark.parametrize("desk", ["gorgias"], indirect=True)
async def test_a_code_and_its_proof_end(
    acting: LiveEngine, tmp_path: Path, desk: Desk, mail: MailServer
) -> None:
    it = await _victim(acting, tmp_path, ScriptedBrain())
    ticket = await claimed_ticket(acting, it.shop, desk)

    async def earlier(by: timedelta) -> None:
        async with acting.database.tenant(it.shop.tenant) as connection:
            await connection.execute(
                sa.update(address_codes).values(
                    created_at=address_codes.c.created_at - by,
                    proved_at=address_codes.c.proved_at - by,
                )
            )

    async with acting.working():
        await ticket.says(WHERE, CUSTOMER)
        first = await _code(mail)
        await earlier(lifetime_of(CodePlace.TICKET, is_shared=False))
        too_late = await ticket.says(first, CUSTOMER)
        proved = await ticket.says(await _code(mail, number=2), CUSTOMER)
        await earlier(PROOF_LASTS)
        after = await ticket.says(WHERE, CUSTOMER)

    assert (too_late["lookup"], after["lookup"]) == (None, None)
    assert proved["lookup"]["order"]["number"] == "2001"


@pytest.mark.parametrize("desk", ["freshdesk"], indirect=True)
async def test_an_unknown_address_gets_the_same_answer_and_few_mails(
    acting: LiveEngine,
    tmp_path: Path,
    desk: Desk,
    mail: MailServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No answer reveals whether the address is a customer's, or whether a code was withheld."""
    monkeypatch.setattr("domain.identity.mailed_code.CODES_AT_MOST", 5)
    it = await _victim(acting, tmp_path, ScriptedBrain())
    ticket = await claimed_ticket(acting, it.shop, desk)
    stranger = "nobody-knows@example.net"
    async with acting.working():
        known = await ticket.says(WHERE, CUSTOMER)
        said = [
            await ticket.says(WHERE, stranger, ticket_id=str(30 + number)) for number in range(7)
        ]
        codes = await rows(acting.database, address_codes, of=it.shop, email=stranger)

    assert {run["response"] for run in said} == {known["response"]}
    assert len(codes) == 7
    assert len([code for code in codes if code["digest"] == b""]) == 1


@pytest.mark.parametrize("desk", ["intercom"], indirect=True)
async def test_a_question_that_knowledge_answers_asks_for_no_code(
    acting: LiveEngine, tmp_path: Path, desk: Desk, mail: MailServer
) -> None:
    brain = ScriptedBrain(category=Category.OTHER, text="Oui, nous livrons en Suisse.")
    it = await _victim(acting, tmp_path, brain)
    ticket = await claimed_ticket(acting, it.shop, desk)
    async with acting.working():
        await ticket.says("Est-ce que vous livrez en Suisse ?", CUSTOMER)

    assert len(brain.requests) == 1
    assert await rows(acting.database, address_codes, of=it.shop) == []
