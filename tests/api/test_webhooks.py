"""/api/dashboard/webhooks: who may use it, and what becomes of a webhook."""

import asyncio
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.client import Plan, Role
from domain.webhook import EVENT_IDS, MAX_WEBHOOKS
from domain.webhook_secret import unseal_secret
from store.tables import clients, webhook_deliveries, webhook_subscriptions
from tests.support.dashboard import admin, code, person, set_clock
from tests.support.engine import ENGINE_SECRET, LiveEngine, live_engine
from tests.support.identity import bearer, session_token
from tests.support.rows import only_row, row_counts, rows
from tests.support.shop import Shop, open_shop
from tests.support.temporal import TemporalServer
from tests.support.webhook_dashboard import (
    ABOUT_ONE,
    CHANGES,
    NEW,
    WEBHOOKS,
    ask,
    create,
    end,
    is_started,
)
from tests.support.webhooks import subscribe, tell


@pytest.fixture
async def owner(front: LiveEngine, shop: Shop) -> dict[str, str]:
    return await person(front, shop, Role.OWNER)


async def all_of(front: LiveEngine, headers: dict[str, str], **query: str) -> list[dict[str, Any]]:
    answer = await front.http.get(WEBHOOKS, params=query, headers=headers)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["webhooks"]
    return found


async def ready(front: LiveEngine, shop: Shop) -> tuple[str, str]:
    """Ids of a webhook and of a delivery to it that has ended."""
    sealer = front.app.state.services.sealer
    webhook = await subscribe(front.database, shop, sealer=sealer)
    (delivery_id,) = await tell(front.database, shop)
    await end(front, shop, delivery_id)
    return webhook.id, delivery_id


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


# --- Creating -------------------------------------------------------------------------------------


