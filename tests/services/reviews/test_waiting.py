"""How long customers wait: the first unanswered message of each conversation."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest
import sqlalchemy as sa

from domain.tenants.actor import Actor
from domain.tenants.business_hours import BusinessHours
from services.reviews.waiting import read_waiting, waiting_of_runs
from services.tenants.business_hours import set_business_hours
from store.core.database import Database
from store.reviews.answered_elsewhere import BY
from store.reviews.tables import escalation_tickets
from store.runs.first_answers import DECIDED_IN_HELPDESK, FirstUnanswered
from store.runs.tables import ai_conversations, engine_messages, engine_runs
from tests.services.analytics.test_first_answers import MONDAY, Talk, insight, talk
from tests.support.core.rows import rows
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop, open_shop

NOON: Final = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER: Final = NOON + timedelta(minutes=10)
OPERATOR: Final = Actor.operator("operator:tests")


async def since(database: Database, shop: Shop, *talks: Talk) -> list[datetime | None]:
    async with database.reading(shop.tenant) as connection:
        found = await FirstUnanswered(connection, shop.tenant).of([one.id for one in talks])
    return [found.get(one.id) for one in talks]


async def test_an_unanswered_message_waits_since_it_arrived(database: Database) -> None:
    shop = await open_shop(database)
    thread = await talk(database, shop)
    assert await since(database, shop, thread) == [None]
    await thread.ask(NOON, status="received")
    await thread.ask(LATER, status="received")
    assert await since(database, shop, thread) == [NOON]


async def test_an_answered_message_does_not_wait(database: Database) -> None:
    shop = await open_shop(database)
    thread = await talk(database, shop)
    await thread.ask(NOON, response="Hello.", replied_after=timedelta(minutes=1))
    assert await since(database, shop, thread) == [None]
    await thread.ask(LATER, status="needs_review", reviews=("pending",))
    assert await since(database, shop, thread) == [LATER]


@pytest.mark.parametrize(
    ("status", "reviews", "waits"),
    [
        ("received", (), True),
        ("needs_review", ("pending",), True),
        ("needs_review", ("claimed",), True),
        # Nothing is in progress, so the later answer counts.
        ("needs_review", ("rejected",), False),
        ("failed", (), False),
        (None, (), False),
    ],
)
async def test_a_later_answer_counts_unless_the_message_is_in_progress(
    database: Database, status: str | None, reviews: tuple[str, ...], waits: bool
) -> None:
    shop = await open_shop(database)
    thread = await talk(database, shop)
    await thread.ask(NOON, status=status, reviews=reviews)
    assert await since(database, shop, thread) == [NOON]
    await thread.ask(LATER, response="Hello.", replied_after=timedelta(minutes=1))
    assert await since(database, shop, thread) == [NOON if waits else None]


async def test_a_teammates_reply_answers_all_earlier_messages(database: Database) -> None:
    shop = await open_shop(database)
    thread = await talk(database, shop)
    await thread.ask(NOON, status="needs_review", reviews=("pending",))
    event_id = await thread.ask(LATER, status="needs_review", reviews=("pending",))
    await thread.reply(event_id, LATER + timedelta(minutes=1))
    assert await since(database, shop, thread) == [None]


async def test_automatic_and_joined_messages_do_not_wait(database: Database) -> None:
    shop = await open_shop(database)
    thread = await talk(database, shop)
    await thread.ask(NOON, response="")
    await thread.ask(LATER, joined_review="01ARZ3NDEKTSV4RRFFQ69G5FAV")
    assert await since(database, shop, thread) == [None]


@pytest.mark.parametrize(("after", "answered"), [(timedelta(hours=1), 1), (timedelta(), 0)])
async def test_an_answer_in_the_helpdesk_ends_the_wait(
    database: Database, after: timedelta, answered: int
) -> None:
    """A review that was closed as soon as it was opened has no known answer, and does not wait."""
    shop = await open_shop(database)
    thread = await talk(database, shop)
    await thread.ask(MONDAY, status="needs_review", reviews=("rejected",))
    assert await since(database, shop, thread) == [MONDAY]
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(escalation_tickets).values(decided_by=BY, decided_at=MONDAY + after)
        )
    assert await since(database, shop, thread) == [None]
    assert (await insight(database, shop)).period.figures.answered == answered


def test_both_modules_know_the_helpdesk_by_the_same_name() -> None:
    assert DECIDED_IN_HELPDESK == BY


async def test_a_closed_conversation_does_not_wait(database: Database) -> None:
    shop = await open_shop(database)
    thread = await talk(database, shop)
    await thread.ask(NOON, status="failed")
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(sa.update(ai_conversations).values(closed_at=LATER))
    assert await since(database, shop, thread) == [None]


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    """Collect the statements that read messages or settings."""
    seen: list[str] = []

    def note(_: Any, __: Any, statement: str, *___: Any) -> None:
        if engine_messages.name in statement or "business_hours" in statement:
            seen.append(statement)

    sa.event.listen(sa.engine.Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        sa.event.remove(sa.engine.Engine, "before_cursor_execute", note)


async def test_a_list_needs_two_statements_and_has_only_the_clients_own(
    database: Database,
) -> None:
    shop, other = await open_shop(database), await open_shop(database)
    hours = BusinessHours(target_minutes=60)
    talks = [await talk(database, shop) for _ in range(5)]
    for number, thread in enumerate(talks[:4]):
        await thread.ask(NOON + timedelta(minutes=number), status="received")
    foreign = await talk(database, other)
    await foreign.ask(NOON, status="received")
    ids = [one.id for one in (*talks, foreign)]

    async with database.reading(shop.tenant) as connection:
        assert await read_waiting(connection, shop.tenant, OPERATOR, ids, NOON) == {}
    async with units_on(database).of(shop.tenant) as work:
        await set_business_hours(work, OPERATOR, hours)
    now = NOON + timedelta(minutes=62)
    async with database.reading(shop.tenant) as connection:
        with statements(database) as seen:
            found = await read_waiting(connection, shop.tenant, OPERATOR, ids, now)

    assert len(seen) == 2
    assert set(found) == {one.id for one in talks[:4]}
    assert [found[one.id].is_overdue for one in talks[:4]] == [True, True, False, False]
    assert found[talks[0].id].overdue == timedelta(minutes=2)
    assert found[talks[3].id].left == timedelta(minutes=1)
    runs = await rows(database, engine_runs, of=shop)
    ids = [run["id"] for run in runs]
    async with database.reading(shop.tenant) as connection:
        with statements(database) as seen:
            by_run = await waiting_of_runs(connection, shop.tenant, OPERATOR, ids, now)
    assert len(seen) == 3
    assert {run["id"]: run["received_at"] for run in runs} == {
        one: wait.since for one, wait in by_run.items()
    }
