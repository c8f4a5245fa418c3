"""A session's state: work in progress, seen messages, and emailed answers."""

from datetime import timedelta

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.escalation_reason import EscalationReason
from domain.core.contracts import RunRef
from domain.reviews.escalation import CLAIM_LASTS, Choice, Decision
from domain.widget.answer_mail import LATE_AFTER, UnseenAnswer
from domain.widget.contracts import LateAnswer
from domain.widget.shown_message import SessionState
from domain.widget.widget_session import SESSION_LASTS, HeldSession, visitor_digest
from store.core.database import Database
from store.reviews.escalations import EscalationRepository
from store.runs.tables import engine_runs
from store.widget.answers_by_mail import AnswersByMailRepository
from store.widget.session_states import SessionStateRepository
from store.widget.tables import widget_sessions
from tests.support.core.rows import only_row
from tests.support.tenants.shop import Shop, open_shop
from tests.support.widget.talk import VERIFIED, answer, ask, begin

NOW = utc_now()
SECOND = timedelta(seconds=1)


async def state(database: Database, shop: Shop, session_id: str) -> SessionState:
    async with database.tenant(shop.tenant) as connection:
        standing = await SessionStateRepository(connection, shop.tenant).standing(session_id, NOW)
    assert standing is not None
    return standing.state


async def seen(database: Database, shop: Shop, session_id: str, number: int) -> bool:
    async with database.tenant(shop.tenant) as connection:
        return await SessionStateRepository(connection, shop.tenant).seen(
            HeldSession(session_id, visitor_digest(session_id, VERIFIED)), number, NOW
        )


async def late(database: Database, shop: Shop, ref: RunRef) -> LateAnswer | None:
    async with database.tenant(shop.tenant) as connection:
        return await AnswersByMailRepository(connection, shop.tenant).late(ref.event_id)


async def claim(database: Database, shop: Shop, one: LateAnswer) -> UnseenAnswer | None:
    async with database.tenant(shop.tenant) as connection:
        return await AnswersByMailRepository(connection, shop.tenant).claim(one)


async def set_status(database: Database, shop: Shop, ref: RunRef, status: str) -> None:
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_runs).where(engine_runs.c.id == ref.run_id).values(status=status)
        )


async def hand_over(database: Database, shop: Shop, ref: RunRef) -> str:
    review_id = new_ulid()
    await set_status(database, shop, ref, "needs_review")
    async with database.tenant(shop.tenant) as connection:
        await EscalationRepository(connection, shop.tenant).open(
            ref,
            escalation_id=review_id,
            round_=0,
            reason=EscalationReason.LOW_CONFIDENCE,
            expires_at=NOW + timedelta(hours=1),
            now=NOW,
        )
    return review_id


async def test_from_the_question_to_the_answer_of_a_person(database: Database, shop: Shop) -> None:
    session_id = await begin(database, shop, email=VERIFIED)
    ref = await ask(database, shop, session_id)
    email = "c…@free.example"
    assert await state(database, shop, session_id) == SessionState(True, False, False, email)

    review_id = await hand_over(database, shop, ref)
    assert await state(database, shop, session_id) == SessionState(False, True, False, email)

    async with database.tenant(shop.tenant) as connection:
        reviews = EscalationRepository(connection, shop.tenant)
        await reviews.claim(review_id, "ann", NOW)
    assert await state(database, shop, session_id) == SessionState(False, True, True, email)

    async with database.tenant(shop.tenant) as connection:
        reviews = EscalationRepository(connection, shop.tenant)
        await reviews.release(review_id, "ann", NOW)
        await reviews.claim(review_id, "ann", NOW - CLAIM_LASTS - SECOND)
    assert await state(database, shop, session_id) == SessionState(False, True, False, email)

    async with database.tenant(shop.tenant) as connection:
        choice = Choice(Decision.EDIT, "ann", text="words")
        await EscalationRepository(connection, shop.tenant).decide(review_id, choice, NOW)
    await answer(database, shop, ref, author="human")
    assert await state(database, shop, session_id) == SessionState(False, False, False, email)


