"""First answers: which message answers which, and the business time until then."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.analytics.insight import Insight
from domain.tenants.actor import Actor
from domain.tenants.business_hours import (
    MAX_HOLIDAYS,
    BusinessCalendar,
    BusinessHours,
    Weekday,
    business_time,
    calendar_of,
    parse_day,
)
from services.analytics.insight import read_insight
from services.tenants.business_hours import set_business_hours
from store.analytics import first_answer_counts
from store.analytics.day_counts import count_day
from store.analytics.metrics import keep_day
from store.core.database import Database
from store.runs.first_answers import CALENDAR_LASTS
from store.runs.tables import conversation_replies, engine_messages, engine_runs
from tests.support.analytics.days import Said, conversation, past_event
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop, open_shop

# A Monday. Clocks in Paris change on the Sunday before.
MONDAY: Final = datetime(2026, 3, 30, 8, tzinfo=UTC)
OPERATOR: Final = Actor.operator("operator:tests")
HOURS: Final = BusinessHours(
    time_zone="Europe/Paris",
    week={day: parse_day("09:00-12:00, 14:00-18:00") for day in list(Weekday)[:5]},
    holidays=(date(2026, 3, 31),),
    target_minutes=120,
)


async def set_hours(database: Database, shop: Shop, hours: BusinessHours) -> None:
    async with units_on(database).of(shop.tenant) as work:
        await set_business_hours(work, OPERATOR, hours)


async def insight(database: Database, shop: Shop) -> Insight:
    """Compute Monday's metrics, and return them."""
    day = MONDAY.date()
    async with database.service() as connection:
        found = await count_day(connection, [shop.client_id], day, utc_now())
        await keep_day(connection, found, day, utc_now())
    async with database.reading(shop.tenant) as connection:
        return await read_insight(connection, shop.tenant, OPERATOR, (day, day), compare=False)


@dataclass(frozen=True)
class Talk:
    """A conversation with its messages."""

    database: Database
    shop: Shop
    id: str

    async def ask(self, at: datetime, *, replied_after: timedelta | None = None, **run: Any) -> str:
        said = Said(conversation_id=self.id, channel="email", answer="Hello.")
        return await past_event(
            self.database, self.shop, at, said=said, replied_after=replied_after, **run
        )

    async def reply(self, event_id: str, at: datetime) -> None:
        """Store a teammate's reply to the message of an event."""
        mine = {"client_id": self.shop.client_id, "conversation_id": self.id, "body": "Here."}
        async with self.database.tenant(self.shop.tenant) as connection:
            run_id = await connection.scalar(
                sa.select(engine_runs.c.id).where(engine_runs.c.event_id == event_id)
            )
            reply_id = new_ulid()
            await connection.execute(
                sa.insert(conversation_replies).values(
                    **mine, id=reply_id, event_id=event_id, run_id=run_id, step=100, author="m",
                    state="sent", created_at=at, send_at=at, finished_at=at,
                )
            )  # fmt: skip
            await connection.execute(
                sa.insert(engine_messages).values(
                    **mine, id=new_ulid(), reply_id=reply_id, direction="outbound",
                    author="human", created_at=at,
                )
            )  # fmt: skip


async def talk(database: Database, shop: Shop) -> Talk:
    return Talk(database, shop, await conversation(database, shop, MONDAY))


@pytest.mark.parametrize(
    ("after", "hours", "in_target"),
    [
        (timedelta(minutes=45), 0.75, 1),
        # Asked at 10:00 in Paris: lunch does not count, and 14:00 is exactly within the target.
        (timedelta(hours=4), 2, 1),
        (timedelta(hours=4, microseconds=1), 2, 0),
        # Tuesday is a holiday.
        (timedelta(days=2), 7, 0),
    ],
)
async def test_a_first_answer_is_measured_in_business_time(
    database: Database, after: timedelta, hours: float, in_target: int
) -> None:
    shop = await open_shop(database)
    await set_hours(database, shop, HOURS)
    thread = await talk(database, shop)
    await thread.ask(MONDAY, replied_after=after)

    figures = (await insight(database, shop)).period.figures

    expected = business_time(HOURS, MONDAY, MONDAY + after)
    assert expected // timedelta(seconds=1) == hours * 3_600
    assert (figures.answered, figures.targeted, figures.in_target) == (1, 1, in_target)
    assert figures.in_target_share == in_target
    assert figures.first_answer_p50_ms == pytest.approx(expected.total_seconds() * 1e3, rel=0.076)


async def test_a_client_without_a_target_has_no_share(database: Database) -> None:
    shop = await open_shop(database)
    thread = await talk(database, shop)
    await thread.ask(MONDAY, replied_after=timedelta(hours=30))

    figures = (await insight(database, shop)).period.figures

    assert (figures.answered, figures.targeted, figures.in_target_share) == (1, 0, None)
    assert figures.first_answer_p50_ms == pytest.approx(30 * 3.6e6, rel=0.076)


async def test_a_teammates_reply_is_a_first_answer(database: Database) -> None:
    shop = await open_shop(database)
    await set_hours(database, shop, HOURS)
    thread = await talk(database, shop)
    event_id = await thread.ask(MONDAY, status="needs_review", reviews=("rejected",))
    assert (await insight(database, shop)).period.figures.answered == 0
    await thread.reply(event_id, MONDAY + timedelta(hours=1))

    figures = (await insight(database, shop)).period.figures

    assert (figures.answered, figures.in_target) == (1, 1)


