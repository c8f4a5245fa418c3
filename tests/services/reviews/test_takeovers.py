"""Taking over a conversation: permissions and audit entries."""

import pytest
from structlog.testing import capture_logs

from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.reviews.takeovers import hand_back, take_over
from store.core.database import Database
from store.runs.tables import ai_conversations
from tests.support.core.rows import only_row
from tests.support.core.units import units_on
from tests.support.reviews.conversations import converse
from tests.support.tenants.shop import Shop

ANNA = Actor.person("anna", Role.AGENT)
BEN = Actor.person("ben", Role.ADMIN)


async def test_reviewers_take_over_and_hand_back(database: Database, shop: Shop) -> None:
    conversation_id = await converse(database, shop)
    with capture_logs() as logs:
        async with units_on(database).of(shop.tenant) as work:
            await take_over(work, ANNA, conversation_id)
            await take_over(work, BEN, conversation_id, force=True)
            await hand_back(work, ANNA, conversation_id)
    assert (await only_row(database, ai_conversations, of=shop))["taken_by"] is None
    noted = [
        (one["event"], one["user_id"]) for one in logs if one.get("client_id") == shop.client_id
    ]
    assert noted == [
        ("conversation taken over", ANNA.name),
        ("conversation taken over", BEN.name),
        ("conversation handed back", ANNA.name),
    ]


@pytest.mark.parametrize("actor", [Actor.person("v", Role.VIEWER), Actor.key("k")])
async def test_who_may_not(database: Database, shop: Shop, actor: Actor) -> None:
    conversation_id = await converse(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        for use_case in (take_over, hand_back):
            with pytest.raises(RoleRequired):
                await use_case(work, actor, conversation_id)
        with pytest.raises(RoleRequired):
            await take_over(work, ANNA, conversation_id, force=True)
