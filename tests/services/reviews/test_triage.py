"""The status, assignee and tags of conversations: permissions, and what reopens a conversation."""

from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from adapters.system import new_ulid, utc_now
from domain.runs.errors import ConversationNotFound, InvalidTriage
from domain.runs.triage import (
    MAX_AT_ONCE,
    ConversationStatus,
    ConversationTriage,
    TriageChange,
)
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.reviews.triage import update_conversation, update_conversations
from store.core.database import Database
from store.runs.conversation_lists import ConversationLists, TalkFilter
from store.runs.triage import TriageRepository
from tests.support.core.units import units_on
from tests.support.reviews.replies import ANNA, conversation_of
from tests.support.runs.conversation import write
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop, open_shop

CLOSE = TriageChange(status=ConversationStatus.CLOSED)


async def _talk(database: Database, shop: Shop) -> str:
    return await conversation_of(database, (await write(database, shop)).event_id)


async def _triage(
    database: Database, shop: Shop, talk: str, *, after: timedelta = timedelta()
) -> ConversationTriage:
    async with database.tenant(shop.tenant) as connection:
        return await TriageRepository(connection, shop.tenant).read(talk, utc_now() + after)


async def test_it_is_changed_and_noted(database: Database, shop: Shop) -> None:
    talk = await _talk(database, shop)
    async with database.service() as connection:
        await join(connection, shop.client_id, ANNA.name, Role.AGENT)
    change = TriageChange(ConversationStatus.CLOSED, None, ANNA.name, ("vip",))
    with capture_logs() as logs:
        async with units_on(database).of(shop.tenant) as work:
            after = await update_conversation(work, ANNA, talk, change)
    assert await _triage(database, shop, talk) == after
    assert (after.status, after.assignee, after.tags) == ("closed", ANNA.name, ("vip",))
    (noted,) = [one for one in logs if one["event"] == "conversation updated"]
    assert (noted["status"], noted["assignee"]) == ("closed", ANNA.name)


async def test_a_snooze_ends_by_itself(database: Database, shop: Shop) -> None:
    talk = await _talk(database, shop)
    change = TriageChange(ConversationStatus.SNOOZED, utc_now() + timedelta(hours=1))
    async with units_on(database).of(shop.tenant) as work:
        await update_conversation(work, ANNA, talk, change)
    assert (await _triage(database, shop, talk)).status is ConversationStatus.SNOOZED
    later = await _triage(database, shop, talk, after=timedelta(hours=2))
    assert (later.status, later.snoozed_until) == (ConversationStatus.OPEN, None)


async def test_the_customers_next_message_opens_it(database: Database, shop: Shop) -> None:
    talk = await _talk(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        await update_conversation(work, ANNA, talk, CLOSE)
    assert await _talk(database, shop) == talk
    assert (await _triage(database, shop, talk)).status is ConversationStatus.OPEN


async def test_the_list_is_filtered(database: Database, shop: Shop) -> None:
    talk = await _talk(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        await update_conversation(work, ANNA, talk, TriageChange(tags=("vip",)))
        lists = ConversationLists(work.connection, shop.tenant)

        async def found(wanted: TalkFilter) -> list[str]:
            talks, _ = await lists.page(wanted, after=None, limit=5, now=work.now)
            return [one.id for one in talks]

        for wanted in (
            TalkFilter(status=ConversationStatus.OPEN), TalkFilter(assignee=""),
            TalkFilter(tag="vip"), TalkFilter(tag="vip", assignee="", unanswered=True),
            TalkFilter(status=ConversationStatus.OPEN, tag="vip", assignee=""),
        ):  # fmt: skip
            assert await found(wanted) == [talk], wanted
        for wanted in (
            TalkFilter(status=ConversationStatus.CLOSED), TalkFilter(assignee="anna"),
            TalkFilter(tag="x"), TalkFilter(status=ConversationStatus.CLOSED, tag="vip"),
            TalkFilter(status=ConversationStatus.OPEN, assignee="anna"),
            TalkFilter(status=ConversationStatus.SNOOZED),
            TalkFilter(taken=True, status=ConversationStatus.OPEN),
        ):  # fmt: skip
            assert await found(wanted) == [], wanted


@pytest.mark.parametrize("actor", [Actor.person("v", Role.VIEWER), Actor.key("k")])
async def test_who_may_not(database: Database, shop: Shop, actor: Actor) -> None:
    talk = await _talk(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(RoleRequired):
            await update_conversation(work, actor, talk, CLOSE)


async def test_neither_strangers_nor_other_clients(database: Database, shop: Shop) -> None:
    talk, other = await _talk(database, shop), await open_shop(database)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(InvalidTriage):
            await update_conversation(work, ANNA, talk, TriageChange(assignee="nobody"))
    async with units_on(database).of(other.tenant) as work:
        with pytest.raises(ConversationNotFound):
            await update_conversation(work, ANNA, talk, CLOSE)


async def test_several_change_together_or_not_at_all(database: Database, shop: Shop) -> None:
    talks = [
        await conversation_of(database, (await write(database, shop, key=f"email:{n}")).event_id)
        for n in range(2)
    ]
    foreign = await _talk(database, await open_shop(database))
    with capture_logs() as logs:
        async with units_on(database).of(shop.tenant) as work:
            changed = await update_conversations(work, ANNA, [*talks, talks[0]], CLOSE)
    assert list(changed) == sorted(talks)
    noted = [one for one in logs if one["event"] == "conversation updated"]
    assert [one["conversation_id"] for one in noted] == sorted(talks)
    open_again = TriageChange(ConversationStatus.OPEN)
    with pytest.raises(ConversationNotFound):
        async with units_on(database).of(shop.tenant) as work:
            await update_conversations(work, ANNA, [*talks, foreign], open_again)
    for talk in talks:
        assert (await _triage(database, shop, talk)).status is ConversationStatus.CLOSED


@pytest.mark.parametrize("count", [0, MAX_AT_ONCE + 1])
async def test_a_change_covers_a_bounded_number(database: Database, shop: Shop, count: int) -> None:
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(InvalidTriage):
            await update_conversations(work, ANNA, [new_ulid() for _ in range(count)], CLOSE)