async def test_an_answer_to_another_message_does_not_answer_one_under_review(
    database: Database,
) -> None:
    shop = await open_shop(database)
    await set_hours(database, shop, HOURS)
    thread = await talk(database, shop)
    await thread.ask(MONDAY, status="needs_review", reviews=("pending",))
    later = MONDAY + timedelta(minutes=10)
    await thread.ask(later, replied_after=timedelta(minutes=1))

    figures = (await insight(database, shop)).period.figures

    assert (figures.asked, figures.answered) == (2, 1)


async def test_an_own_answer_counts_rather_than_an_earlier_one(database: Database) -> None:
    shop = await open_shop(database)
    await set_hours(database, shop, HOURS)
    thread = await talk(database, shop)
    late = timedelta(days=2)
    await thread.ask(MONDAY, reviews=("approved",), replied_after=late)
    later = MONDAY + timedelta(minutes=10)
    await thread.ask(later, replied_after=timedelta(minutes=1))

    figures = (await insight(database, shop)).period.figures

    assert (figures.answered, figures.in_target) == (2, 1)


async def test_automatic_messages_and_empty_answers_do_not_count(database: Database) -> None:
    shop = await open_shop(database)
    await set_hours(database, shop, HOURS)
    thread = await talk(database, shop)
    await thread.ask(MONDAY, response="")
    said = Said(conversation_id=thread.id, answer="")
    await past_event(
        database, shop, MONDAY + timedelta(minutes=1), said=said, response="Hello.",
        replied_after=timedelta(minutes=1),
    )  # fmt: skip

    figures = (await insight(database, shop)).period.figures

    assert (figures.asked, figures.answered) == (1, 0)


async def test_each_client_is_measured_with_its_own_hours(database: Database) -> None:
    one, other = await open_shop(database), await open_shop(database)
    await set_hours(database, one, HOURS)
    always = BusinessHours(target_minutes=120)
    await set_hours(database, other, always)
    for shop in (one, other):
        await (await talk(database, shop)).ask(MONDAY, replied_after=timedelta(hours=4))

    async with database.service() as connection:
        ids = [one.client_id, other.client_id]
        found = await count_day(connection, ids, MONDAY.date(), utc_now())

    counted = {day.client_id: day.counts.breakdown.by_channel[0].in_target for day in found}
    assert counted == {one.client_id: 1, other.client_id: 0}


async def test_the_slices_count_the_same_answers(database: Database) -> None:
    shop = await open_shop(database)
    await set_hours(database, shop, HOURS)
    thread = await talk(database, shop)
    for number, topic in enumerate(("complaint", "complaint", None)):
        await thread.ask(
            MONDAY + timedelta(minutes=number), classification=topic, response="Hello.",
            replied_after=timedelta(hours=3 * number),
        )  # fmt: skip

    found = await insight(database, shop)

    by_class = {one.key: (one.answered, one.in_target) for one in found.by_class}
    assert by_class == {"complaint": (2, 2), None: (1, 0)}
    for parts in (found.by_playbook, found.by_channel):
        assert [(one.answered, one.in_target) for one in parts] == [(3, 2)]


async def test_the_calendar_of_an_old_day_is_limited(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its length does not depend on the day that a request names. An answer after its end is not
    within the target."""
    shop = await open_shop(database)
    holidays = tuple(date(2026, 4, 6) + timedelta(weeks=one) for one in range(MAX_HOLIDAYS))
    mondays = {Weekday.MONDAY: parse_day("09:00-10:00, 11:00-12:00, 14:00-15:00, 17:00-18:00")}
    rare = HOURS.model_copy(update={"week": mondays, "holidays": holidays, "target_minutes": 960})
    await set_hours(database, shop, rare)
    await (await talk(database, shop)).ask(MONDAY, replied_after=timedelta(days=3 * 366))
    lasted: list[timedelta] = []

    def measured(hours: BusinessHours, first: datetime, last: datetime) -> BusinessCalendar:
        lasted.append(last - first)
        return calendar_of(hours, first, last)

    monkeypatch.setattr(first_answer_counts, "calendar_of", measured)
    async with database.service() as connection:
        later = MONDAY + timedelta(days=4_000)
        (found,) = await count_day(connection, [shop.client_id], MONDAY.date(), later)

    assert lasted == [CALENDAR_LASTS]
    (channel,) = found.counts.breakdown.by_channel
    assert (channel.answered, channel.targeted, channel.in_target) == (1, 1, 0)


async def test_many_openings_are_counted_by_several_statements(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_answer_counts, "_OPENINGS", 1)
    shops = [await open_shop(database) for _ in range(3)]
    for shop in shops:
        await set_hours(database, shop, HOURS)
        await (await talk(database, shop)).ask(MONDAY, replied_after=timedelta(hours=4))
    statements = 0

    def counted(_: object, __: object, statement: str, *___: object) -> None:
        nonlocal statements
        statements += "calendar AS MATERIALIZED" in statement

    async with database.service() as connection:
        engine = connection.engine.sync_engine
        sa.event.listen(engine, "before_cursor_execute", counted)
        ids = [one.client_id for one in shops]
        found = await count_day(connection, ids, MONDAY.date(), utc_now())
        sa.event.remove(engine, "before_cursor_execute", counted)

    assert statements == len(shops)
    assert [one.counts.breakdown.by_channel[0].in_target for one in found] == [1] * len(shops)
