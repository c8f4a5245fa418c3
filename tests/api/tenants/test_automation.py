"""Stopping all automation, by members and operators."""

from typing import Any

import pytest

from adapters.observability.state import Number
from adapters.system import utc_now
from api.installation import state_sources
from store.audit.tables import audit_entries
from store.tenants.tables import loosenings
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.dashboard.visitors import at_pages
from tests.support.reviews.dashboard import admin, code
from tests.support.tenants.loosenings import LOOSENINGS, another, second_manager
from tests.support.tenants.shop import Shop, open_shop

AUTOMATION = "/api/dashboard/automation"
OPERATOR = "/api/operator/automation"
SETTINGS = "/api/dashboard/settings"


async def _throw(front: LiveEngine, path: str, who: dict[str, str]) -> Any:
    return await front.http.post(path, headers=who)


async def test_a_manager_stops_and_resumes(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    assert (await front.http.get(AUTOMATION, headers=owner)).json() == {
        "stopped": None,
        "installation_stopped": None,
    }

    stopped = await _throw(front, f"{AUTOMATION}/stop", owner)
    again = await _throw(front, f"{AUTOMATION}/stop", owner)

    assert stopped.status_code == 200, stopped.text
    assert stopped.json()["stopped"]["by"] == shop.owner_user_id
    assert again.json() == stopped.json()
    resumed = await _throw(front, f"{AUTOMATION}/resume", owner)
    assert (resumed.status_code, resumed.json()["stopped"]) == (200, None)
    assert (await _throw(front, f"{AUTOMATION}/resume", owner)).status_code == 200
    audited = [one["what"] for one in await rows(front.database, audit_entries, of=shop)]
    assert audited.count("automation stopped") == audited.count("automation resumed") == 1


async def test_the_end_of_anothers_stop_waits_for_a_second_manager(front: LiveEngine) -> None:
    shop = await open_shop(front.database)
    await second_manager(front, shop)
    stopper, resumer = await another(front, shop), await another(front, shop)
    assert (await _throw(front, f"{AUTOMATION}/stop", stopper)).status_code == 200

    # A second stop does not make the first member its author.
    await _throw(front, f"{AUTOMATION}/stop", resumer)
    held = await _throw(front, f"{AUTOMATION}/resume", resumer)

    assert code(held) == (409, "loosening_held")
    state = (await front.http.get(AUTOMATION, headers=resumer)).json()
    assert state["stopped"] is not None
    path = f"{LOOSENINGS}/{held.json()['loosening_id']}/approve"
    agreed = await front.http.post(path, headers=stopper)
    assert (agreed.status_code, agreed.json()["state"]) == (200, "applied")
    assert (await front.http.get(AUTOMATION, headers=resumer)).json()["stopped"] is None


async def test_an_approval_ends_no_later_stop(front: LiveEngine) -> None:
    shop = await open_shop(front.database)
    await second_manager(front, shop)
    stopper, resumer = await another(front, shop), await another(front, shop)
    await _throw(front, f"{AUTOMATION}/stop", stopper)
    held = await _throw(front, f"{AUTOMATION}/resume", resumer)
    assert (await _throw(front, f"{AUTOMATION}/resume", stopper)).status_code == 200
    await _throw(front, f"{AUTOMATION}/stop", stopper)

    path = f"{LOOSENINGS}/{held.json()['loosening_id']}/approve"
    agreed = await front.http.post(path, headers=stopper)

    assert code(agreed) == (409, "loosening_changed")
    assert (await front.http.get(AUTOMATION, headers=stopper)).json()["stopped"] is not None


@pytest.mark.own_database
async def test_operators_stop_every_client(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    operator = admin(front)
    for path in (f"{OPERATOR}/stop", f"{OPERATOR}/resume"):
        assert (await _throw(front, path, owner)).status_code == 403
    assert (await front.http.get(OPERATOR, headers=owner)).status_code == 403
    assert (await front.http.get(OPERATOR, headers=operator)).json() == {
        "stopped_at": None,
        "stopped_by": None,
    }

    stopped = await _throw(front, f"{OPERATOR}/stop", operator)

    assert stopped.status_code == 200, stopped.text
    seen = (await front.http.get(AUTOMATION, headers=owner)).json()
    assert (seen["stopped"], seen["installation_stopped"] is None) == (None, False)
    # A client's own switch does not end it.
    assert (await _throw(front, f"{AUTOMATION}/resume", owner)).status_code == 200
    assert (await front.http.get(AUTOMATION, headers=owner)).json() == seen
    async with at_pages(front, shop) as visitor:
        for page in ("/app", "/app/settings", "/app/inbox", "/app/automation"):
            assert "We have stopped automation" in await visitor.see(page)
    look = state_sources(front.database, front.client, utc_now)["database"]
    assert Number("installation_stopped", True) in await look()

    assert (await _throw(front, f"{OPERATOR}/resume", operator)).json()["stopped_at"] is None
    seen = (await front.http.get(AUTOMATION, headers=owner)).json()
    assert seen["installation_stopped"] is None
    audited = [one["what"] for one in await rows(front.database, audit_entries)]
    assert {"installation stopped", "installation resumed"} <= set(audited)


async def test_a_member_stops_and_resumes_on_the_page(front: LiveEngine, shop: Shop) -> None:
    said = "Automation is stopped: "
    async with at_pages(front, shop) as visitor:
        assert said not in await visitor.see("/app")

        await visitor.send("/app/automation", "/app/automation/stop")

        for page in ("/app", "/app/settings", "/app/automation"):
            assert said in await visitor.see(page)
        await visitor.send("/app/automation", "/app/automation/resume")
        assert said not in await visitor.see("/app")


async def test_sending_answers_from_knowledge_is_a_loosening(
    front: LiveEngine, owner: dict[str, str], shop: Shop
) -> None:
    off = await front.http.patch(SETTINGS, json={"answers_from_knowledge": False}, headers=owner)
    assert (off.status_code, off.json()["answers_from_knowledge"]) == (200, False)
    assert await rows(front.database, loosenings, of=shop) == []
    on = await front.http.patch(SETTINGS, json={"answers_from_knowledge": True}, headers=owner)

    assert on.json()["answers_from_knowledge"] is True
    (noted,) = await rows(front.database, audit_entries, of=shop, what="loosened")
    assert noted["ids"]["place"] == "settings: answers_from_knowledge"


async def test_the_page_offers_a_trial_on_the_past_month(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as visitor:
        await visitor.send("/app/automation", "/app/automation/knowledge/off")
        assert "Drafts only" in await visitor.see("/app/automation")

        tried = await visitor.send("/app/automation", "/app/automation/knowledge/try")

        assert "automatic answers from articles" in await visitor.follow(tried)
        await visitor.send("/app/automation", "/app/automation/knowledge/on")
        assert "Switch to drafts only" in await visitor.see("/app/automation")


async def test_the_page_offers_the_latest_decision_about_answers(
    front: LiveEngine, owner: dict[str, str], shop: Shop
) -> None:
    """A client that has an earlier decision keeps it until a member enables the latest one."""
    earlier = await front.http.patch(SETTINGS, json={"answer_decision": 1}, headers=owner)
    assert (earlier.status_code, earlier.json()["answer_decision"]) == (200, 1)
    async with at_pages(front, shop) as visitor:
        assert "Use the update" in await visitor.see("/app/automation")
        tried = await visitor.send("/app/automation", "/app/automation/knowledge/try")
        assert "(answer rules, version 3)" in await visitor.follow(tried)

        await visitor.send("/app/automation", "/app/automation/knowledge/on")

        assert "Use the update" not in await visitor.see("/app/automation")
    found = await front.http.get(SETTINGS, headers=owner)
    assert found.json()["answer_decision"] == 3
    (noted,) = await rows(front.database, audit_entries, of=shop, what="loosened")
    assert noted["ids"]["place"] == "settings: answer_decision"
