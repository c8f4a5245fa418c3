"""A client whose pages are expensive waits, and others do not."""

import time

import pytest

from services.core.cpu_allowance import BURST_S, USUAL_S
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import Shop, open_shop

MEMBERS = "/api/dashboard/members"


async def test_a_client_that_used_its_share_waits(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    spent = front.app.state.resources.limiter.cpu
    async with at_pages(front, shop) as owner, at_pages(front, other) as neighbour:
        headers = bearer(session_token(front.settings, owner.user_id))
        assert (await owner.http.get("/app/runs")).status_code == 200
        spent.spend(shop.client_id, BURST_S + 1 + USUAL_S)

        refused = await owner.http.get("/app/runs")
        api = await front.http.get(MEMBERS, headers=headers)
        beside = await neighbour.http.get("/app/runs")

    assert refused.status_code == 429
    assert (api.status_code, api.json()["code"]) == (429, "too_many_requests")
    assert 0 < int(api.headers["retry-after"]) <= 60
    assert beside.status_code == 200


async def test_the_time_of_a_request_is_charged_to_its_client(
    front: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    charged: dict[str, float] = {}
    cpu = front.app.state.resources.limiter.cpu
    monkeypatch.setattr(cpu, "spend", lambda client, used: charged.update({client: used}))
    before = time.thread_time()
    async with at_pages(front, shop) as owner:
        await owner.http.get("/app/runs")
    assert 0 < charged[shop.client_id] <= time.thread_time() - before
