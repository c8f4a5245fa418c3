"""The data pages: export, retention, erasure requests, and erasure by an operator."""

import json

import pytest

from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.inbound.data_requests import data_requested
from tests.support.tenants.shop import Shop, open_shop

DATA = "/app/data"
REQUESTS = "/app/data-requests"
DAYS = {
    "conversations": "100",
    "churn": "365",
    "metrics": "",
    "automation_events": "730",
    "known": "on",
}


@pytest.mark.parametrize(("language", "days"), [("en", "days"), ("fr", "jours")])
async def test_a_retention_period_has_a_unit(
    front: LiveEngine, shop: Shop, language: str, days: str
) -> None:
    async with at_pages(front, shop, language=language) as owner:
        page = await owner.see(DATA)
        assert page.count(f'<span aria-hidden="true">{days}</span>') == len(DAYS) - 1
        assert page.count(f'<span class="visually-hidden"> ({days})</span></label>') == 4
        hours = await owner.see("/app/settings/business-hours")
        assert '<span aria-hidden="true">minutes</span>' in hours


async def test_how_long_what_is_kept(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        kept = await owner.follow(await owner.send(DATA, f"{DATA}/retention", DAYS))
        assert 'name="conversations" type="text" value="100"' in kept
        short = await owner.send(DATA, f"{DATA}/retention", {**DAYS, "conversations": "1"})
        assert "There is a problem" in await owner.follow(short)
        assert (await owner.http.get(f"{DATA}/export?format=json")).json()
        assert (await owner.http.get(f"{DATA}/export?format=pdf")).status_code == 400
        assert "anne@x.example" in await owner.see(f"{DATA}/erasure", customer="anne@x.example")


async def test_a_request_is_handed_over(front: LiveEngine, shop: Shop) -> None:
    request_id = await data_requested(front.database, shop, "ann@x.example")
    other = await open_shop(front.database)
    one = f"{REQUESTS}/{request_id}"
    async with at_pages(front, shop, Role.ADMIN) as admin:
        assert "ann@x.example" in await admin.see(REQUESTS)
        file = await admin.http.get(f"{one}/file.json")
        assert json.loads(file.text)["customer_email"] == "ann@x.example"
        assert "Request marked as done" in await admin.follow(
            await admin.send(one, f"{one}/fulfil")
        )
        assert (await admin.http.get(f"{DATA}/erasure")).status_code == 403
    async with at_pages(front, other) as stranger:
        assert "No data requests" in await stranger.see(REQUESTS)
        assert (await stranger.http.get(one)).status_code == 404
    async with at_pages(front, shop, Role.AGENT) as agent:
        assert (await agent.http.get(DATA)).status_code == 403
