"""POST /api/simulator/chat: permissions, errors and answers."""

from dataclasses import replace
from typing import Any, Final

import pytest

from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind
from domain.simulation.scenario import MAX_MESSAGE, MAX_MESSAGES
from domain.tenants.client import Role
from services.core.fair_slots import FairSlots
from services.simulation import simulator
from store.tenants.members import MemberRepository
from tests.support.core.engine import ENGINE_SECRET, LiveEngine
from tests.support.reviews.dashboard import admin, code, person
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop

SIMULATOR: Final = "/api/simulator/chat"
_ORDER: Final = {"number": "1042", "total": "49.00"}


async def _ask(
    engine: LiveEngine, shop: Shop, headers: dict[str, str], **body: object
) -> tuple[int, dict[str, Any]]:
    answer = await engine.http.post(
        SIMULATOR, json={"client_id": shop.client_id, "message": "Bonjour", **body}, headers=headers
    )
    return answer.status_code, answer.json()


async def test_who_may(engine: LiveEngine, shop: Shop) -> None:
    for role in (Role.OWNER, Role.ADMIN, Role.AGENT):
        status, body = await _ask(engine, shop, await person(engine, shop, role), order=_ORDER)
        assert status == 200, body
    assert (await _ask(engine, shop, admin(engine)))[0] == 200