async def test_create(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    answer = await create(front, owner, label="  Commandes  ", retry_policy="standard")

    assert answer.status_code == 201
    assert answer.headers["cache-control"] == "no-store"
    body = answer.json()
    webhook_id = body["webhook"]["id"]
    assert body["webhook"].pop("created_at")
    assert body["webhook"] == {
        "id": webhook_id,
        "label": "Commandes",
        "url": NEW["url"],
        "events": NEW["events"],
        "retry_policy": "standard",
        "is_active": True,
        "failure_count": 0,
        "disabled_at": None,
        "disabled_reason": None,
        "previous_secret_until": None,
        "missed": 0,
    }
    assert await signs(front, shop, webhook_id) == body["secret"]
    read = await ask(front, "read", owner, webhook_id)
    (listed,) = await all_of(front, owner)
    assert {**body["webhook"], "created_at": listed["created_at"]} == listed == read.json()


async def signs(front: LiveEngine, shop: Shop, webhook_id: str) -> str:
    """The secret as it is stored, unsealed."""
    row = await only_row(front.database, webhook_subscriptions, id=webhook_id)
    sealer = front.app.state.services.sealer
    return unseal_secret(sealer, shop.client_id, webhook_id, row["secret_sealed"])


async def test_events(front: LiveEngine, owner: dict[str, str]) -> None:
    for events, kept in (
        ("*", ["*"]),
        (["*"], ["*"]),
        (["ticket.resolved", "*"], ["*"]),
        (["ticket.escalated", "ticket.resolved", "ticket.escalated"], NEW["events"]),
        (list(EVENT_IDS), list(EVENT_IDS)),
    ):
        answer = await create(front, owner, events=events)
        assert answer.json()["webhook"]["events"] == kept


ALLOWED_IN_A_CHANGE = {"is_active": False}
BAD_BODIES: Iterable[dict[str, Any]] = (
    {"label": None},
    {"label": ""},
    {"label": "   "},
    {"label": "x" * 101},
    {"label": "a\nb"},
    {"label": 7},
    {"url": None},
    {"url": 7},
    {"events": None},
    {"events": []},
    {"events": ["ticket.gone"]},
    {"events": ["ticket.resolved"] * 9_000},
    {"events": ["ticket.resolved"] * 10_001},
    {"events": "ticket.resolved"},
    {"events": [["*"]]},
    {"events": [None]},
    {"events": {"*": True}},
    {"retry_policy": "often"},
    {"retry_policy": 1},
    {"client_id": 7},
    {"secret": "whsec_" + "0" * 48},
    ALLOWED_IN_A_CHANGE,
)


async def test_bad_bodies(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """When it is made, and when it is changed."""
    webhook_id, _ = await ready(front, shop)
    before = await rows(front.database, webhook_subscriptions)
    for body in BAD_BODIES:
        answers = [await create(front, owner, **body)]
        if None not in body.values() and body != ALLOWED_IN_A_CHANGE:
            url = f"{WEBHOOKS}/{webhook_id}"
            answers.append(await front.http.patch(url, json=body, headers=owner))
        for answer in answers:
            assert answer.status_code == 400, body
            assert answer.json()["code"] in ("invalid_body", "invalid_webhook")
    assert await rows(front.database, webhook_subscriptions) == before


BAD_URLS = (
    "",
    "hooks.example.com",
    "http://hooks.example.com/",
    "ftp://hooks.example.com/",
    "https://",
    "https://user:password@hooks.example.com/",
    "https://hooks.example.com:80/",
    "https://hooks.example.com:0/",
    "https://hooks.example.com:99999/",
    "https://hooks.example.com/#part",
    "https://hooks.example.com/a b",
    "https://hooks.example.com\\@other.example/",
    "https://localhost/",
    "https://shop.internal/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://127.1/",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/",
    "https://[::ffff:7f00:1]/",
    "https://hooks.example.com/" + "x" * 2048,
)


async def test_bad_urls(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """When it is made, and when it is changed."""
    webhook_id, _ = await ready(front, shop)
    before = await rows(front.database, webhook_subscriptions)
    for url in BAD_URLS:
        for answer in (
            await create(front, owner, url=url),
            await ask(front, "change", owner, webhook_id, url=url),
        ):
            assert code(answer) == (400, "invalid_webhook"), url
    assert await rows(front.database, webhook_subscriptions) == before


async def test_private_addresses_by_setting(
    database_url: str, temporal: TemporalServer, shop: Shop
) -> None:
    async with live_engine(
        database_url, temporal.address, "default", webhook_allow_private_addresses=True
    ) as front:
        headers = bearer(session_token(front.settings, shop.owner_user_id))
        allowed = await create(front, headers, url="https://127.0.0.1:8443/")
        never = await create(front, headers, url="https://169.254.169.254/")
    assert allowed.status_code == 201
    assert code(never) == (400, "invalid_webhook")


async def test_the_last_one_is_made_once(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    for _ in range(MAX_WEBHOOKS - 1):
        await subscribe(front.database, shop)
    answers = await asyncio.gather(*(create(front, owner) for _ in range(8)))

    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 7
    assert {code(answer)[1] for answer in answers if answer.status_code == 409} == {
        "too_many_webhooks"
    }
    assert len(await all_of(front, owner)) == MAX_WEBHOOKS
    other = await open_shop(front.database)
    assert (await create(front, await person(front, other, Role.OWNER))).status_code == 201


# --- Changing -------------------------------------------------------------------------------------


async def test_change(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    webhook_id, _ = await ready(front, shop)
    wanted = {
        "label": "x" * 100,
        "url": "https://hooks.example.com:8443/autre",
        "events": ["playbook.activated"],
        "retry_policy": "standard",
    }
    before = (await all_of(front, owner))[0]
    for name, value in wanted.items():
        only = {**dict.fromkeys(["label"]), name: value}
        answer = await ask(front, "change", owner, webhook_id.lower(), **only)
        assert (answer.status_code, answer.json()[name]) == (200, value)
    assert (await all_of(front, owner))[0] == {**before, **wanted}


async def test_nothing_to_change(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    webhook_id, _ = await ready(front, shop)
    before = (await all_of(front, owner))[0]
    url = f"{WEBHOOKS}/{webhook_id}"
    empty = await front.http.patch(url, json={}, headers=owner)
    assert code(empty) == (400, "invalid_body")
    nulls = await front.http.patch(url, json={"label": None, "is_active": None}, headers=owner)
    assert (nulls.status_code, nulls.json()) == (200, before)


async def test_pause_and_enable(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    webhook_id, _ = await ready(front, shop)

    paused = await ask(front, "change", owner, webhook_id, label=None, is_active=False)
    assert paused.json()["is_active"] is False
    assert paused.json()["disabled_reason"] == "manual"
    refused = await ask(front, "change", owner, webhook_id, is_active=True)
    assert code(refused) == (400, "invalid_webhook")
    assert "/enable" in refused.json()["error"]
    assert await tell(front.database, shop) == ()

    answer = await ask(front, "enable", owner, webhook_id)
    assert answer.status_code == 200
    body = answer.json()
    webhook = body["webhook"]
    assert (webhook["is_active"], webhook["failure_count"], webhook["disabled_at"]) == (
        True, 0, None
    )  # fmt: skip
    assert body["missed"] == webhook["missed"] == 1
    test = await only_row(front.database, webhook_deliveries, id=body["test_delivery_id"])
    assert (test["trigger"], test["event"], test["status"]) == (
        "test", "ticket.resolved", "pending"
    )  # fmt: skip
    assert await is_started(front, shop, test["id"])


@pytest.mark.parametrize("hours", [None, 0, 0.5, 168])
async def test_rotate(
    front: LiveEngine, shop: Shop, owner: dict[str, str], hours: float | None
) -> None:
    now = utc_now()
    set_clock(front, now)
    webhook_id = (await create(front, owner)).json()["webhook"]["id"]
    before = await signs(front, shop, webhook_id)

    body = {} if hours is None else {"overlap_hours": hours}
    answer = await ask(front, "rotate", owner, webhook_id, **body)

    assert answer.status_code == 200
    secret = answer.json()["secret"]
    assert secret != before
    assert await signs(front, shop, webhook_id) == secret
    until = now + timedelta(hours=24 if hours is None else hours)
    row = await only_row(front.database, webhook_subscriptions)
    assert row["previous_until"] == (None if hours == 0 else until)


async def test_bad_overlaps(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    webhook_id, _ = await ready(front, shop)
    before = await rows(front.database, webhook_subscriptions)
    for hours in (-1, 168.1, "24", True, None):
        answer = await ask(front, "rotate", owner, webhook_id, overlap_hours=hours)
        assert code(answer) == (400, "invalid_body"), hours
    assert await rows(front.database, webhook_subscriptions) == before


async def test_test(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """Of any event, to a paused webhook too."""
    created = await create(front, owner, events=["conversation.created", "ticket.escalated"])
    webhook_id = created.json()["webhook"]["id"]
    await ask(front, "change", owner, webhook_id, is_active=False)
    for event in (None, *EVENT_IDS):
        body = {"event": event} if event else {}
        answer = await ask(front, "test", owner, webhook_id, **body)

        assert answer.status_code == 202
        delivery_id = answer.json()["delivery_id"]
        row = await only_row(front.database, webhook_deliveries, id=delivery_id)
        assert (row["trigger"], row["event"]) == ("test", event or "ticket.escalated")
        assert f'"event":"{row["event"]}"'.encode() in row["request_body"]
        assert await is_started(front, shop, delivery_id)


async def test_bad_tests(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    webhook_id, _ = await ready(front, shop)
    bad: tuple[object, ...] = ("*", "ticket.gone", 7, [])
    for event in bad:
        answer = await ask(front, "test", owner, webhook_id, event=event)
        assert code(answer) == (400, "invalid_body")


async def test_temporal_away(database_url: str, shop: Shop) -> None:
    """What is to be sent is stored; the sweeper has it sent."""
    async with live_engine(database_url, "127.0.0.1:1", "default", lazy=True) as front:
        headers = bearer(session_token(front.settings, shop.owner_user_id))
        webhook_id = (await create(front, headers)).json()["webhook"]["id"]
        answer = await ask(front, "test", headers, webhook_id)
        assert answer.status_code == 202
        assert (await only_row(front.database, webhook_deliveries))["status"] == "pending"


async def test_delete(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    webhook_id, _ = await ready(front, shop)
    kept = (await subscribe(front.database, shop)).id
    answer = await ask(front, "delete", owner, webhook_id)
    assert (answer.status_code, answer.content) == (204, b"")
    assert [webhook["id"] for webhook in await all_of(front, owner)] == [kept]
    for what in ABOUT_ONE:
        assert code(await ask(front, what, owner, webhook_id, new_ulid())) == (
            404, "webhook_not_found"
        )  # fmt: skip


async def test_a_secret_is_shown_once(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    created = (await create(front, owner, events="*")).json()
    webhook_id = created["webhook"]["id"]
    (delivery_id,) = await tell(front.database, shop)
    await end(front, shop, delivery_id)
    rotated = (await ask(front, "rotate", owner, webhook_id)).json()
    row = await only_row(front.database, webhook_subscriptions)
    hidden = [created["secret"], rotated["secret"], row["secret_sealed"], row["previous_sealed"]]
    assert None not in hidden

    others = set(ABOUT_ONE) - {"rotate", "delete"}
    answers = [
        await front.http.get(WEBHOOKS, headers=owner),
        *[await ask(front, what, owner, webhook_id, delivery_id) for what in others],
    ]

    for answer in answers:
        assert answer.is_success, answer.text
        for secret in hidden:
            assert secret.removeprefix("whsec_") not in answer.text
