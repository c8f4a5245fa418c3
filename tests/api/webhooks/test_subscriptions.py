"""/api/dashboard/webhooks: who may use it, and with which plan."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.tenants.client import Plan, Role
from store.tenants.tables import clients
from store.webhooks.tables import webhook_subscriptions
from tests.support.core.engine import ENGINE_SECRET, LiveEngine
from tests.support.core.rows import row_counts, rows
from tests.support.reviews.dashboard import admin, code, person, set_clock
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.webhook_dashboard import (
    ABOUT_ONE,
    CHANGES,
    WEBHOOKS,
    all_of,
    ask,
    create,
    ready,
)

# --- Who may --------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", list(Role))
async def test_roles(front: LiveEngine, shop: Shop, role: Role) -> None:
    headers = await person(front, shop, role)
    webhook_id, delivery_id = await ready(front, shop)
    before = await row_counts(front.database), await rows(front.database, webhook_subscriptions)

    answers = [
        await front.http.get(WEBHOOKS, headers=headers),
        await create(front, headers),
        *[await ask(front, what, headers, webhook_id, delivery_id) for what in ABOUT_ONE],
    ]

    if role in (Role.OWNER, Role.ADMIN):
        assert [answer.status_code // 100 for answer in answers] == [2] * len(answers)
    else:
        assert {code(answer) for answer in answers} == {(403, "role_required")}
        after = await row_counts(front.database), await rows(front.database, webhook_subscriptions)
        assert after == before


async def test_internal_admins_may_do_all(front: LiveEngine, shop: Shop) -> None:
    headers = admin(front)
    webhook_id, delivery_id = await ready(front, shop)

    assert len(await all_of(front, headers, client_id=shop.client_id)) == 1
    assert (await create(front, headers, client_id=shop.client_id)).status_code == 201
    for what in ABOUT_ONE:
        answer = await ask(front, what, headers, webhook_id, delivery_id)
        assert answer.is_success, answer.text
    assert code(await create(front, headers, client_id=new_ulid())) == (404, "client_not_found")
    assert code(await create(front, headers)) == (403, "no_client")


@pytest.mark.parametrize("what", ["list", "create", *ABOUT_ONE])
async def test_only_people_who_are_signed_in(front: LiveEngine, shop: Shop, what: str) -> None:
    """Whoever has a leaked key sends nobody's data elsewhere."""
    webhook_id, delivery_id = await ready(front, shop)
    before = await row_counts(front.database), await rows(front.database, webhook_subscriptions)
    for headers in (
        {},
        shop.headers,
        {"x-engine-secret": ENGINE_SECRET},
        {"x-internal-secret": ENGINE_SECRET},
        bearer("no.token.at-all"),
    ):
        if what == "list":
            answer = await front.http.get(WEBHOOKS, headers=headers)
        elif what == "create":
            answer = await create(front, headers)
        else:
            answer = await ask(front, what, headers, webhook_id, delivery_id)
        assert code(answer) == (401, "unauthenticated")
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.headers["cache-control"] == "no-store"
    after = await row_counts(front.database), await rows(front.database, webhook_subscriptions)
    assert after == before


@pytest.mark.parametrize("what", list(ABOUT_ONE))
async def test_another_clients_webhook_looks_like_none(
    front: LiveEngine, shop: Shop, owner: dict[str, str], what: str
) -> None:
    other = await open_shop(front.database)
    theirs, delivery_id = await ready(front, other)
    before = await row_counts(front.database), await rows(front.database, webhook_subscriptions)
    bodies = []
    for webhook_id in (theirs, new_ulid(), "nothing"):
        answer = await ask(front, what, owner, webhook_id, delivery_id)
        assert code(answer) == (404, "webhook_not_found")
        body = answer.json()
        assert body.pop("request_id")
        bodies.append((body, sorted(answer.headers)))
    assert bodies[0] == bodies[1] == bodies[2]
    after = await row_counts(front.database), await rows(front.database, webhook_subscriptions)
    assert after == before


async def test_a_member_of_nobody(front: LiveEngine) -> None:
    headers = bearer(session_token(front.settings, new_ulid()))
    assert code(await front.http.get(WEBHOOKS, headers=headers)) == (403, "no_client")
    assert code(await create(front, headers)) == (403, "no_client")


async def test_methods(front: LiveEngine, owner: dict[str, str]) -> None:
    """All of a path, although each has a route of its own."""
    for path, allowed in (("", "GET, POST"), (f"/{new_ulid()}", "DELETE, GET, PATCH")):
        answer = await front.http.put(WEBHOOKS + path, headers=owner)
        assert code(answer) == (405, "method_not_allowed")
        assert answer.headers["allow"] == allowed


# --- Which plans ----------------------------------------------------------------------------------


@pytest.mark.parametrize("plan", [Plan.FREE, Plan.STARTER])
async def test_below_pro_one_sees_and_removes_what_one_has(
    front: LiveEngine, shop: Shop, owner: dict[str, str], plan: Plan
) -> None:
    webhook_id, delivery_id = await ready(front, shop)
    await set_client(front, shop, plan=plan)
    before = await row_counts(front.database), await rows(front.database, webhook_subscriptions)

    answers = [
        await create(front, owner),
        *[await ask(front, what, owner, webhook_id, delivery_id) for what in CHANGES],
    ]

    for answer in answers:
        assert code(answer) == (402, "plan_required")
        assert "réservée au plan Pro" in answer.json()["error"]
    after = await row_counts(front.database), await rows(front.database, webhook_subscriptions)
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
