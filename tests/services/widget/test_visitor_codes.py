"""Visitors' codes: when one is created, what it verifies, and what a thief can do with it."""

import asyncio
from datetime import timedelta

import pytest

from adapters.system import new_ulid
from domain.identity.mailed_code import (
    PLACE_CODES_AN_HOUR,
    TRIES,
)
from domain.widget.errors import SessionUnknown, TooManyCodes
from domain.widget.widget_session import SESSION_LASTS, VerifiedBy
from services.widget.visitor_codes import (
    VerifiedVisitor,
)
from store.core.database import Database
from store.widget.tables import widget_codes, widget_sessions
from tests.support.core.rows import only_row, rows
from tests.support.tenants.shop import Shop, open_shop
from tests.support.widget.code_chat import EVE, JEAN, LIFETIME, RIGHT, WRONG, Chat


@pytest.fixture
def chat(database: Database, shop: Shop) -> Chat:
    return Chat(database, shop)


async def test_a_code_verifies_its_session_once(chat: Chat) -> None:
    session_id = new_ulid()
    assert await chat.ask(session_id, code="111111", language="en")
    assert await chat.ask(session_id)

    assert await chat.enter(session_id) == VerifiedVisitor(session_id, JEAN)
    session = await chat.session(session_id)
    assert (session.verified_email, session.verified_by) == (JEAN, VerifiedBy.CODE)
    assert session.language == "en"
    # The other one is void too, and none is stored in clear text.
    assert await chat.enter(session_id) is None
    assert await chat.enter(session_id, "111111") is None
    kept = await rows(chat.database, widget_codes, session_id=session_id)
    assert [row["sealed_code"] for row in kept] == [None] * 2


async def test_of_several_at_once_with_one_code_one_gets_in(chat: Chat) -> None:
    session_id = new_ulid()
    await chat.ask(session_id)

    done = await asyncio.gather(*(chat.enter(session_id) for _ in range(4)))

    assert sorted(one is not None for one in done) == [False, False, False, True]


@pytest.mark.parametrize(("seconds", "good"), [(-1, True), (0, False)])
async def test_a_code_lasts_ten_minutes(chat: Chat, seconds: int, *, good: bool) -> None:
    session_id = new_ulid()
    await chat.ask(session_id)
    chat.later(LIFETIME + timedelta(seconds=seconds))
    assert (await chat.enter(session_id) is not None) is good


async def test_after_five_tries_every_living_code_of_the_session_is_dead(chat: Chat) -> None:
    session_id, other = new_ulid(), new_ulid()
    for code in (RIGHT, "111111"):
        await chat.ask(session_id, code=code)
    await chat.ask(other)

    tried = await asyncio.gather(*(chat.enter(session_id, WRONG) for _ in range(TRIES)))

    assert tried == [None] * TRIES
    assert await chat.enter(session_id) is None
    assert await chat.enter(session_id, "111111") is None
    # Codes of another session are unaffected, and a new one is valid.
    assert await chat.enter(other) is not None
    await chat.ask(session_id, code="222222")
    assert await chat.enter(session_id, "222222") is not None


async def test_a_session_gets_three_codes_an_hour(chat: Chat) -> None:
    session_id = new_ulid()

    made = await asyncio.gather(
        *(chat.ask(session_id, f"{new_ulid().lower()}@free.example") for _ in range(6)),
        return_exceptions=True,
    )

    refused = [one.retry_after_s for one in made if isinstance(one, TooManyCodes)]
    assert refused == [3600] * (6 - PLACE_CODES_AN_HOUR)
    chat.later(timedelta(hours=1))
    assert await chat.ask(session_id)


async def test_only_wrong_tries_count(chat: Chat) -> None:
    session_id = new_ulid()
    await chat.ask(session_id, EVE, "222222")
    await chat.ask(session_id)
    assert await chat.enter(session_id, WRONG) is None
    assert await chat.wrong() == 2
    # A correct attempt does not count, and resets nothing.
    assert await chat.enter(session_id) is not None
    assert await chat.wrong() == 2


async def test_a_code_is_worth_nothing_to_a_thief(chat: Chat) -> None:
    """It was emailed to Jean, for his session."""
    jeans, eves = new_ulid(), new_ulid()
    await chat.ask(jeans)
    await chat.ask(eves, EVE, "222222")
    other = Chat(chat.database, await open_shop(chat.database))
    await other.ask(eves, EVE, "222222")

    assert await chat.enter(eves) is None
    assert await chat.enter(new_ulid()) is None
    assert await other.enter(jeans) is None
    assert await other.enter(eves) is None
    assert (await chat.session(eves)).verified_email is None
    # The thief's attempts do not invalidate it either.
    assert await chat.enter(jeans) == VerifiedVisitor(jeans, JEAN)


@pytest.mark.parametrize(
    ("by", "email", "stays"),
    [
        (VerifiedBy.CODE, JEAN, True),
        (VerifiedBy.CODE, EVE, False),
        (VerifiedBy.SIGNATURE, JEAN, False),
        (VerifiedBy.SIGNATURE, EVE, False),
    ],
)
async def test_a_session_of_another_visitor_stays_theirs(
    chat: Chat, by: VerifiedBy, email: str, *, stays: bool
) -> None:
    session_id = new_ulid()
    await chat.verified(session_id, by, email)
    await chat.ask(session_id)

    done = await chat.enter(session_id)

    assert done is not None
    assert (done.session_id == session_id) is stays
    before, after = await chat.session(session_id), await chat.session(done.session_id)
    assert (before.verified_email, before.verified_by) == (email, by)
    assert (after.verified_email, after.verified_by) == (JEAN, VerifiedBy.CODE)


async def test_a_session_that_has_ended_stays_ended(chat: Chat) -> None:
    session_id = new_ulid()
    await chat.verified(session_id, VerifiedBy.CODE)
    await chat.ask(session_id)
    chat.later(SESSION_LASTS + timedelta(hours=1))
    fresh = new_ulid()

    for ended in (session_id, fresh):
        with pytest.raises(SessionUnknown):
            await chat.ask(ended)
        assert await chat.enter(ended) is None
    row = await only_row(chat.database, widget_sessions, of=chat.shop)
    assert row["used_at"] < chat.now - SESSION_LASTS