async def test_who_may_not(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    viewer = await person(front, shop, Role.VIEWER)
    stranger = bearer(session_token(front.settings, new_ulid()))
    refused = {
        (401, "unauthenticated"): ({}, shop.headers, {"x-engine-secret": ENGINE_SECRET}),
        (403, "role_required"): (viewer,),
        (403, "access_denied"): (stranger, await person(front, other, Role.OWNER)),
    }
    for told, callers in refused.items():
        for headers in callers:
            answer = await front.http.post(
                SIMULATOR,
                json={"client_id": shop.client_id, "message": "Bonjour"},
                headers=headers,
            )
            assert code(answer) == told
    for unknown in (new_ulid(), "nobody"):
        answer = await front.http.post(
            SIMULATOR, json={"client_id": unknown, "message": "Bonjour"}, headers=admin(front)
        )
        assert code(answer) == (404, "client_not_found")


async def test_a_client_simulates_once_at_a_time(front: LiveEngine, shop: Shop) -> None:
    slots = FairSlots(8, unpaid=4, patience_s=0.01)
    resources = front.app.state.resources
    front.app.state.resources = replace(resources, simulations=slots)
    owner = await person(front, shop, Role.OWNER)

    async with slots.slot(shop.tenant, pays=True):
        status, body = await _ask(front, shop, owner)

    assert (status, body["code"]) == (429, "caller_busy")


# Requests and their expected errors.
_REFUSED: Final[list[tuple[dict[str, object], int, str]]] = [
    ({"message": None}, 400, "message"),
    ({"messages": [{"text": "a"}]}, 400, "message"),
    ({"message": ""}, 400, "champ « message »"),
    ({"message": "x" * (MAX_MESSAGE + 1)}, 400, "champ « message »"),
    ({"message": None, "messages": []}, 400, "champ « messages »"),
    (
        {"message": None, "messages": [{"text": "a"}] * (MAX_MESSAGES + 1)},
        400,
        "champ « messages »",
    ),
    ({"message": None, "messages": [{"text": "a", "author": "agent"}]}, 400, "messages.0.author"),
    ({"message": None, "messages": [{"text": "a", "author": "human"}]}, 400, "le dernier"),
    ({"order": {"number": "1"}}, 400, "champ « order.total »"),
    ({"order": {**_ORDER, "total": "49.001"}}, 400, "champ « order »"),
    ({"order": {**_ORDER, "refundable": "50"}}, 400, "champ « order »"),
    ({"order": {**_ORDER, "state": "lost"}}, 400, "champ « order.state »"),
    ({"order": {**_ORDER, "placed_at": "2026-01-01T00:00:00"}}, 400, "champ « order.placed_at »"),
    ({"customer": {"name": "Léa", "vip": True}}, 400, "champ inconnu"),
    ({"customer": {"verified": 0}}, 400, "champ « customer.verified »"),
    ({"fields": {"a b": "c"}}, 400, "champ « fields »"),
    ({"threshold": 1.5}, 400, "champ « threshold »"),
    ({"is_test": True}, 400, "champ inconnu"),
    ({"version": 1}, 400, "version"),
    ({"playbook": {"name": "a"}}, 400, "problems"),
    ({"playbook": {"name": "a", "event_type": "*"}}, 409, "Un autre playbook"),
    ({"playbook_id": "nobody"}, 404, "Playbook"),
    ({"playbook_id": "01J9ZQ4Z8N3V5X7B2C4D6E8F0G"}, 404, "Playbook"),
]


async def test_what_is_refused(front: LiveEngine, shop: Shop) -> None:
    people = [await person(front, shop, role) for role in (Role.OWNER, Role.ADMIN)]
    for at, (body, status, said) in enumerate(_REFUSED):
        got, answer = await _ask(front, shop, people[at % 2], **body)
        assert got == status, (body, answer)
        assert said in answer["error"], (body, answer)
        assert "x" * 100 not in answer["error"]
    _, answer = await _ask(front, shop, people[0], playbook={"name": "a", "event_type": "a b*"})
    assert [line.partition(":")[0] for line in answer["problems"]] == ["playbook.event_type"]
    missing = await front.http.post(SIMULATOR, json={"message": "a"}, headers=people[1])
    assert code(missing) == (400, "client_id_missing")


async def test_twenty_a_minute(front: LiveEngine, shop: Shop) -> None:
    """The limit is per user, for all clients and outcomes. It is separate from the dashboard's
    limit."""
    headers, other = await person(front, shop, Role.OWNER), await open_shop(front.database)
    async with front.database.service() as connection:
        members = MemberRepository(connection)
        await members.add(other.client_id, shop.owner_user_id, Role.ADMIN, utc_now())
    answers = [
        await front.http.post(SIMULATOR, json={"client_id": one.client_id}, headers=headers)
        for one in [shop, other] * 10
    ]

    assert {answer.status_code for answer in answers} == {400}
    for one in (shop, other):
        asked = {"client_id": one.client_id, "message": "a"}
        refused = await front.http.post(SIMULATOR, json=asked, headers=headers)
        assert code(refused) == (429, "too_many_requests")
    assert answers[0].headers["ratelimit-policy"] == '"simulator";q=20;w=60'
    runs = await front.http.get("/api/dashboard/runs", headers=headers)
    assert runs.status_code == 200
    colleague = await person(front, shop, Role.ADMIN)
    assert (await front.http.post(SIMULATOR, json={}, headers=colleague)).status_code == 400


async def test_simulations_count_as_dry_runs_of_the_client(front: LiveEngine, shop: Shop) -> None:
    """A client invites twenty people a day. Users of other clients are unaffected."""
    people = [await person(front, shop, Role.AGENT) for _ in range(4)]
    unknown = new_ulid()
    statuses = [
        (await _ask(front, shop, people[number % 4], playbook_id=unknown))[0]
        for number in range(61)
    ]
    other = await open_shop(front.database)
    elsewhere = await _ask(front, other, await person(front, other, Role.OWNER), playbook_id="x")

    assert statuses == [404] * 60 + [429]
    assert elsewhere[0] == 404


async def test_a_draft_and_a_made_up_order(engine: LiveEngine, shop: Shop) -> None:
    headers = await person(engine, shop, Role.AGENT)
    draft = {
        "name": "Prudent",
        "event_type": "*",
        "threshold": 0.5,
        "actions": {"reply": {"level": "human-approved"}},
    }
    _, live = await _ask(
        engine, shop, headers, message=ORDER_QUESTION, order=_ORDER, customer={"email": "a@b.fr"}
    )
    _, tried = await _ask(
        engine, shop, headers, message=ORDER_QUESTION, playbook=draft, playbook_id=shop.playbook_id
    )

    assert (live["status"], live["classification"]) == ("completed", "order_status")
    assert live["response"] == live["draft"] != ""
    assert [step["kind"] for step in live["plan"]] == [ActionKind.REPLY]
    assert live["trace"]["outcomes"][0]["lookup"]["order"]["number"] == "1042"
    assert live["trace"]["cost_micros"] == 0
    assert live["expected"]["status"] == "completed"
    assert (tried["status"], tried["response"]) == ("needs_review", "")
    assert tried["draft"]
    used = tried["trace"]["outcomes"][0]["playbook"]
    assert used == {
        "id": shop.playbook_id,
        "version": None,
        "name": "Prudent",
        "threshold": 0.5,
        "is_draft": True,
    }


async def test_no_playbook(engine: LiveEngine) -> None:
    shop = await open_shop(engine.database, event_type="shopify.*")

    status, body = await _ask(engine, shop, await person(engine, shop, Role.OWNER))

    assert (status, body["status"], body["plan"]) == (200, "no_playbook", [])


async def test_nobody_takes_it_in_time(
    front: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No worker is running here."""
    monkeypatch.setattr(simulator, "_EMBEDDED_S", 0.3)

    status, body = await _ask(front, shop, await person(front, shop, Role.OWNER))

    assert (status, body["code"]) == (504, "simulation_too_long")
