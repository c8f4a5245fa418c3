"""The agent acts: what is allowed happens once, what is not never, whatever goes wrong."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from adapters.demo.shop import open_demo_shop
from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind, StepState
from domain.agent.rulebook import ActionLevel, ActionRule
from domain.core.contracts import RunRef
from domain.integrations.integration import BASE_URL, Provider
from domain.integrations.order import LookupState
from domain.reviews.errors import DraftMissing
from domain.reviews.escalation import Decision
from domain.runs.contracts import ExecuteInput
from store.integrations.integrations import IntegrationRepository
from store.integrations.tables import integrations
from store.reviews.tables import escalation_tickets
from store.runs.action_ledger import ActionLedger, Effect, LedgerPlace
from store.runs.tables import action_ledger, engine_runs
from tests.support.agent.acting import (
    CUSTOMER,
    WISH,
    Acting,
    ScriptedBrain,
    acting_shop,
    connect,
    order,
    rules,
    think_by,
)
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.servers.shopify import shopify_server
from tests.support.tenants.shop import ORDER_QUESTION, open_shop

pytestmark = pytest.mark.own_database

ASKED = {"event_type": "shopify.ticket.created", "customer_email": CUSTOMER, "message": WISH}


@pytest.fixture
async def acting(
    database_url: str, temporal: TemporalServer, mail: MailServer
) -> AsyncIterator[LiveEngine]:
    """The engine without a worker, allowed to act on this machine."""
    async with live_engine(
        database_url,
        temporal.address,
        temporal.take_namespace(),
        smtp_url=mail.url,
        allow_loopback_targets=True,
    ) as engine:
        yield engine


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
    """Eight refunds of 49 euros, 200 a day: four are done."""
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
    """Two tickets of one order wait for a human, who approves both: one of them is blocked."""
    it = await acting_shop(acting, tmp_path, [order("2001")], rules(ActionLevel.HUMAN_APPROVED))
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    async with acting.working():
        answers = [(await acting.post(it.shop, **ASKED)).json() for _ in range(2)]
        for answer in answers:
            waiting = await only_row(acting.database, escalation_tickets, run_id=answer["run_id"])
            await acting.decide(waiting["id"], Decision.APPROVE)
        # Both are carried out at the same time, so either may be the one that is paid.
        again = await blocked_review(acting)
        (blocked,) = [one for one in answers if one["run_id"] == again["run_id"]]
        (paid,) = [one for one in answers if one["run_id"] != again["run_id"]]
        await acting.run_of(it.shop, paid["event_id"]).result()
        assert again["reason"] == "policy_restriction"
        # What is blocked for good is off the plan, and so are the words that promised it.
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
    """The second review of whichever run needs one."""

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
    assert run["lookup"] == {"state": "not_theirs", "order": None}


async def test_a_visitor_of_the_widget_is_nobody(acting: LiveEngine, tmp_path: Path) -> None:
    """Who types an address into a chat has not shown that it is theirs."""
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


async def test_refunded_and_not_told_waits_for_a_human(
    acting: LiveEngine, tmp_path: Path, mail: MailServer
) -> None:
    """The mail is refused after the money went: a human takes over, the money goes once."""
    it = await acting_shop(acting, tmp_path, [order("2001")], rules())
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    mail.recipient_reply = "550 no"
    async with acting.working():
        answer = (await acting.post(it.shop, **{**ASKED, "event_type": "email.inbound"})).json()
        assert (answer["status"], answer["steps_executed"]) == ("needs_review", 1)
        mail.recipient_reply = "250 ok"
        escalation = await only_row(acting.database, escalation_tickets)
        assert escalation["reason"] == "tool_failure"
        await acting.decide(escalation["id"], Decision.APPROVE)
        facts = await acting.run_of(it.shop, answer["event_id"]).result()

    assert facts["status"] == "completed"
    assert it.refunded == 4_900
    assert len(mail.mails) == 1


async def test_cancellation_gives_the_payment_back(acting: LiveEngine, tmp_path: Path) -> None:
    it = await acting_shop(acting, tmp_path, [order("2001", state="open")], rules())
    think_by(acting, ScriptedBrain(ActionKind.CANCEL_ORDER))
    async with acting.working():
        answer = (await acting.post(it.shop, **ASKED)).json()

    assert answer["status"] == "completed"
    (movement,) = it.movements
    assert (movement.kind, movement.amount.minor) == (ActionKind.CANCEL_ORDER, 4_900)


async def test_dry_run_asks_no_shop(acting: LiveEngine, tmp_path: Path) -> None:
    it = await acting_shop(acting, tmp_path, [order("2001")], rules())
    it.path.unlink()  # who asks it now gets an error
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    async with acting.working():
        answer = (await acting.post(it.shop, **ASKED, is_test=True)).json()

    assert answer["status"] in {"completed", "needs_review"}
    assert not it.path.exists()


async def test_shop_that_is_away_is_a_tool_failure(acting: LiveEngine, tmp_path: Path) -> None:
    it = await acting_shop(acting, tmp_path, [order("1042")], rules())
    it.path.unlink()
    async with acting.working():
        answer = (
            await acting.post(it.shop, customer_email=CUSTOMER, message=ORDER_QUESTION)
        ).json()

    assert answer["status"] == "needs_review"
    escalation = await only_row(acting.database, escalation_tickets)
    assert escalation["reason"] == "tool_failure"
    assert (await only_row(acting.database, engine_runs))["lookup"]["state"] == "unavailable"


@pytest.mark.parametrize("hidden", ["disconnected", "gone"])
async def test_a_refund_that_was_begun_is_never_called_undone(
    acting: LiveEngine, tmp_path: Path, hidden: str
) -> None:
    """A worker died over it, and now nobody can look whether it was done: a human must."""
    it = await acting_shop(acting, tmp_path, [order("2001")], rules(ActionLevel.HUMAN_APPROVED))
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    async with acting.working():
        answer = (await acting.post(it.shop, **ASKED)).json()
        await begun_by_a_dead_worker(acting, it, answer["run_id"])
        if hidden == "disconnected":
            async with acting.database.tenant(it.shop.tenant) as connection:
                integrations = IntegrationRepository(connection, it.shop.tenant)
                (shop,) = await integrations.connected()
                await integrations.disconnect(shop.id, utc_now(), new_ulid)
        else:
            with sqlite3.connect(it.path) as file:
                file.execute("DELETE FROM orders")
        waiting = await only_row(acting.database, escalation_tickets)
        await acting.decide(waiting["id"], Decision.APPROVE)
        again = await acting.review_of(answer["run_id"], round_=1)

    assert again["reason"] == "tool_failure"
    run = await only_row(acting.database, engine_runs)
    assert [step["state"] for step in run["steps"]] == ["unknown"]
    assert (await only_row(acting.database, action_ledger))["state"] == "unknown"


async def test_a_lone_refund_that_was_begun_and_cannot_be_reached_is_unknown(
    acting: LiveEngine, tmp_path: Path
) -> None:
    """Nothing came of asking again, which says nothing of the first time."""
    rulebook = rules(ActionLevel.HUMAN_APPROVED)
    silent = {ActionKind.REPLY: ActionRule(level=ActionLevel.NEVER)}
    rulebook = rulebook.model_copy(update={"actions": {**rulebook.actions, **silent}})
    it = await acting_shop(acting, tmp_path, [order("2001")], rulebook)
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    async with acting.working():
        answer = (await acting.post(it.shop, **ASKED)).json()
        await begun_by_a_dead_worker(acting, it, answer["run_id"])
        it.path.unlink()
        waiting = await only_row(acting.database, escalation_tickets)
        await acting.decide(waiting["id"], Decision.EDIT, "Nous regardons.")
        again = await acting.review_of(answer["run_id"], round_=1)

    assert again["reason"] == "tool_failure"
    assert (await only_row(acting.database, action_ledger))["state"] == "unknown"


async def begun_by_a_dead_worker(acting: LiveEngine, it: Acting, run_id: str) -> None:
    effect = Effect(ActionKind.REFUND, order_key="demo_shop/2001")
    async with acting.database.tenant(it.shop.tenant) as connection:
        await ActionLedger(connection, it.shop.tenant).begin(
            LedgerPlace(run_id, 0, 0), effect, entry_id=new_ulid(), now=utc_now()
        )


async def test_a_shop_that_refuses_our_credentials_is_a_tool_failure_until_it_is_mended(
    acting: LiveEngine,
) -> None:
    """The first ticket finds it out, the later ones find it known: none is answered by hearsay."""
    shop = await open_shop(acting.database)
    with shopify_server() as shopify:
        settings = {"shop": "demo.myshopify.com", BASE_URL: shopify.url}
        secrets = json.dumps({"access_token": "old"})
        await connect(acting, shop, Provider.SHOPIFY, settings, secrets)
        async with acting.working():
            for _ in range(2):
                answer = await acting.post(shop, customer_email=CUSTOMER, message=ORDER_QUESTION)
                assert answer.json()["status"] == "needs_review"

    waiting = await rows(acting.database, escalation_tickets)
    assert [row["reason"] for row in waiting] == ["tool_failure", "tool_failure"]
    assert (await only_row(acting.database, integrations))["status"] == "error"


async def test_nobody_knows_the_order_of_a_visitor(acting: LiveEngine, tmp_path: Path) -> None:
    """Where a shop is connected, a number that somebody typed is not answered as if it were so."""
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


async def test_a_blocked_step_found_again_after_a_crash_is_blocked_again(
    acting: LiveEngine, tmp_path: Path
) -> None:
    """Its answer never goes out alone: what is left of the plan waits for a human's words."""
    it = await acting_shop(acting, tmp_path, [order("2001")], rules(ActionLevel.HUMAN_APPROVED))
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    async with acting.working():
        answer = (await acting.post(it.shop, **ASKED)).json()
        waiting = await only_row(acting.database, escalation_tickets)
        await acting.decide(waiting["id"], Decision.APPROVE, signal=False)
        it.path.unlink()
        open_demo_shop(it.path, [order("2001", 1_000)])  # worth less meanwhile
        ref = RunRef(
            client_id=it.shop.client_id, event_id=answer["event_id"], run_id=answer["run_id"]
        )
        tried = [
            await ActivityEnvironment().run(
                acting.activities.execute.execute, ExecuteInput(ref=ref, round=0)
            )
            for _ in range(2)
        ]

    for result in tried:
        assert [(step.kind, step.state) for step in result.steps] == [
            (ActionKind.REFUND, StepState.BLOCKED)
        ]
    assert it.movements == ()
    assert await rows(acting.database, action_ledger) == []
