"""The agent's actions: allowed ones happen once, and others never."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel
from domain.integrations.order import LookupState
from domain.reviews.errors import DraftMissing
from domain.reviews.escalation import Decision
from store.reviews.tables import escalation_tickets
from store.runs.tables import action_ledger, engine_runs
from tests.support.agent.acting import (
    ASKED,
    CUSTOMER,
    ScriptedBrain,
    acting_shop,
    order,
    rules,
    think_by,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, open_shop

pytestmark = pytest.mark.own_database


async def test_refund_within_limits_is_done_once(acting: LiveEngine, tmp_path: Path) -> None:
    it = await acting_shop(acting, tmp_path, [order("2001")], rules())
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    async with acting.working():
        answer = (await acting.post(it.shop, **ASKED)).json()

    assert (answer["status"], answer["steps_executed"]) == ("completed", 2)
    assert it.refunded == 4_900
    refund, reply = sorted(
        await rows(acting.database, action_ledger), key=lambda row: int(row["step"])
    )
    assert (refund["action"], refund["state"], refund["amount"]) == ("refund", "done", 4_900)
    assert refund["order_key"] == "demo_shop/2001"
    assert refund["reference"]
    assert (reply["action"], reply["state"]) == ("reply", "done")
    run = await only_row(acting.database, engine_runs)
    assert run["lookup"]["state"] == LookupState.FOUND


async def test_same_ticket_again_is_not_refunded_twice(acting: LiveEngine, tmp_path: Path) -> None:
    it = await acting_shop(acting, tmp_path, [order("2001")], rules())
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    async with acting.working():
        first = (await acting.post(it.shop, **ASKED)).json()
        second = (await acting.post(it.shop, **ASKED)).json()

    assert (first["status"], second["status"]) == ("completed", "needs_review")
    assert second["response"] == ""
    assert it.refunded == 4_900
    run = await only_row(acting.database, engine_runs, id=second["run_id"])
    (verdict, *_) = run["verdicts"]
    assert (verdict["ruling"], verdict["reason"]) == ("refused", "already_done")
    escalation = await only_row(acting.database, escalation_tickets)
    assert (escalation["reason"], escalation["draft"]) == ("policy_restriction", "")


async def test_ten_tickets_at_once_refund_an_order_once(acting: LiveEngine, tmp_path: Path) -> None:
    it = await acting_shop(acting, tmp_path, [order("2001")], rules())
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    async with acting.working():
        answers = await asyncio.gather(*(acting.post(it.shop, **ASKED) for _ in range(10)))

    statuses = [answer.json()["status"] for answer in answers]
    assert statuses.count("completed") == 1
    assert statuses.count("needs_review") == 9
    assert it.refunded == 4_900


@pytest.mark.alone
async def test_limits_hold_when_many_orders_come_at_once(
    acting: LiveEngine, tmp_path: Path
) -> None:
    """Eight refunds of 49 euros with a limit of 200 a day: four are executed."""
    orders = [order(str(number), email=f"c{number}@b.example") for number in range(3001, 3009)]
    it = await acting_shop(acting, tmp_path, orders, rules(per_day=20_000))
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    async with acting.working():
        answers = await asyncio.gather(
            *(
                acting.post(
                    it.shop,
                    customer_email=one.customer_email,
                    message="Remboursez ma commande svp",
                    order_number=one.number,
                )
                for one in orders
            )
        )

    statuses = [answer.json()["status"] for answer in answers]
    assert statuses.count("completed") == 4
    assert it.refunded == 4 * 4_900


async def test_above_a_limit_one_person_is_not_enough(acting: LiveEngine, tmp_path: Path) -> None:
    it = await acting_shop(acting, tmp_path, [order("2001", 32_000)], rules())
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    async with acting.working():
        answer = (await acting.post(it.shop, **ASKED)).json()
        assert answer["status"] == "needs_review"
        escalation = await only_row(acting.database, escalation_tickets)
        assert (escalation["needs_second"], escalation["amount"]) == (True, 32_000)

        await acting.decide(escalation["id"], Decision.APPROVE, actor="alice")
        assert (await only_row(acting.database, escalation_tickets))["status"] == "pending"
        assert it.refunded == 0
        await acting.decide(escalation["id"], Decision.APPROVE, actor="bob")
        facts = await acting.run_of(it.shop, answer["event_id"]).result()

    assert facts["status"] == "completed"
    assert it.refunded == 32_000


async def test_an_approved_refund_is_checked_again(acting: LiveEngine, tmp_path: Path) -> None:
    """Two reviews for one order are both approved: one of the refunds is blocked."""
    it = await acting_shop(acting, tmp_path, [order("2001")], rules(ActionLevel.HUMAN_APPROVED))
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    async with acting.working():
        answers = [
            (await acting.post(it.shop, **ASKED, ticket_id=ticket)).json() for ticket in ("1", "2")
        ]
        for answer in answers:
            waiting = await only_row(acting.database, escalation_tickets, run_id=answer["run_id"])
            await acting.decide(waiting["id"], Decision.APPROVE)
        # Both are executed at the same time, so either may be paid.
        again = await blocked_review(acting)
        (blocked,) = [one for one in answers if one["run_id"] == again["run_id"]]
        (paid,) = [one for one in answers if one["run_id"] != again["run_id"]]
        await acting.run_of(it.shop, paid["event_id"]).result()
        assert again["reason"] == "policy_restriction"
        # A permanently blocked action is removed from the plan, with the text that promised it.
        assert ([step["kind"] for step in again["plan"]], again["draft"]) == (["reply"], "")
        assert (again["needs_second"], again["amount"]) == (False, None)
        with pytest.raises(DraftMissing):
            await acting.decide(again["id"], Decision.APPROVE)
        await acting.decide(again["id"], Decision.EDIT, "Vous êtes déjà remboursée.")
        facts = await acting.run_of(it.shop, blocked["event_id"]).result()

    assert facts["status"] == "completed"
    assert it.refunded == 4_900
    assert len(await rows(acting.database, action_ledger, action="refund")) == 1


async def blocked_review(acting: LiveEngine) -> dict[str, Any]:
    """Return the second review of the run that needs one."""

    async def found() -> dict[str, Any] | None:
        waiting = await rows(acting.database, escalation_tickets, round=1)
        return waiting[0] if waiting else None

    return await eventually(found)


async def test_a_strangers_order_is_neither_seen_nor_refunded(
    acting: LiveEngine, tmp_path: Path
) -> None:
    it = await acting_shop(
        acting, tmp_path, [order("2001", email="somebody.else@example.com")], rules()
    )
    brain = ScriptedBrain(ActionKind.REFUND, ActionKind.CANCEL_ORDER)
    think_by(acting, brain)
    async with acting.working():
        answer = (await acting.post(it.shop, **ASKED)).json()

    assert answer["status"] == "needs_review"
    assert it.movements == ()
    (request,) = brain.requests
    assert (request.order, request.offers) == (None, ())
    run = await only_row(acting.database, engine_runs)
    assert run["lookup"].pop("looked_up_at")
    assert run["lookup"] == {"state": "not_theirs", "order": None, "number": "2001"}


async def test_a_visitor_of_the_widget_is_nobody(acting: LiveEngine, tmp_path: Path) -> None:
    """A visitor who types an address has not verified it."""
    it = await acting_shop(acting, tmp_path, [order("2001")], rules())
    brain = ScriptedBrain(ActionKind.REFUND)
    think_by(acting, brain)
    async with acting.working():
        answer = (
            await acting.post(it.shop, **{**ASKED, "event_type": "widget.chat.message"})
        ).json()

    assert answer["status"] == "needs_review"
    assert brain.requests[0].order is None
    assert it.movements == ()


async def test_cancellation_gives_the_payment_back(acting: LiveEngine, tmp_path: Path) -> None:
    it = await acting_shop(acting, tmp_path, [order("2001", state="open")], rules())
    think_by(acting, ScriptedBrain(ActionKind.CANCEL_ORDER))
    wish = {**ASKED, "message": "Bonjour, merci d'annuler ma commande n° 2001."}
    async with acting.working():
        answer = (await acting.post(it.shop, **wish)).json()

    assert answer["status"] == "completed"
    (movement,) = it.movements
    assert (movement.kind, movement.amount.minor) == (ActionKind.CANCEL_ORDER, 4_900)


async def test_dry_run_asks_no_shop(acting: LiveEngine, tmp_path: Path) -> None:
    it = await acting_shop(acting, tmp_path, [order("2001")], rules())
    it.path.unlink()  # the current caller gets an error
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    async with acting.working():
        answer = (await acting.post(it.shop, **ASKED, is_test=True)).json()

    assert answer["status"] in {"completed", "needs_review"}
    assert not it.path.exists()


async def test_nobody_knows_the_order_of_a_visitor(acting: LiveEngine, tmp_path: Path) -> None:
    """With a connected shop, a visitor's number is not treated as verified."""
    it = await acting_shop(acting, tmp_path, [order("2001")], rules())
    async with acting.working():
        answer = await acting.post(
            it.shop, event_type="widget.chat.message", message=ORDER_QUESTION, session_id="s"
        )

    assert answer.json()["status"] == "needs_review"
    assert (await only_row(acting.database, escalation_tickets))["reason"] == "missing_knowledge"


async def test_an_auto_reply_needs_nobody(acting: LiveEngine, mail: MailServer) -> None:
    shop = await open_shop(acting.database)
    async with acting.working():
        answer = await acting.post(
            shop,
            event_type="email.inbound",
            customer_email=CUSTOMER,
            message="Je suis absente jusqu'au 12.",
            headers={"Auto-Submitted": "auto-replied"},
        )

    body = answer.json()
    assert (body["status"], body["response"], body["steps_executed"]) == ("completed", "", 0)
    assert mail.mails == []
