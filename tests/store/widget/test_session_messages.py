"""A session's messages: numbered in commit order, each once, with a notification."""

import asyncio

import psycopg

from adapters.system import new_ulid
from domain.widget.shown_message import MESSAGES_A_READ, ShownMessage
from services.intake.admission import Admitted
from store.core.database import Database
from store.widget.session_listener import listening
from store.widget.session_messages import SessionMessageRepository
from tests.support.core.postgres import as_owner
from tests.support.core.waiting import eventually
from tests.support.intake.admission import try_to_admit
from tests.support.tenants.shop import Shop, open_shop
from tests.support.widget.talk import answer, answer_on, ask, begin

WRITERS = 50


async def listed(
    database: Database, shop: Shop, session_id: str, after: int = 0
) -> tuple[ShownMessage, ...]:
    async with database.tenant(shop.tenant) as connection:
        return await SessionMessageRepository(connection, shop.tenant).listed(session_id, after)


async def test_fifty_writers_at_once_leave_no_gap_and_a_reader_misses_none(
    database: Database, shop: Shop
) -> None:
    session_id = await begin(database, shop)
    refs = [await ask(database, shop, session_id, f"q{turn}") for turn in range(WRITERS // 2)]
    read: list[int] = []

    async def follow() -> bool:
        """Read the messages after the last received number, as a stream does."""
        found = await listed(database, shop, session_id, read[-1] if read else 0)
        read.extend(message.number for message in found)
        return len(read) == WRITERS

    async with asyncio.timeout(60):
        await asyncio.gather(
            eventually(follow), *(answer(database, shop, ref, "answered") for ref in refs)
        )

    assert read == list(range(1, WRITERS + 1))


async def test_a_number_is_given_once_and_only_with_the_commit(
    database: Database, shop: Shop
) -> None:
    session_id = await begin(database, shop)
    ref = await ask(database, shop, session_id)

    assert await answer(database, shop, ref) == 2
    assert await answer(database, shop, ref, "a retried step") == 2
    other = await ask(database, shop, session_id)
    async with database.tenant(shop.tenant) as connection:
        assert await answer_on(connection, shop, other) == 4
        await connection.exec_driver_sql("ROLLBACK; BEGIN")
    assert await answer(database, shop, other, author="human") == 4

    messages = await listed(database, shop, session_id)
    assert [(one.number, one.author, one.text) for one in messages] == [
        (1, "customer", "question"),
        (2, "agent", "answer"),
        (3, "customer", "question"),
        (4, "human", "answer"),
    ]
    assert await listed(database, shop, session_id, 4) == ()


async def test_what_is_of_no_session_has_no_number(database: Database, shop: Shop) -> None:
    admitted = await try_to_admit(database, shop, message="by the API")
    assert isinstance(admitted, Admitted)

    assert await answer(database, shop, admitted.ref) is None


async def test_another_client_or_session_sees_none_of_it(database: Database, shop: Shop) -> None:
    session_id = await begin(database, shop)
    await ask(database, shop, session_id)
    stranger = await open_shop(database)

    assert await listed(database, stranger, session_id) == ()
    assert await listed(database, shop, new_ulid()) == ()
    assert await listed(database, shop, await begin(database, shop)) == ()


async def test_a_page_has_a_bound(database: Database, shop: Shop) -> None:
    session_id = await begin(database, shop)
    refs = [await ask(database, shop, session_id) for _ in range(MESSAGES_A_READ // 2 + 1)]
    for ref in refs[1:]:
        await answer(database, shop, ref)

    first = await listed(database, shop, session_id)
    rest = await listed(database, shop, session_id, first[-1].number)

    assert (len(first), len(rest)) == (MESSAGES_A_READ, 1)


async def test_a_listener_hears_of_commits_also_after_its_connection_was_cut(
    database: Database, database_url: str, shop: Shop
) -> None:
    heard: list[str | None] = []
    session_id = await begin(database, shop)
    mine = f"{shop.client_id}/{session_id}"

    async def connected() -> bool:
        return None in heard

    async def told() -> bool:
        return mine in heard

    async with listening(database_url, heard.append):
        await eventually(connected)
        ref = await ask(database, shop, session_id)
        await eventually(told)
        heard.clear()

        await _cut_listeners(database_url)

        await eventually(connected)  # the notification states that any session may have changed
        await answer(database, shop, ref)
        await eventually(told)


async def _cut_listeners(database_url: str) -> None:
    async with await psycopg.AsyncConnection.connect(as_owner(database_url)) as connection:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'widget sessions' AND datname = current_database()"
        )
