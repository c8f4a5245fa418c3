"""Records older than their retention period are deleted with everything that depends on them, and
nothing else."""

from datetime import datetime, timedelta
from functools import partial

import pytest
import sqlalchemy as sa
from temporalio.testing import ActivityEnvironment

from activities.privacy import retain
from activities.privacy.retain import Retain
from adapters.system import new_ulid, utc_now
from domain.privacy.contracts import RetentionInput
from domain.privacy.retention import DEFAULT_DAYS, RecordClass
from domain.webhooks.samples import sample
from store.analytics.tables import churn_predictions, metrics_daily
from store.core.database import Database
from store.customers.customer_index import CustomerIndex
from store.customers.tables import customer_words, customers
from store.exports.tables import automation_events
from store.intake.tables import engine_events
from store.privacy import retention
from store.privacy.retention import RetainedPage, RetentionRepository
from store.runs.tables import (
    ai_conversations,
    conversation_replies,
    customer_memories,
    engine_messages,
)
from store.tenants.tables import client_settings
from store.webhooks.outbox import Outbox
from store.webhooks.tables import outbox, webhook_deliveries
from tests.support.core.rows import row_counts, rows
from tests.support.privacy.old_records import leave_figures, leave_records, ulid_of
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.webhooks import subscribe

pytestmark = pytest.mark.own_database

KEPT = DEFAULT_DAYS[RecordClass.CONVERSATIONS]
OF_AN_EVENT = (
    "engine_events", "engine_messages", "engine_runs", "escalation_tickets", "action_ledger",
    "sentiment_logs", "usage_ledger", "ai_conversations",
    "attachments", "attachment_chunks", "conversation_replies", "conversation_notes",
)  # fmt: skip


def days_ago(days: float) -> datetime:
    return utc_now() - timedelta(days=days)


async def run(database: Database, *heartbeat: object) -> int:
    environment = ActivityEnvironment()
    environment.info = environment.default_info()
    if heartbeat:
        environment.info = environment.info.__class__(
            **{**environment.info.__dict__, "heartbeat_details": heartbeat}
        )
    return (await environment.run(Retain(database, utc_now).retain, RetentionInput())).removed


async def set_days(database: Database, shop: Shop, **days: int | None) -> None:
    async with database.service() as connection:
        await connection.execute(
            sa.insert(client_settings).values(
                client_id=shop.client_id, retention=days, updated_at=utc_now()
            )
        )


async def test_old_records_go_with_all_that_belongs_to_them(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "PAGE", 2)  # several pages
    other = await open_shop(database)
    async with database.service() as connection:
        before = await row_counts(database)
        for one in (shop, other):
            for age in (KEPT + 1, KEPT + 2, KEPT + 400, KEPT + 401, KEPT + 402):
                await leave_records(connection, one, days_ago(age))
    async with database.service() as connection:
        young = [await leave_records(connection, shop, days_ago(age)) for age in (KEPT - 0.1, 1, 0)]

    assert await run(database) == 2 * 5 * 13
    assert await run(database) == 0

    left = await row_counts(database)
    for table in OF_AN_EVENT:
        assert left[table] - before[table] == 3 * (3 if table == "engine_messages" else 1), table
    ids = {row["id"] for row in await rows(database, engine_events)}
    assert ids == {one.event_id for one in young}


async def test_what_is_not_over_stays(database: Database, shop: Shop) -> None:
    async with database.service() as connection:
        parked = await leave_records(
            connection, shop, days_ago(KEPT + 9), status="needs_review", taken_up=False
        )
        unanswered = await leave_records(connection, shop, days_ago(KEPT + 9), status="received")
        await leave_records(connection, shop, days_ago(KEPT + 9), status="failed")

    await run(database)

    ids = {row["id"] for row in await rows(database, engine_events)}
    assert ids == {parked.event_id, unanswered.event_id}
    assert len(await rows(database, ai_conversations)) == 2
    assert len(await rows(database, engine_messages)) == 6


async def test_a_conversation_goes_with_its_last_message(database: Database, shop: Shop) -> None:
    async with database.service() as connection:
        first = await leave_records(
            connection, shop, days_ago(KEPT + 9), last_message_at=days_ago(5)
        )
        await leave_records(connection, shop, days_ago(5), conversation_id=first.conversation_id)

    await run(database)

    assert [row["id"] for row in await rows(database, ai_conversations)] == [first.conversation_id]
    assert len(await rows(database, engine_messages)) == 3


