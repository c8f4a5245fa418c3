"""Failures during actions: nothing happens twice, and nothing is reported as not done."""

import json
import sqlite3
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from adapters.demo.shop import open_demo_shop
from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind, StepState
from domain.agent.rulebook import ActionLevel, ActionRule
from domain.core.contracts import RunRef
from domain.integrations.integration import BASE_URL
from domain.integrations.providers import Provider
from domain.reviews.escalation import Decision
from domain.runs.contracts import ExecuteInput
from store.integrations.integrations import IntegrationRepository
from store.integrations.tables import integrations
from store.reviews.tables import escalation_tickets
from store.runs.action_ledger import ActionLedger, Effect, LedgerPlace
from store.runs.tables import action_ledger, engine_runs
from tests.support.agent.acting import (
    ASKED,
    CUSTOMER,
    Acting,
    ScriptedBrain,
    acting_shop,
    connect,
    order,
    rules,
    think_by,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.servers.mail import MailServer
from tests.support.servers.shopify import shopify_server
from tests.support.tenants.shop import ORDER_QUESTION, open_shop

pytestmark = pytest.mark.own_database

# An email for which the caller vouches.
VOUCHED_MAIL = {"event_type": "email.inbound", "customer_verified": True}


async def test_refunded_and_not_told_waits_for_a_human(
    acting: LiveEngine, tmp_path: Path, mail: MailServer
) -> None:
    """The email is rejected after the refund: a human takes over, and the refund happens once."""
    it = await acting_shop(acting, tmp_path, [order("2001")], rules())
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    mail.recipient_reply = "550 no"
    async with acting.working():
        answer = (await acting.post(it.shop, **{**ASKED, **VOUCHED_MAIL})).json()
        assert (answer["status"], answer["steps_executed"]) == ("needs_review", 2)
        mail.recipient_reply = "250 ok"
        escalation = await only_row(acting.database, escalation_tickets)
        assert escalation["reason"] == "tool_failure"
        await acting.decide(escalation["id"], Decision.APPROVE)
        facts = await acting.run_of(it.shop, answer["event_id"]).result()

    assert facts["status"] == "completed"
    assert it.refunded == 4_900
    assert len(mail.mails) == 1


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
    """A worker was killed during it, and its outcome cannot be checked: a human must decide."""
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


@pytest.mark.usefixtures("tried_quickly")
async def test_a_lone_refund_that_was_begun_and_cannot_be_reached_is_unknown(
    acting: LiveEngine, tmp_path: Path
) -> None:
    """The failed retry says nothing about the first attempt."""
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
    """The first ticket detects it, and later ones use the stored state: none is answered from
    unconfirmed data."""
    shop = await open_shop(acting.database)
    with shopify_server() as shopify:
        settings = {"shop": "demo.myshopify.com", BASE_URL: shopify.url}
        secrets = json.dumps({"access_token": "old"})
        await connect(acting, shop, Provider.SHOPIFY, settings, secrets)
        async with acting.working():
            asked = {"customer_email": CUSTOMER, "message": ORDER_QUESTION}
            for ticket in ("1", "2"):
                answer = await acting.post(shop, **asked, ticket_id=ticket)
                assert answer.json()["status"] == "needs_review"

    waiting = await rows(acting.database, escalation_tickets)
    assert [row["reason"] for row in waiting] == ["tool_failure", "tool_failure"]
    assert (await only_row(acting.database, integrations))["status"] == "error"


async def test_a_blocked_step_found_again_after_a_crash_is_blocked_again(
    acting: LiveEngine, tmp_path: Path
) -> None:
    """Its answer is never sent alone: the rest of the plan waits for a human's text."""
    it = await acting_shop(acting, tmp_path, [order("2001")], rules(ActionLevel.HUMAN_APPROVED))
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    async with acting.working():
        answer = (await acting.post(it.shop, **ASKED)).json()
        waiting = await only_row(acting.database, escalation_tickets)
        await acting.decide(waiting["id"], Decision.APPROVE, signal=False)
        it.path.unlink()
        open_demo_shop(it.path, [order("2001", 1_000)])  # its value has decreased
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