async def test_a_message_that_joined_a_review_waits_too(database: Database, shop: Shop) -> None:
    elsewhere = await ask(database, shop, await begin(database, shop))
    review_id = await hand_over(database, shop, elsewhere)
    session_id = await begin(database, shop)
    joined = await ask(database, shop, session_id)
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_runs)
            .where(engine_runs.c.id == joined.run_id)
            .values(status="needs_review", joined_review=review_id)
        )

    assert await state(database, shop, session_id) == SessionState(waiting=True)


async def test_a_session_that_ended_has_no_state_and_one_of_another_client_neither(
    database: Database, shop: Shop
) -> None:
    old = await begin(database, shop, now=NOW - SESSION_LASTS - SECOND)
    mine, stranger = await begin(database, shop), await open_shop(database)

    async with database.tenant(shop.tenant) as connection:
        states = SessionStateRepository(connection, shop.tenant)
        assert await states.standing(old, NOW) is None
        assert not await states.seen(HeldSession(old), 1, NOW)
    async with database.tenant(stranger.tenant) as connection:
        states = SessionStateRepository(connection, stranger.tenant)
        assert await states.standing(mine, NOW) is None
        assert not await states.seen(HeldSession(mine), 1, NOW)


async def test_what_was_seen_only_grows_and_never_past_the_last(
    database: Database, shop: Shop
) -> None:
    session_id = await begin(database, shop)
    for _ in range(3):
        await ask(database, shop, session_id)

    numbers = []
    for number in (2, 1, 99, 0):
        assert await seen(database, shop, session_id, number)
        numbers.append((await only_row(database, widget_sessions, id=session_id))["seen_number"])

    assert numbers == [2, 2, 3, 3]


async def test_which_answers_are_late(database: Database, shop: Shop) -> None:
    session_id = await begin(database, shop, email=VERIFIED)
    at_once = await ask(database, shop, session_id, now=NOW)
    await answer(database, shop, at_once, now=NOW + LATE_AFTER)
    slow = await ask(database, shop, session_id, now=NOW)
    number = await answer(database, shop, slow, now=NOW + LATE_AFTER + SECOND)
    reviewed = await ask(database, shop, session_id, now=NOW)
    await hand_over(database, shop, reviewed)
    unverified = await ask(database, shop, await begin(database, shop), now=NOW)
    await answer(database, shop, unverified, now=NOW + LATE_AFTER + SECOND)

    assert number is not None
    assert await late(database, shop, at_once) is None
    assert await late(database, shop, slow) == LateAnswer(session_id=session_id, number=number)
    assert await late(database, shop, reviewed) is None  # it has no answer yet
    last = await answer(database, shop, reviewed, now=NOW)
    assert last is not None
    assert await late(database, shop, reviewed) == LateAnswer(session_id=session_id, number=last)
    assert await late(database, shop, unverified) is None


async def test_an_answer_is_claimed_while_it_is_unseen_and_its_address_is_verified(
    database: Database, shop: Shop
) -> None:
    session_id = await begin(database, shop, email=VERIFIED)
    ref = await ask(database, shop, session_id)
    number = await answer(database, shop, ref, "Bonjour")
    assert number is not None
    one = LateAnswer(session_id=session_id, number=number)
    question = LateAnswer(session_id=session_id, number=1)

    first, again = [await claim(database, shop, one) for _ in range(2)]

    assert first is not None
    assert (first.to, first.text, first.language) == (VERIFIED, "Bonjour", "en")
    assert again == first  # a failed send is retried under the same Message-ID
    assert await claim(database, shop, question) is None
    assert await claim(database, await open_shop(database), one) is None
    await seen(database, shop, session_id, number)
    assert await claim(database, shop, one) is None
