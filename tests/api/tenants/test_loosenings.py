"""A change that lets the agent do more waits for a second manager, or for a day."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest

from adapters.system import new_ulid, utc_now
from domain.agent.rulebook import ActionLevel
from domain.playbooks.file import write_playbooks, written
from domain.playbooks.playbook import PlaybookSpec
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import LooseningHeld
from domain.tenants.loosening import LooseningState
from services.core.unit_of_work import UnitsOfWork
from services.playbooks.loosenings import apply_due_loosening
from services.playbooks.playbooks import delete_playbook, update_playbook
from services.playbooks.publish_gate import NEW_CLIENT
from store.audit.tables import audit_entries
from store.playbooks.playbooks import PlaybookRepository
from store.tenants.tables import loosenings
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.core.units import Recorder, units_on
from tests.support.dashboard.visitors import at_pages
from tests.support.reviews.dashboard import code
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.joined import join
from tests.support.tenants.loosenings import LOOSENINGS, refunding, second_manager
from tests.support.tenants.shop import Shop, open_shop

PLAYBOOKS = "/api/dashboard/playbooks"
SETTINGS = "/api/dashboard/settings"


@pytest.fixture
async def shop(front: LiveEngine) -> Shop:
    """One whose playbook answers shopify's events, and has a second manager."""
    made = await open_shop(front.database, event_type="unused.*")
    await second_manager(front, made)
    return made


@pytest.fixture
async def playbook_id(front: LiveEngine, shop: Shop) -> str:
    """A playbook that refunds up to 50 EUR, made by an operator."""
    return await made(front, shop, refunding())


async def made(front: LiveEngine, shop: Shop, spec: PlaybookSpec) -> str:
    from services.playbooks.playbooks import create_playbook  # noqa: PLC0415

    async with units_on(front.database).of(shop.tenant) as work:
        entry = await create_playbook(work, Actor.operator("operator:root"), spec, NEW_CLIENT)
    return entry.playbook.id


async def another(front: LiveEngine, shop: Shop, **how: Any) -> dict[str, str]:
    """The headers of one more admin."""
    user_id = new_ulid()
    async with front.database.service() as connection:
        await join(connection, shop.client_id, user_id, Role.ADMIN, **how)
    return bearer(session_token(front.settings, user_id))


async def limit_of(front: LiveEngine, shop: Shop, playbook_id: str) -> int | None:
    async with front.database.reading(shop.tenant) as connection:
        entry = await PlaybookRepository(connection, shop.tenant).read(playbook_id)
    (rule,) = entry.rulebook.actions.values()
    return rule.limits and rule.limits.per_action


def put(front: LiveEngine, headers: dict[str, str], playbook_id: str, spec: PlaybookSpec) -> Any:
    return front.http.put(f"{PLAYBOOKS}/{playbook_id}", json=written(spec), headers=headers)


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
    """What is off may be loosened at once: turning it on is what waits."""
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


@pytest.mark.parametrize(
    "way", [_import, _edit, _narrow, _off_then_on, _restore, _setting, _mail_server]
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
    assert [
        one["actor"] for one in await rows(front.database, audit_entries, of=alone, what="loosened")
    ][-1] == alone.owner_user_id


async def test_an_operator_in_a_members_name_is_held_and_alone_is_not(
    front: LiveEngine, shop: Shop, playbook_id: str
) -> None:
    from domain.playbooks.file import PlaybookDraft  # noqa: PLC0415

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


def later(front: LiveEngine, hours: float) -> UnitsOfWork:
    """Units of work of so many hours from now."""
    at = utc_now() + timedelta(hours=hours)
    return UnitsOfWork(front.database, Recorder(), lambda: at, new_ulid)


async def applied(front: LiveEngine, shop: Shop, loosening_id: str, hours: float) -> str:
    async with later(front, hours).of(shop.tenant) as work:
        state = await apply_due_loosening(work, loosening_id, lambda: "")
    return state.value


async def test_it_takes_effect_after_a_day_once(
    front: LiveEngine, shop: Shop, owner: dict[str, str], playbook_id: str
) -> None:
    asked = await put(front, owner, playbook_id, refunding(50_000))
    loosening_id = asked.json()["loosening_id"]

    assert await applied(front, shop, loosening_id, 23.9) == LooseningState.PENDING
    assert await limit_of(front, shop, playbook_id) == 5_000
    assert await applied(front, shop, loosening_id, 24.1) == LooseningState.APPLIED
    assert await applied(front, shop, loosening_id, 24.2) == LooseningState.APPLIED

    assert await limit_of(front, shop, playbook_id) == 50_000
    row = await only_row(front.database, loosenings, of=shop)
    assert row["decided_by"] == "time"
    async with front.database.reading(shop.tenant) as connection:
        entry = await PlaybookRepository(connection, shop.tenant).read(playbook_id)
    assert entry.playbook.version == 2


async def test_what_was_cancelled_never_takes_effect(
    front: LiveEngine, shop: Shop, owner: dict[str, str], playbook_id: str
) -> None:
    asked = await put(front, await another(front, shop), playbook_id, refunding(50_000))
    loosening_id = asked.json()["loosening_id"]
    cancelled = await front.http.post(f"{LOOSENINGS}/{loosening_id}/cancel", headers=owner)
    assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
    assert await applied(front, shop, loosening_id, 25) == LooseningState.CANCELLED
    assert await limit_of(front, shop, playbook_id) == 5_000


async def test_it_fails_where_it_would_loosen_more_than_it_showed(
    front: LiveEngine, shop: Shop, owner: dict[str, str], playbook_id: str
) -> None:
    """Asked for at 50 EUR, and tightened to 1 EUR meanwhile: 1 -> 500 was shown to nobody."""
    asked = await put(front, owner, playbook_id, refunding(50_000))
    loosening_id = asked.json()["loosening_id"]
    assert (await put(front, owner, playbook_id, refunding(100))).status_code == 200

    path = f"{LOOSENINGS}/{loosening_id}/approve"
    refused = await front.http.post(path, headers=await another(front, shop))
    assert code(refused) == (409, "loosening_changed")
    assert await applied(front, shop, loosening_id, 25) == LooseningState.FAILED
    assert await limit_of(front, shop, playbook_id) == 100
    row = await only_row(front.database, loosenings, of=shop)
    assert row["error_code"] == "loosening_changed"


async def test_it_fails_where_who_asked_is_no_manager_any_more(
    front: LiveEngine, shop: Shop, owner: dict[str, str], playbook_id: str
) -> None:
    admin = await second_manager(front, shop)
    headers = bearer(session_token(front.settings, admin.name))
    asked = await put(front, headers, playbook_id, refunding(50_000))
    member = f"/api/dashboard/members/{admin.name}"
    assert (await front.http.delete(member, headers=owner)).status_code == 204

    assert await applied(front, shop, asked.json()["loosening_id"], 25) == LooseningState.FAILED
    assert await limit_of(front, shop, playbook_id) == 5_000


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
        assert "500.00 EUR" in page
        (row,) = await rows(front.database, loosenings, of=shop)
        sent = await admin.send("/app/loosenings", f"/app/loosenings/{row['id']}/approve")
        assert "Approved" in await admin.follow(sent)
    async with at_pages(front, shop) as at_owner:
        fields = {"sensitive_words": "", "authserv_ids": ""}
        held = await at_owner.send("/app/settings", "/app/settings", fields)
        assert held.headers["location"] == "/app/loosenings"
    assert await limit_of(front, shop, playbook_id) == 50_000
