"""Limits for visitors' codes: a stranger cannot use up another person's, and a mailbox receives
few."""

import asyncio
from datetime import timedelta

import pytest

from adapters.system import new_ulid
from domain.identity.mailed_code import (
    CODES_A_REQUESTER,
    CODES_AN_HOUR,
    CODES_AT_MOST,
    PLACE_CODES_AN_HOUR,
    REQUESTER_CODES_AN_HOUR,
    TRIES,
    CodePlace,
    lifetime_of,
)
from domain.intake.event import Channel
from domain.runs.conversation import memory_key_of
from domain.widget.errors import TooManyCodes
from services.widget.visitor_codes import (
    VerifiedVisitor,
)
from store.core.database import Database
from store.runs.conversations import ConversationRepository
from store.widget.tables import widget_codes
from tests.support.core.rows import only_row
from tests.support.tenants.shop import Shop
from tests.support.widget.code_chat import EVE, JEAN, WRONG, Chat


@pytest.fixture
def chat(database: Database, shop: Shop) -> Chat:
    return Chat(database, shop)


async def test_strangers_do_not_use_up_the_codes_of_an_address(chat: Chat) -> None:
    """Attack: dozens of sessions in as many networks request codes for a victim's address."""
    asked = [await chat.ask(new_ulid(), code="987654321") for _ in range(40)]
    assert sum(code_id is not None for code_id in asked) == CODES_AT_MOST + 1

    # One of these emails contains a shared code, which the victim's own session uses.
    victims, wrong = new_ulid(), new_ulid()
    assert await chat.ask(victims) is None
    assert await chat.ask(wrong) is None
    assert await chat.enter(wrong, "987654320") is None
    assert await chat.enter(wrong, "654321") is None
    assert await chat.enter(victims, "987 654 321") == VerifiedVisitor(victims, JEAN)

    # An hour later the next one is sent while the first is still valid, whoever requests it.
    chat.later(timedelta(hours=1))
    assert await chat.ask(new_ulid(), code="123456789")
    late = new_ulid()
    assert await chat.ask(late) is None
    assert await chat.enter(late, "987654321") is not None


async def test_one_network_gets_few_codes_for_an_address(chat: Chat) -> None:
    for _ in range(CODES_A_REQUESTER):
        assert await chat.ask(new_ulid(), network="192.0.2.0/24")
    session_id = new_ulid()
    assert await chat.ask(session_id, network="198.51.100.0/24", code="111111")
    assert await chat.enter(session_id, "111111") is not None


async def test_a_mailbox_gets_few_codes_a_day(chat: Chat) -> None:
    """Attack: strangers request codes all day, from everywhere."""
    mailed = 0
    for _ in range(24 * 4):
        asked = [await chat.ask(new_ulid()) for _ in range(4)]
        mailed += sum(code_id is not None for code_id in asked)
        chat.later(timedelta(minutes=15))
    assert mailed <= CODES_AT_MOST + 24


async def test_a_shared_code_is_no_use_for_another_address_or_after_its_time(chat: Chat) -> None:
    for _ in range(CODES_AT_MOST + 1):
        await chat.ask(new_ulid(), code="987654321")
    eves, late = new_ulid(), new_ulid()
    await chat.ask(eves, EVE, "222222")
    assert await chat.enter(eves, "987654321") is None
    chat.later(lifetime_of(CodePlace.WIDGET, is_shared=True))
    await chat.ask(new_ulid(), code="111111111")
    assert await chat.ask(late) is None
    assert await chat.enter(late, "987654321") is None
    assert await chat.enter(late, "111111111") is not None


async def test_what_is_held_back_differs_in_nothing_that_a_stranger_sees(chat: Chat) -> None:
    for _ in range(CODES_AT_MOST + 1):
        assert await chat.ask(new_ulid())

    session_id = new_ulid()
    assert await chat.ask(session_id) is None
    assert await chat.enter(session_id) is None
    kept = await only_row(chat.database, widget_codes, session_id=session_id)
    assert (kept["digest"], kept["sealed_code"]) == (b"", None)
    # It counts for its session like any other.
    for _ in range(PLACE_CODES_AN_HOUR - 1):
        await chat.ask(session_id)
    with pytest.raises(TooManyCodes):
        await chat.ask(session_id)


async def test_a_strangers_wrong_tries_stop_no_other_visitor(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Attack: earlier, after enough wrong attempts in a day, every code of the client was
    rejected."""
    monkeypatch.setattr("domain.identity.mailed_code.WRONG_A_DAY", 12)
    before, sessions = new_ulid(), [new_ulid() for _ in range(4)]
    await chat.ask(before)
    for number, session_id in enumerate(sessions):
        await chat.ask(session_id, f"{number}@free.example")
    for session_id in sessions:
        for _ in range(TRIES):
            assert await chat.enter(session_id, WRONG) is None
    assert await chat.wrong() == 4 * TRIES

    # An existing code remains valid. New ones are longer: guessing takes a thousand times as many
    # attempts.
    assert await chat.enter(before) is not None
    fresh = new_ulid()
    await chat.ask(fresh, code="987654321")
    assert await chat.enter(fresh, "654321") is None
    assert await chat.enter(fresh, "987654321") is not None
    chat.later(timedelta(hours=24))
    await chat.ask(fresh, code="987654321")
    assert await chat.enter(fresh, "654321") is not None


async def test_one_stranger_does_not_use_up_the_codes_of_a_client(chat: Chat) -> None:
    """Attack: one network requests the maximum number of codes for made-up addresses."""

    async def ask(network: str | None) -> bool:
        email = f"{new_ulid().lower()}@free.example"
        return await chat.ask(new_ulid(), email, network=network) is not None

    strangers = [await ask("192.0.2.0/24") for _ in range(CODES_AN_HOUR + 10)]
    assert sum(strangers) == REQUESTER_CODES_AN_HOUR
    assert await ask(None)
    for network in ("198.51.100.0/24", "203.0.113.0/24"):
        await asyncio.gather(*(ask(network) for _ in range(REQUESTER_CODES_AN_HOUR)))
    # All three have used the client's hour: another network still gets its first code.
    assert await ask("100.64.1.0/24")
    assert not await ask("100.64.1.0/24")


async def test_an_address_that_proved_itself_before_gets_a_code_in_any_crowd(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("domain.identity.mailed_code.CODES_AN_HOUR", 1)
    monkeypatch.setattr("domain.identity.mailed_code.CODES_AN_HOUR_AT_MOST", 1)
    assert await chat.ask(new_ulid(), EVE)
    assert await chat.ask(new_ulid()) is None
    async with chat.database.tenant(chat.shop.tenant) as connection:
        await ConversationRepository(connection, chat.shop.tenant).open(
            "ticket:zendesk:1",
            event_id=new_ulid(),
            conversation_id=new_ulid(),
            channel=Channel.HELPDESK,
            customer_email=JEAN,
            memory_key=memory_key_of(JEAN, verified=True),
            now=chat.now,
            lasts=timedelta(hours=1),
        )
    assert await chat.ask(new_ulid())
