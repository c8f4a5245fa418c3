"""A change that loosens the agent's limits waits for a second manager, or for a day."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import httpx
import pytest

from adapters.system import utc_now
from domain.agent.rulebook import ActionLevel
from domain.playbooks.file import PlaybookDraft, write_playbooks, written
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import LooseningHeld
from services.playbooks.playbooks import delete_playbook, update_playbook
from services.playbooks.publish_gate import NEW_CLIENT
from store.audit.tables import audit_entries
from store.tenants.tables import loosenings
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.dashboard.visitors import at_pages
from tests.support.reviews.dashboard import code
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.loosenings import (
    LOOSENINGS,
    PLAYBOOKS,
    another,
    limit_of,
    made,
    put,
    refunding,
    second_manager,
)
from tests.support.tenants.shop import Shop, open_shop

SETTINGS = "/api/dashboard/settings"


@pytest.fixture
async def shop(front: LiveEngine) -> Shop:
    """A shop with a second manager."""
    opened = await open_shop(front.database, event_type="unused.*")
    await second_manager(front, opened)
    return opened


@pytest.fixture
async def playbook_id(front: LiveEngine, shop: Shop) -> str:
    """Create a playbook that refunds up to 50 EUR."""
    return await made(front, shop, refunding())


async def test_an_owner_raises_a_limit_and_a_second_manager_approves(
    front: LiveEngine, shop: Shop, owner: dict[str, str], playbook_id: str
) -> None:
    asked = await put(front, owner, playbook_id, refunding(50_000))

    assert code(asked) == (409, "loosening_held")
    assert await limit_of(front, shop, playbook_id) == 5_000
    waiting = (await front.http.get(LOOSENINGS, headers=owner)).json()["loosenings"]
    change = {
        "place": "shopify.*: refund.limits.per_action",
        "before": "50.00 EUR",
        "after": "500.00 EUR",
    }
    assert [(one["state"], one["differences"]) for one in waiting] == [("pending", [change])]
    assert waiting[0]["loosening_id"] == asked.json()["loosening_id"]
    assert waiting[0]["takes_effect_at"] == asked.json()["takes_effect_at"]
    path = f"{LOOSENINGS}/{asked.json()['loosening_id']}"
    own = await front.http.post(f"{path}/approve", headers=owner)
    assert (code(own), own.json()["why"]) == ((403, "second_person_unfit"), "same_person")
    for how, why in (
        ({"joined_at": utc_now() - timedelta(hours=23)}, "joined_recently"),
        ({"verified": False}, "address_not_verified"),
    ):
        puppet = await another(front, shop, **how)
        refused = await front.http.post(f"{path}/approve", headers=puppet)
        assert (code(refused), refused.json()["why"]) == ((403, "second_person_unfit"), why)

    agreed = await front.http.post(f"{path}/approve", headers=await another(front, shop))

    assert (agreed.status_code, agreed.json()["state"]) == (200, "applied")
    assert await limit_of(front, shop, playbook_id) == 50_000
    assert code(await front.http.post(f"{path}/cancel", headers=owner)) == (
        409,
        "loosening_decided",
    )
    entries = await rows(front.database, audit_entries, of=shop, what="loosened")
    assert change in [{name: one["ids"][name] for name in change} for one in entries]
    assert {"loosening requested", "loosening approved"} <= {
        one["what"] for one in await rows(front.database, audit_entries, of=shop)
    }


async def test_a_tightening_takes_effect_at_once(
    front: LiveEngine, shop: Shop, owner: dict[str, str], playbook_id: str
) -> None:
    assert (await put(front, owner, playbook_id, refunding(100))).status_code == 200
    assert await limit_of(front, shop, playbook_id) == 100
    assert await rows(front.database, loosenings, of=shop) == []


Way = Callable[[LiveEngine, dict[str, str], str], Awaitable[httpx.Response]]
LEVEL = refunding(level=ActionLevel.CUSTOMER_CONFIRMED)
NARROW = refunding(50_000, ActionLevel.AUTONOMOUS, name="Narrow", event_type="shopify.ticket")


async def _import(front: LiveEngine, owner: dict[str, str], _: str) -> httpx.Response:
    file = write_playbooks([refunding(50_000)])
    headers = {**owner, "content-type": "application/yaml"}
    return await front.http.post("/api/dashboard/playbook-file", content=file, headers=headers)


async def _edit(front: LiveEngine, owner: dict[str, str], playbook_id: str) -> httpx.Response:
    answer: httpx.Response = await put(front, owner, playbook_id, LEVEL)
    return answer


async def _narrow(front: LiveEngine, owner: dict[str, str], _: str) -> httpx.Response:
    return await front.http.post(PLAYBOOKS, json=written(NARROW), headers=owner)


async def _off_then_on(
    front: LiveEngine, owner: dict[str, str], playbook_id: str
) -> httpx.Response:
    """An inactive playbook may be loosened at once: its activation is held."""
    off = await front.http.post(f"{PLAYBOOKS}/{playbook_id}/deactivate", headers=owner)
    assert off.status_code == 200
    loose = await put(front, owner, playbook_id, refunding(50_000, active=False))
    assert loose.status_code == 200
    return await front.http.post(f"{PLAYBOOKS}/{playbook_id}/activate", headers=owner)


async def _restore(front: LiveEngine, owner: dict[str, str], playbook_id: str) -> httpx.Response:
    assert (await put(front, owner, playbook_id, refunding(100))).status_code == 200
    path = f"{PLAYBOOKS}/{playbook_id}/versions/1/restore"
    return await front.http.post(path, headers=owner)


async def _setting(front: LiveEngine, owner: dict[str, str], _: str) -> httpx.Response:
    return await front.http.patch(SETTINGS, json={"holds_loosening": False}, headers=owner)


async def _mail_server(front: LiveEngine, owner: dict[str, str], _: str) -> httpx.Response:
    return await front.http.patch(SETTINGS, json={"authserv_ids": ["mx.eve.test"]}, headers=owner)


async def _sensitive_word(front: LiveEngine, owner: dict[str, str], _: str) -> httpx.Response:
    words = {"sensitive_words": ["lawyer", "poison"]}
    assert (await front.http.patch(SETTINGS, json=words, headers=owner)).status_code == 200
    return await front.http.patch(SETTINGS, json={"sensitive_words": ["lawyer"]}, headers=owner)


@pytest.mark.parametrize(
    "way",
    [_import, _edit, _narrow, _off_then_on, _restore, _setting, _mail_server, _sensitive_word],
)
async def test_every_way_waits(
    front: LiveEngine, shop: Shop, owner: dict[str, str], playbook_id: str, way: Way
) -> None:
    answer = await way(front, owner, playbook_id)

    assert code(answer) == (409, "loosening_held")
    (row,) = await rows(front.database, loosenings, of=shop)
    assert row["state"] == "pending"
    path = f"{LOOSENINGS}/{row['id']}/approve"
    agreed = await front.http.post(path, headers=await another(front, shop))
    assert agreed.status_code == 200, agreed.text


async def test_deleting_a_tight_playbook_waits_where_a_loose_one_inherits(
    front: LiveEngine, shop: Shop, owner: dict[str, str], playbook_id: str
) -> None:
    await made(front, shop, refunding(50_000, name="All", event_type="*"))
    deleted = await front.http.delete(f"{PLAYBOOKS}/{playbook_id}", headers=owner)
    assert code(deleted) == (409, "loosening_held")
    assert await limit_of(front, shop, playbook_id) == 5_000


async def test_an_owner_who_removes_the_others_first_still_waits(
    front: LiveEngine, shop: Shop, owner: dict[str, str], playbook_id: str
) -> None:
    members = (await front.http.get("/api/dashboard/members", headers=owner)).json()["members"]
    for member in members:
        if member["role"] != "owner":
            path = f"/api/dashboard/members/{member['user_id']}"
            assert (await front.http.delete(path, headers=owner)).status_code == 204

    assert code(await put(front, owner, playbook_id, refunding(50_000))) == (409, "loosening_held")


async def test_one_manager_alone_waits_for_nobody_and_leaves_an_entry(front: LiveEngine) -> None:
    alone = await open_shop(front.database, event_type="unused.*")
    owner = bearer(session_token(front.settings, alone.owner_user_id))
    playbook_id = await made(front, alone, refunding())

    assert (await put(front, owner, playbook_id, refunding(50_000))).status_code == 200

    assert await limit_of(front, alone, playbook_id) == 50_000
    row = await only_row(front.database, loosenings, of=alone)
    assert (row["state"], row["decided_by"]) == ("applied", alone.owner_user_id)
    log = await rows(front.database, audit_entries, of=alone, what="loosened")
    assert max(log, key=lambda one: one["seq"])["actor"] == alone.owner_user_id


async def test_an_operator_in_a_members_name_is_held_and_alone_is_not(
    front: LiveEngine, shop: Shop, playbook_id: str
) -> None:
    draft = PlaybookDraft(refunding(50_000), says_active=True)
    as_owner = Actor.operator(shop.owner_user_id, login="operator:root")
    units = units_on(front.database)
    with pytest.raises(LooseningHeld):
        async with units.of(shop.tenant) as work:
            await update_playbook(work, as_owner, playbook_id, draft, NEW_CLIENT)
    assert await limit_of(front, shop, playbook_id) == 5_000

    async with units.of(shop.tenant) as work:
        await update_playbook(work, Actor.operator("o"), playbook_id, draft, NEW_CLIENT)
    assert await limit_of(front, shop, playbook_id) == 50_000
    assert await rows(front.database, audit_entries, of=shop, what="loosened")


async def test_at_most_so_many_wait(
    front: LiveEngine, shop: Shop, owner: dict[str, str], playbook_id: str
) -> None:
    for amount in range(20):
        held = await put(front, owner, playbook_id, refunding(50_000 + amount))
        assert code(held) == (409, "loosening_held")
    assert code(await put(front, owner, playbook_id, refunding(60_000))) == (
        409,
        "too_many_loosenings",
    )


async def test_a_deletion_that_loosens_nothing_is_immediate(
    front: LiveEngine, shop: Shop, playbook_id: str
) -> None:
    owner = Actor.person(shop.owner_user_id, Role.OWNER)
    async with units_on(front.database).of(shop.tenant) as work:
        await delete_playbook(work, owner, playbook_id)
    assert await rows(front.database, loosenings, of=shop) == []


async def test_the_pages(
    front: LiveEngine, shop: Shop, owner: dict[str, str], playbook_id: str
) -> None:
    await put(front, owner, playbook_id, refunding(50_000))
    async with at_pages(front, shop, Role.ADMIN) as admin:
        page = await admin.see("/app/loosenings")
        assert "€500.00" in page
        assert "Shopify</small>" in page
        assert "shopify.*" not in page
        (row,) = await rows(front.database, loosenings, of=shop)
        sent = await admin.send("/app/loosenings", f"/app/loosenings/{row['id']}/approve")
        assert "Approved" in await admin.follow(sent)
    async with at_pages(front, shop) as at_owner:
        fields = {"sensitive_words": "", "authserv_ids": ""}
        held = await at_owner.send("/app/settings/safety", "/app/settings/safety", fields)
        assert held.headers["location"] == "/app/loosenings"
    assert await limit_of(front, shop, playbook_id) == 50_000
