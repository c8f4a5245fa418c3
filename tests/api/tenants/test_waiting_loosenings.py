"""A held change takes effect once, is cancelled, or fails."""

from datetime import timedelta

import pytest

from adapters.system import new_ulid, utc_now
from domain.tenants.loosening import LooseningState
from services.core.unit_of_work import UnitsOfWork
from services.playbooks.loosening_approvals import apply_due_loosening
from store.playbooks.playbooks import PlaybookRepository
from store.tenants.tables import loosenings
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.core.units import Recorder
from tests.support.reviews.dashboard import code
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.loosenings import (
    LOOSENINGS,
    another,
    limit_of,
    made,
    put,
    refunding,
    second_manager,
)
from tests.support.tenants.shop import Shop, open_shop


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


def later(front: LiveEngine, hours: float) -> UnitsOfWork:
    """Return units of work this many hours from now."""
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
    """Requested at 50 EUR, then tightened to 1 EUR: nobody has seen a change from 1 to 500."""
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
