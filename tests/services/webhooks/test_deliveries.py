"""The use cases for deliveries: the same for members and operators."""

import pytest

from adapters.system import new_ulid
from domain.billing.errors import PlanRequired
from domain.tenants.actor import Actor
from domain.tenants.client import Plan, Role
from domain.tenants.errors import RoleRequired
from services.webhooks.deliveries import (
    replay_delivery,
    replay_missed,
    send_test,
    signature_evidence,
)
from store.core.database import Database
from store.webhooks.tables import webhook_deliveries
from tests.support.core.rows import rows
from tests.support.core.units import Recorder, units_on
from tests.support.tenants.shop import Shop
from tests.support.webhooks.deliveries import BROKEN, LONG_AGO, Hooks
from tests.support.webhooks.webhooks import SEALER

OPERATOR = Actor.operator("operator:test")


async def test_what_is_asked_for_is_sent_after_the_commit(database: Database, shop: Shop) -> None:
    hooks, engine = Hooks(database, shop), Recorder()
    webhook_id = (await hooks.subscribe()).id
    await hooks.told_and_sent(BROKEN, 2)
    first = (await rows(database, webhook_deliveries, of=shop))[0]["id"]

    async with units_on(database, engine).of(shop.tenant) as work:
        test = await send_test(work, OPERATOR, webhook_id)
        again = await replay_delivery(work, OPERATOR, webhook_id, first)
        missed = await replay_missed(work, OPERATOR, webhook_id, LONG_AGO)
        assert engine.sent == []

    assert len(missed.delivery_ids) == 1, "the other is on its way already"
    assert engine.sent == [test, again, *missed.delivery_ids]


async def test_who_may_not(database: Database, shop: Shop) -> None:
    """No route reaches this point; a use case checks every caller."""
    webhook_id = (await Hooks(database, shop).subscribe()).id
    for actor in (Actor.person(new_ulid(), Role.VIEWER), Actor.key(shop.key_id)):
        async with units_on(database).of(shop.tenant) as work:
            for use_case in (
                send_test(work, actor, webhook_id),
                replay_delivery(work, actor, webhook_id, new_ulid()),
                replay_missed(work, actor, webhook_id, LONG_AGO),
                signature_evidence(work, actor, webhook_id, sealer=SEALER),
            ):
                with pytest.raises(RoleRequired):
                    await use_case


async def test_verifying_needs_the_plan_on_the_command_line_too(
    database: Database, shop: Shop
) -> None:
    """HTTP always required it."""
    hooks = Hooks(database, shop)
    webhook_id = (await hooks.subscribe()).id
    async with units_on(database).of(shop.tenant) as work:
        evidence = await signature_evidence(work, OPERATOR, webhook_id, sealer=SEALER)
    assert len(evidence.secrets) == 1
    await hooks.set_plan(Plan.STARTER)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(PlanRequired):
            await signature_evidence(work, OPERATOR, webhook_id, sealer=SEALER)
