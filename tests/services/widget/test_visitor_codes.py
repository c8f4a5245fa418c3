"""Codes of visitors: when one is made, for what it is good, and what a thief can do with it."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.widget.errors import SessionUnknown, TooManyCodes
from domain.widget.visitor_code import (
    CODES_A_DAY,
    CODES_AN_HOUR,
    LIFETIME,
    SESSION_CODES_AN_HOUR,
    TRIES,
)
from domain.widget.widget_session import SESSION_LASTS, VerifiedBy, WidgetSession
from services.core.unit_of_work import UnitsOfWork
from services.widget.visitor_codes import (
    VerifiedVisitor,
    VisitorCodeWanted,
    enter_visitor_code,
    make_visitor_code,
)
from store.core.database import Database
from store.widget.tables import widget_codes, widget_sessions
from store.widget.visitor_codes import VisitorCodeRepository
from store.widget.visitor_sessions import WidgetSessionRepository
from tests.support.core.rows import only_row, rows
from tests.support.core.units import Recorder
from tests.support.tenants.shop import Shop, open_shop

SEALER = FernetSealer(new_seal_key())
JEAN, EVE = "jean@free.example", "eve@evil.example"
RIGHT, WRONG = "012345", "999999"


@dataclass
class Chat:
    """A client's widget, at a time that the test sets."""

    database: Database
    shop: Shop
    now: datetime = field(default_factory=utc_now)

    def later(self, by: timedelta) -> None:
        self.now += by

    @property
    def units(self) -> UnitsOfWork:
        return UnitsOfWork(self.database, Recorder(), lambda: self.now, new_ulid)

    async def ask(
        self, session_id: str, email: str = JEAN, code: str = RIGHT, language: str | None = None
    ) -> str | None:
        """The code's id; None of one that is held back."""
        wanted = VisitorCodeWanted(session_id, email, language, "192.0.2.0/24", code)
        async with self.units.of(self.shop.tenant) as work:
            code_id = await make_visitor_code(work, wanted, SEALER)
        async with self.database.tenant(self.shop.tenant) as connection:
            codes = VisitorCodeRepository(connection, self.shop.tenant)
            is_mailed = await codes.to_mail(code_id, self.now) is not None
        return code_id if is_mailed else None

    async def wrong(self) -> int:
        """Wrong comparisons that were counted."""
        kept = await rows(self.database, widget_codes, client_id=self.shop.client_id)
        return sum(TRIES - row["tries_left"] for row in kept)

    async def enter(self, session_id: str, code: str = RIGHT) -> VerifiedVisitor | None:
        async with self.units.of(self.shop.tenant) as work:
            return await enter_visitor_code(work, session_id, code, SEALER)

    async def session(self, session_id: str) -> WidgetSession:
        async with self.database.reading(self.shop.tenant) as connection:
            found = await WidgetSessionRepository(connection, self.shop.tenant).find(
                session_id, self.now
            )
        assert found is not None
        return found

    async def verified(self, session_id: str, by: VerifiedBy, email: str = JEAN) -> None:
        async with self.database.tenant(self.shop.tenant) as connection:
            sessions = WidgetSessionRepository(connection, self.shop.tenant)
            await sessions.open(session_id, "fr", self.now)
            await sessions.verify(session_id, email, by, self.now)


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
    # The other one is void as well, and none is kept in clear.
    assert await chat.enter(session_id) is None
    assert await chat.enter(session_id, "111111") is None
    kept = await rows(chat.database, widget_codes, session_id=session_id)
    assert [(row["sealed_code"], row["network"]) for row in kept] == [(None, "192.0.2.0/24")] * 2


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
    # Those of another session are none the worse, and a new one is good.
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
    assert refused == [3600] * (6 - SESSION_CODES_AN_HOUR)
    chat.later(timedelta(hours=1))
    assert await chat.ask(session_id)


async def test_an_address_gets_five_codes_a_day_of_a_client(chat: Chat) -> None:
    asked = await asyncio.gather(*(chat.ask(new_ulid()) for _ in range(CODES_A_DAY + 3)))
    assert sum(code_id is not None for code_id in asked) == CODES_A_DAY

    elsewhere = Chat(chat.database, await open_shop(chat.database))
    assert await elsewhere.ask(new_ulid())
    chat.later(timedelta(hours=23))
    assert await chat.ask(new_ulid()) is None
    chat.later(timedelta(hours=1))
    assert await chat.ask(new_ulid())


async def test_what_is_held_back_differs_in_nothing_that_a_stranger_sees(chat: Chat) -> None:
    for _ in range(CODES_A_DAY):
        assert await chat.ask(new_ulid())

    # It is nobody's, whatever is entered.
    session_id = new_ulid()
    assert await chat.ask(session_id) is None
    assert await chat.enter(session_id) is None
    kept = await only_row(chat.database, widget_codes, session_id=session_id)
    assert (kept["digest"], kept["sealed_code"]) == (b"", None)
    # It counts for its session as any other does.
    for _ in range(SESSION_CODES_AN_HOUR - 1):
        await chat.ask(session_id)
    with pytest.raises(TooManyCodes):
        await chat.ask(session_id)


async def test_a_client_bears_so_many_wrong_tries_a_day(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many addresses and sessions a stranger tries."""
    monkeypatch.setattr("store.widget.visitor_codes.WRONG_A_DAY", 12)
    sessions = [new_ulid() for _ in range(4)]
    for number, session_id in enumerate(sessions):
        await chat.ask(session_id, f"{number}@free.example")

    tries = [chat.enter(one, WRONG) for one in sessions for _ in range(TRIES)]
    assert await asyncio.gather(*tries) == [None] * 4 * TRIES
    assert await chat.wrong() == 12

    # From now on the right ones are wrong as well, in every session, until the day is over.
    fresh, other = new_ulid(), Chat(chat.database, await open_shop(chat.database))
    await chat.ask(fresh)
    assert await chat.enter(fresh) is None
    assert await chat.wrong() == 12
    await other.ask(fresh)
    assert await other.enter(fresh) is not None
    chat.later(timedelta(hours=24))
    await chat.ask(fresh)
    assert await chat.enter(fresh) is not None


async def test_only_wrong_tries_count(chat: Chat) -> None:
    session_id = new_ulid()
    await chat.ask(session_id, EVE, "222222")
    await chat.ask(session_id)
    assert await chat.enter(session_id, WRONG) is None
    assert await chat.wrong() == 2
    # A right try is none, and makes none undone.
    assert await chat.enter(session_id) is not None
    assert await chat.wrong() == 2


async def test_a_client_sends_sixty_codes_an_hour(chat: Chat) -> None:
    async def ask() -> str | None:
        return await chat.ask(new_ulid(), f"{new_ulid().lower()}@free.example")

    for _ in range(CODES_AN_HOUR - 2):
        assert await ask()
    assert sum(one is not None for one in await asyncio.gather(*(ask() for _ in range(5)))) == 2
    chat.later(timedelta(hours=1))
    assert await ask()


async def test_a_code_is_worth_nothing_to_a_thief(chat: Chat) -> None:
    """It was mailed to Jean, for his window."""
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
    # Neither does it end with the thief's tries.
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
