"""Normalization: the thread that a message is assigned to, with a test clock."""

import asyncio
from datetime import datetime, timedelta

from activities.intake.normalize import Normalize
from activities.runtime.fair_normalizer import FairNormalizer
from adapters.normalizing.pool import NormalizerPool
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.agent.escalation_reason import EscalationReason
from domain.agent.safety.net import SafetyGrammar
from domain.core.contracts import RunRef
from domain.intake.contracts import NormalizeInput, NormalizeResult
from store.core.database import Database
from store.reviews.escalations import EscalationRepository
from store.runs.tables import ai_conversations, engine_messages, engine_runs
from store.webhooks.tables import webhook_deliveries
from tests.support.core.rows import only_row, rows
from tests.support.runs.conversation import CUSTOMER, admitted
from tests.support.tenants.shop import Shop
from tests.support.webhooks.told import told_events
from tests.support.webhooks.webhooks import subscribe

NOW = utc_now()
HOUR = timedelta(hours=1)


async def normalized(
    database: Database,
    ref: RunRef,
    now: datetime,
    *,
    lasts: timedelta = 72 * HOUR,
    cut: bool = False,
) -> NormalizeResult:
    step = Normalize(
        database,
        lambda: now,
        new_ulid,
        normalizer=FairNormalizer(NormalizerPool()),
        thread_lasts=lasts,
        net=SafetyGrammar(),
        sealer=FernetSealer(new_seal_key()),
    )
    return await step.normalize(NormalizeInput(ref=ref, cut=cut))


async def come(database: Database, shop: Shop, now: datetime = NOW) -> RunRef:
    return await admitted(database, shop, customer=CUSTOMER, now=now)


async def ask_human(database: Database, shop: Shop, ref: RunRef) -> str:
    async with database.tenant(shop.tenant) as connection:
        await EscalationRepository(connection, shop.tenant).open(
            ref,
            escalation_id=(review_id := new_ulid()),
            round_=0,
            reason=EscalationReason.LOW_CONFIDENCE,
            expires_at=NOW + 72 * HOUR,
            now=NOW,
        )
    return review_id


async def test_each_exchange_is_told_of_with_what_is_to_leave_first(
    database: Database, shop: Shop
) -> None:
    await subscribe(database, shop)
    results = [
        await normalized(database, await come(database, shop, at), at)
        for at in (NOW, NOW + 71 * HOUR, NOW + 143 * HOUR)
    ]

    assert [len(one.deliveries) for one in results] == [1, 0, 1]
    told = await told_events(database, of=shop, event="conversation.created")
    found = await rows(database, ai_conversations, of=shop)
    assert {one.data["conversation_id"] for one in told} == {row["id"] for row in found}
    assert len(found) == 2


async def test_its_time_is_a_setting(database: Database, shop: Shop) -> None:
    for _ in range(2):
        await normalized(database, await come(database, shop), NOW, lasts=timedelta(0))

    assert len(await rows(database, ai_conversations, of=shop)) == 2


async def test_a_repetition_sends_the_same(database: Database, shop: Shop) -> None:
    """The worker died after the commit, before it reported to Temporal."""
    await subscribe(database, shop)
    ref = await come(database, shop)

    first, again = await normalized(database, ref, NOW), await normalized(database, ref, NOW)

    assert first.deliveries == again.deliveries
    assert await rows(database, webhook_deliveries, of=shop, id=first.deliveries[0])
    assert len(await told_events(database, of=shop, event="conversation.created")) == 1


async def test_a_message_joins_the_open_review_of_its_thread(
    database: Database, shop: Shop
) -> None:
    first = await come(database, shop)
    assert (await normalized(database, first, NOW)).joined == ""
    review_id = await ask_human(database, shop, first)
    second = await come(database, shop)

    joined = await normalized(database, second, NOW)

    assert joined.joined == review_id
    assert (await normalized(database, second, NOW)).joined == review_id
    assert (await normalized(database, first, NOW)).joined == ""
    run = await only_row(database, engine_runs, id=second.run_id)
    assert run["joined_review"] == review_id


async def test_of_messages_at_once_none_slips_past_an_open_review(
    database: Database, shop: Shop
) -> None:
    first = await come(database, shop)
    await normalized(database, first, NOW)
    review_id = await ask_human(database, shop, first)
    refs = [await come(database, shop) for _ in range(5)]

    results = await asyncio.gather(*(normalized(database, ref, NOW) for ref in refs))

    assert {one.joined for one in results} == {review_id}


async def test_the_next_exchange_is_the_agents_again(database: Database, shop: Shop) -> None:
    """Human agents took over the previous conversation."""
    await normalized(database, await come(database, shop), NOW)
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            ai_conversations.update()
            .where(ai_conversations.c.client_id == shop.client_id)
            .values(handed_over_at=NOW)
        )

    later = await normalized(database, await come(database, shop), NOW + 72 * HOUR)

    assert later.joined == ""
    handed = [row["handed_over_at"] for row in await rows(database, ai_conversations, of=shop)]
    assert sorted(one is None for one in handed) == [False, True]


async def test_what_was_filed_before_it_was_cut_stays_where_it_is(
    database: Database, shop: Shop
) -> None:
    """The worker died after the commit, and the next attempt timed out."""
    await subscribe(database, shop)
    first = await come(database, shop)
    await normalized(database, first, NOW)
    review_id = await ask_human(database, shop, first)
    second = await come(database, shop)
    await normalized(database, second, NOW)
    before = await only_row(database, engine_messages, of=shop, event_id=second.event_id)

    again = await normalized(database, second, NOW, cut=True)

    assert (again.joined, again.cut) == (review_id, True)
    assert await only_row(database, engine_messages, of=shop, event_id=second.event_id) == before
    assert len(await rows(database, ai_conversations, of=shop)) == 1
    assert len(await told_events(database, of=shop, event="conversation.created")) == 1