async def test_a_client_sets_its_own_days(database: Database, shop: Shop) -> None:
    forever, short = await open_shop(database), await open_shop(database)
    await set_days(database, forever, conversations=None, churn=None, metrics=None)
    await set_days(database, short, conversations=90, churn=30, metrics=90, automation_events=1)
    async with database.service() as connection:
        for one in (forever, shop, short):
            await leave_records(connection, one, days_ago(91))
            await leave_records(connection, one, days_ago(KEPT + 1))
            await leave_figures(connection, one, days_ago(92))
            await leave_figures(connection, one, days_ago(9_999))

    await run(database)

    for table, expected in (
        (engine_events, (2, 1, 0)),
        (churn_predictions, (2, 1, 0)),
        (metrics_daily, (2, 1, 0)),
        (automation_events, (1, 1, 0)),
    ):
        kept = tuple(
            [len(await rows(database, table, client_id=one.client_id))
             for one in (forever, shop, short)]
        )  # fmt: skip
        assert kept == expected, table.name


async def test_what_was_told_goes_too(database: Database, shop: Shop) -> None:
    await subscribe(database, shop)
    async with database.tenant(shop.tenant) as connection:
        for age in (KEPT + 1, KEPT - 1):
            await Outbox(connection, shop.tenant).add(
                sample("ticket.resolved"),
                dedup_key=new_ulid(),
                now=days_ago(age),
                new_id=partial(ulid_of, days_ago(age)),
            )
        finished = {"status": "success", "finished_at": webhook_deliveries.c.created_at}
        await connection.execute(sa.update(webhook_deliveries).values(finished))

    await run(database)

    (delivery,) = await rows(database, webhook_deliveries)
    (told,) = await rows(database, outbox)
    assert delivery["event_id"] == told["id"]


async def test_a_retry_goes_on_where_the_last_try_was(database: Database) -> None:
    first, second = sorted(
        [await open_shop(database), await open_shop(database)], key=lambda one: one.client_id
    )
    async with database.service() as connection:
        for one in (first, second):
            await leave_records(connection, one, days_ago(KEPT + 1))

    assert await run(database, first.client_id, 41, 0) == 41 + 13

    assert len(await rows(database, engine_events, client_id=first.client_id)) == 1
    assert await rows(database, engine_events, client_id=second.client_id) == []


async def test_one_client_does_not_keep_the_others_from_theirs(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = sorted(
        [await open_shop(database), await open_shop(database)], key=lambda one: one.client_id
    )
    async with database.service() as connection:
        for one in (first, second):
            await leave_records(connection, one, days_ago(KEPT + 1))
    events = RetentionRepository.events

    async def take_too_long(
        repository: RetentionRepository, before: datetime, after: str
    ) -> RetainedPage:
        if repository._tenant == first.client_id:
            await repository._connection.execute(sa.text("SET LOCAL statement_timeout = 1"))
            await repository._connection.execute(sa.text("SELECT pg_sleep(1)"))
        return await events(repository, before, after)

    monkeypatch.setattr(
        retain, "_PAGED", ((RecordClass.CONVERSATIONS, take_too_long), retain._PAGED[1])
    )

    assert await run(database) == 13

    assert len(await rows(database, engine_events, client_id=first.client_id)) == 1
    assert await rows(database, engine_events, client_id=second.client_id) == []


async def test_a_customer_is_forgotten_who_has_not_written_since(
    database: Database, shop: Shop
) -> None:
    async with database.service() as connection:
        for key, age in (("email:old", KEPT + 1), ("email:young", KEPT - 1)):
            await connection.execute(
                sa.insert(customer_memories).values(
                    client_id=shop.client_id, key=key, summary="s", updated_at=days_ago(age)
                )
            )

        for email, age in (("old@x.example", KEPT + 1), ("young@x.example", KEPT - 1)):
            await CustomerIndex(connection, shop.tenant).keep(
                email, None, is_verified=True, new_id=new_ulid, at=days_ago(age)
            )

    assert await run(database) == 2

    assert [row["key"] for row in await rows(database, customer_memories)] == ["email:young"]
    assert [row["key"] for row in await rows(database, customers)] == ["young@x.example"]
    assert "old" not in {row["word"] for row in await rows(database, customer_words)}


@pytest.mark.parametrize("state", ["scheduled", "sending"])
async def test_a_reply_that_is_on_its_way_keeps_its_message(
    database: Database, shop: Shop, state: str
) -> None:
    """Its send would find nothing to record its outcome in, and the mail was sent all the same."""
    async with database.service() as connection:
        made = await leave_records(connection, shop, days_ago(KEPT + 9))
        replies = conversation_replies.c
        this = replies.event_id == made.event_id
        await connection.execute(sa.update(conversation_replies).where(this).values(state=state))

    await run(database)
    assert len(await rows(database, conversation_replies, of=shop)) == 1

    async with database.service() as connection:
        await connection.execute(sa.update(conversation_replies).where(this).values(state="failed"))
    await run(database)
    for table in (conversation_replies, engine_events):
        assert await rows(database, table, of=shop) == []
