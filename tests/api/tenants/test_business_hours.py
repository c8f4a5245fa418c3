"""Business hours over HTTP and on the pages, and the waiting time that follows from them."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from domain.tenants.client import Role
from store.audit.tables import audit_entries
from store.runs.tables import engine_messages
from store.tenants.tables import client_settings
from tests.support.analytics.days import conversation
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.reviews.dashboard import code
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import Shop

HOURS = "/api/dashboard/business-hours"
FORM = "/app/settings/business-hours"
DEFAULTS: dict[str, object] = {
    "time_zone": "Europe/Paris",
    "week": {},
    "holidays": [],
    "target_minutes": None,
}


async def test_the_hours_are_replaced(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    assert (await front.http.get(HOURS, headers=owner)).json() == DEFAULTS
    wanted = {
        "time_zone": "America/New_York",
        "week": {"monday": [{"opens": "09:00", "closes": "17:30"}]},
        "holidays": ["2026-12-25"],
        "target_minutes": 90.0,
    }

    answer = await front.http.put(HOURS, json=wanted, headers=owner)

    assert (answer.status_code, answer.json()) == (200, {**wanted, "target_minutes": 90})
    assert (await front.http.get(HOURS, headers=owner)).json() == answer.json()
    emptied = await front.http.put(HOURS, json={}, headers=owner)
    assert (emptied.status_code, emptied.json()) == (200, DEFAULTS)
    audited = [one["what"] for one in await rows(front.database, audit_entries, of=shop)]
    assert audited == ["business hours changed"] * 2


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({"time_zone": "Mars/Base"}, "invalid_settings"),
        ({"week": {"monday": [{"opens": "17:00", "closes": "09:00"}]}}, "invalid_settings"),
        ({"week": {"monday": [{"opens": "9:00", "closes": "10:00"}]}}, "invalid_body"),
        ({"week": {"lundi": []}}, "invalid_body"),
        ({"holidays": ["25/12/2026"]}, "invalid_body"),
        ({"holidays": ["20261225"]}, "invalid_body"),
        ({"holidays": ["2026-02-30"]}, "invalid_settings"),
        ({"holidays": [20261225]}, "invalid_body"),
        ({"target_minutes": 0}, "invalid_body"),
        ({"target": 5}, "invalid_body"),
    ],
)
async def test_invalid_hours_are_refused(
    front: LiveEngine, owner: dict[str, str], body: dict[str, object], refusal: str
) -> None:
    answer = await front.http.put(HOURS, json=body, headers=owner)
    assert code(answer) == (400, refusal)
    assert (await front.http.get(HOURS, headers=owner)).json() == DEFAULTS


async def test_the_form_of_the_settings_page(front: LiveEngine, shop: Shop) -> None:
    fields = {
        "time_zone": "Europe/Paris",
        "monday": "9h-12h30, 14h-18h",
        "holidays": "2026-12-25\r\n2027-01-01\r\n",
        "target_minutes": "120",
    }
    async with at_pages(front, shop) as owner:
        saved = await owner.send(FORM, FORM, fields)
        page = await owner.follow(saved)
        assert 'value="09:00-12:30, 14:00-18:00"' in page
        assert "2026-12-25\n2027-01-01</textarea>" in page
        assert 'value="120"' in page

        refused = await owner.send(FORM, FORM, {**fields, "monday": "nine to five"})
        page = await owner.follow(refused)
        assert 'value="nine to five"' in page
    async with at_pages(front, shop, Role.VIEWER, language="fr") as viewer:
        page = await viewer.see(FORM)
        assert "Horaires d’ouverture" in page
        assert "Enregistrer</button>" not in page


async def test_holidays_have_the_french_form_on_a_french_page(
    front: LiveEngine, shop: Shop
) -> None:
    async with at_pages(front, shop, language="fr") as owner:
        for given in ("25/12/2026\r\n01/01/2027", "2026-12-25\r\n2027-01-01"):
            fields = {"time_zone": "Europe/Paris", "holidays": given}
            page = await owner.follow(await owner.send(FORM, FORM, fields))
            assert "25/12/2026\n01/01/2027</textarea>" in page
        assert (await _stored(front, shop))["holidays"] == ["2026-12-25", "2027-01-01"]


async def test_a_change_by_a_teammate_is_shown(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner, at_pages(front, shop, Role.ADMIN) as admin:
        behind = await admin.see(FORM)
        await owner.send(FORM, FORM, {"time_zone": "UTC", "target_minutes": "60"})
        answer = await admin.http.post(
            FORM, data={**form_of(behind, FORM), "time_zone": "UTC", "target_minutes": "90"}
        )
        page = await admin.follow(answer)
        assert 'class="conflict"' in page
    assert (await _stored(front, shop))["target_minutes"] == 60


async def _stored(front: LiveEngine, shop: Shop) -> Any:
    (row,) = await rows(front.database, client_settings, of=shop)
    return row["business_hours"]


async def _waits_since(front: LiveEngine, shop: Shop, ago: timedelta) -> str:
    """Move the open review's message to the past, and return its conversation."""
    talk = await conversation(front.database, shop, utc_now())
    async with front.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_messages).values(
                created_at=utc_now() - ago, conversation_id=talk, channel="email"
            )
        )
    return talk


async def test_the_waiting_time_is_shown(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    review_id = await open_review(front.database, shop)
    talk = await _waits_since(front, shop, timedelta(hours=2))
    paths = (f"/app/reviews/{review_id}", f"/app/conversations/{talk}")
    routes = (f"/api/dashboard/reviews/{review_id}", f"/api/dashboard/conversations/{talk}")
    async with at_pages(front, shop) as member, at_pages(front, shop, language="fr") as french:
        for path, route in zip(paths, routes, strict=True):
            assert "Waiting for" not in await member.see(path)
            assert (await front.http.get(route, headers=owner)).json()["waiting"] is None
        await front.http.put(HOURS, json={"target_minutes": 180}, headers=owner)
        for path, route in zip(paths, routes, strict=True):
            assert "Waiting for 2 h, due in 1 h" in " ".join((await member.see(path)).split())
            waiting = (await front.http.get(route, headers=owner)).json()["waiting"]
            assert waiting["waited_s"] == pytest.approx(7_200, abs=60)
            assert waiting["left_s"] == pytest.approx(3_600, abs=60)
            assert (waiting["overdue_s"], waiting["is_overdue"]) == (0, False)
        await front.http.put(HOURS, json={"target_minutes": 100}, headers=owner)
        for path, route in zip(paths, routes, strict=True):
            assert "Overdue by 20 min" in await member.see(path)
            assert "En retard de 20 min" in (await french.see(path)).replace("\u00a0", " ")
            waiting = (await front.http.get(route, headers=owner)).json()["waiting"]
            assert (waiting["left_s"], waiting["is_overdue"]) == (0, True)
