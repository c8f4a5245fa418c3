"""/api/dashboard/webhooks: plans that include it."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from domain.tenants.client import Plan
from store.tenants.tables import clients
from store.webhooks.tables import webhook_subscriptions
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import row_counts, rows
from tests.support.reviews.dashboard import code, set_clock
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhook_dashboard import (
    ABOUT_ONE,
    CHANGES,
    all_of,
    ask,
    create,
    ready,
)


@pytest.mark.parametrize("plan", [Plan.FREE, Plan.STARTER])
async def test_below_pro_one_sees_and_removes_what_one_has(
    front: LiveEngine, shop: Shop, owner: dict[str, str], plan: Plan
) -> None:
    webhook_id, delivery_id = await ready(front, shop)
    await set_client(front, shop, plan=plan)
    before = (
        await row_counts(front.database, of=shop),
        await rows(front.database, webhook_subscriptions),
    )

    answers = [
        await create(front, owner),
        *[await ask(front, what, owner, webhook_id, delivery_id) for what in CHANGES],
    ]

    for answer in answers:
        assert code(answer) == (402, "plan_required")
        assert "réservée au plan Pro" in answer.json()["error"]
    after = (
        await row_counts(front.database, of=shop),
        await rows(front.database, webhook_subscriptions),
    )
    assert after == before
    assert [webhook["id"] for webhook in await all_of(front, owner)] == [webhook_id]
    for what in set(ABOUT_ONE) - {*CHANGES, "delete"}:
        assert (await ask(front, what, owner, webhook_id, delivery_id)).status_code == 200
    assert (await ask(front, "delete", owner, webhook_id)).status_code == 204
    assert await all_of(front, owner) == []


async def test_a_trial_has_webhooks_until_it_ends(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    now = utc_now()
    await set_client(front, shop, plan=Plan.FREE, trial_ends_at=now + timedelta(days=1))
    assert (await create(front, owner)).status_code == 201

    set_clock(front, now + timedelta(days=1, seconds=1))
    assert code(await create(front, owner)) == (402, "plan_required")


async def set_client(front: LiveEngine, shop: Shop, **values: object) -> None:
    async with front.database.service() as connection:
        await connection.execute(
            sa.update(clients).where(clients.c.id == shop.client_id).values(**values)
        )
