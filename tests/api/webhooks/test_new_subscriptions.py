"""/api/dashboard/webhooks: creating a webhook, and validation."""

import asyncio
from collections.abc import Iterable
from typing import Any

from domain.tenants.client import Role
from domain.webhooks.webhook import EVENT_IDS, MAX_WEBHOOKS
from store.webhooks.tables import webhook_subscriptions
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.rows import rows
from tests.support.core.temporal import TemporalServer
from tests.support.reviews.dashboard import code, person
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.webhook_dashboard import (
    NEW,
    WEBHOOKS,
    all_of,
    ask,
    create,
    ready,
    signs,
)
from tests.support.webhooks.webhooks import subscribe


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
        "once_per_ticket": False,
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
    """On creation and on change."""
    webhook_id, _ = await ready(front, shop)
    before = await rows(front.database, webhook_subscriptions, of=shop)
    for body in BAD_BODIES:
        answers = [await create(front, owner, **body)]
        if None not in body.values() and body != ALLOWED_IN_A_CHANGE:
            url = f"{WEBHOOKS}/{webhook_id}"
            answers.append(await front.http.patch(url, json=body, headers=owner))
        for answer in answers:
            assert answer.status_code == 400, body
            assert answer.json()["code"] in ("invalid_body", "invalid_webhook")
    assert await rows(front.database, webhook_subscriptions, of=shop) == before


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
    """On creation and on change."""
    webhook_id, _ = await ready(front, shop)
    before = await rows(front.database, webhook_subscriptions, of=shop)
    for url in BAD_URLS:
        for answer in (
            await create(front, owner, url=url),
            await ask(front, "change", owner, webhook_id, url=url),
        ):
            assert code(answer) == (400, "invalid_webhook"), url
    assert await rows(front.database, webhook_subscriptions, of=shop) == before


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
