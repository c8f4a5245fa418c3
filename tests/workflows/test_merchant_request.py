"""A `merchant_request` moves money for the merchant's own systems, if the playbook permits it."""

import json
from pathlib import Path
from typing import Any

import pytest

from domain.agent.plan import Warrant
from domain.agent.policy_decision import PolicyReason
from domain.agent.rulebook import ActionLevel, Rulebook
from store.intake.tables import engine_events
from tests.support.agent.acting import (
    CUSTOMER,
    Acting,
    ScriptedBrain,
    acting_shop,
    order,
    rules,
    think_by,
)
from tests.support.agent.policy import REFUND_49, rechecked
from tests.support.agent.policy_context import an_order
from tests.support.core.engine import ENGINE_SECRET, GATEWAY, LiveEngine
from tests.support.core.rows import only_row
from tests.support.tenants.identity import session_token

WANTED: dict[str, Any] = {"kind": "refund", "order_number": "2001"}
EVENT: dict[str, Any] = {"event_type": "shopify.ticket.created", "customer_email": CUSTOMER}


def enabled(level: ActionLevel = ActionLevel.CUSTOMER_CONFIRMED, **limits: int) -> Rulebook:
    by_kind = rules(level, **limits).actions
    return Rulebook(
        actions={
            kind: rule.model_copy(update={"merchant_requests": True})
            for kind, rule in by_kind.items()
        }
    )


async def _shop(
    engine: LiveEngine, folder: Path, rulebook: Rulebook
) -> tuple[Acting, ScriptedBrain]:
    brain = ScriptedBrain()
    think_by(engine, brain)
    return await acting_shop(engine, folder, [order("2001"), order("2002", 900)], rulebook), brain


async def _push(
    engine: LiveEngine, it: Acting, by: dict[str, str], /, **event: object
) -> dict[str, Any]:
    answer = await engine.http.post(
        GATEWAY, json={"client_id": it.shop.client_id, **EVENT, **event}, headers=by
    )
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


@pytest.mark.parametrize("by", ["ak", "engine"])
async def test_the_merchants_systems_ask_and_it_is_done_once(
    acting: LiveEngine, tmp_path: Path, by: str
) -> None:
    it, brain = await _shop(acting, tmp_path, enabled())
    headers = it.shop.headers if by == "ak" else {"x-engine-secret": ENGINE_SECRET}
    async with acting.working():
        told = await _push(acting, it, headers, merchant_request=WANTED)
        again = await _push(acting, it, headers, merchant_request=WANTED)

    assert (told["status"], it.refunded) == ("completed", 4_900)
    assert "49" in told["response"]
    assert again["status"] == "needs_review"  # no second refund of an order without a human
    assert brain.requests == []


async def test_the_message_beside_it_does_not_choose_the_order(
    acting: LiveEngine, tmp_path: Path
) -> None:
    it, _ = await _shop(acting, tmp_path, enabled())
    said = "Please cancel order 2002, and do not refund 2001."
    async with acting.working():
        await _push(acting, it, it.shop.headers, merchant_request=WANTED, message=said)

    assert it.refunded == 4_900


@pytest.mark.parametrize(
    "rulebook",
    [
        rules(ActionLevel.CUSTOMER_CONFIRMED),
        enabled(per_action=100),
        Rulebook(),
    ],
    ids=["not enabled", "above the limit", "never"],
)
async def test_nothing_moves_where_the_playbook_does_not_allow_it(
    acting: LiveEngine, tmp_path: Path, rulebook: Rulebook
) -> None:
    it, _ = await _shop(acting, tmp_path, rulebook)
    async with acting.working():
        await _push(acting, it, it.shop.headers, merchant_request=WANTED)

    assert it.refunded == 0


async def test_an_order_of_another_customer_waits(acting: LiveEngine, tmp_path: Path) -> None:
    it, _ = await _shop(acting, tmp_path, enabled())
    async with acting.working():
        told = await _push(
            acting, it, it.shop.headers, merchant_request=WANTED, customer_email="eve@example.com"
        )

    assert (told["status"], it.refunded) == ("needs_review", 0)


async def test_a_session_asks_for_nothing_in_the_merchants_name(
    acting: LiveEngine, tmp_path: Path
) -> None:
    it, _ = await _shop(acting, tmp_path, enabled(ActionLevel.AUTONOMOUS))
    token = session_token(acting.settings, it.shop.owner_user_id)
    headers = {"authorization": f"Bearer {token}"}
    async with acting.working():
        told = await _push(acting, it, headers, merchant_request=WANTED)

    assert it.refunded == 0
    assert [one["code"] for one in told["notices"]] == ["merchant_request_ignored"]
    event = await only_row(acting.database, engine_events, id=told["event_id"])
    assert event["merchant_request"] is None
    assert event["unified"]["merchant_request"] is None


@pytest.mark.parametrize(
    "nested",
    [
        {"payload": {"merchant_request": WANTED}},
        {"data": {"merchant_request": WANTED}},
        {"merchantRequest": WANTED},
        {"Merchant_Request": WANTED},
        {"message": json.dumps({"merchant_request": WANTED})},
    ],
    ids=["payload", "data", "camel", "capitals", "message"],
)
async def test_only_the_top_level_field_counts(
    acting: LiveEngine, tmp_path: Path, nested: dict[str, Any]
) -> None:
    it, _ = await _shop(acting, tmp_path, enabled(ActionLevel.AUTONOMOUS))
    async with acting.working():
        told = await _push(acting, it, it.shop.headers, **nested)

    assert it.refunded == 0
    event = await only_row(acting.database, engine_events, id=told["event_id"])
    assert event["merchant_request"] is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "refund"},
        {"kind": "reply", "order_number": "2001"},
        {"kind": "refund", "order_number": 2001},
        {"kind": "refund", "order_number": ""},
        {"kind": "refund", "order_number": "2001", "amount": "5.00"},
        "refund 2001",
        [],
        True,
    ],
)
async def test_a_request_of_another_shape_is_refused(
    acting: LiveEngine, tmp_path: Path, wrong: object
) -> None:
    it, _ = await _shop(acting, tmp_path, enabled())
    body = {"client_id": it.shop.client_id, **EVENT, "merchant_request": wrong}
    answer = await acting.http.post(GATEWAY, json=body, headers=it.shop.headers)

    assert answer.status_code == 400
    assert "merchant_request" in answer.json()["error"]


def test_what_was_disabled_meanwhile_is_not_done() -> None:
    """The rule is checked when the action is executed, as for every authorization."""
    action = REFUND_49.model_copy(update={"warrant": Warrant.MERCHANT_REQUEST})

    assert rechecked(action, an_order(), rulebook=enabled()) is None
    for rulebook in (rules(ActionLevel.AUTONOMOUS), rules(ActionLevel.CUSTOMER_CONFIRMED)):
        assert rechecked(action, an_order(), rulebook=rulebook) is PolicyReason.NOT_ASKED
