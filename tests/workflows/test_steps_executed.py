"""`steps_executed` counts the sent actions, whatever the response."""

from pathlib import Path
from typing import Final

import pytest
from temporalio.testing import ActivityEnvironment

from activities.runs import actions
from adapters.connectors.registry import ConnectorRegistry
from adapters.demo.shop import DemoShop, open_demo_shop
from adapters.system import new_ulid, utc_now
from domain.agent.brain import BrainAnswer, BrainRequest
from domain.agent.plan import ActionKind, StepState
from domain.core.contracts import RunRef
from domain.core.money import Money
from domain.integrations.errors import ActionUnknown
from domain.integrations.order import Order
from domain.integrations.providers import Provider
from domain.runs.contracts import ExecuteInput
from store.runs.action_ledger import ActionLedger, Effect, LedgerPlace
from store.runs.tables import action_ledger, engine_runs
from tests.support.agent.acting import (
    ASKED,
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
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop, with_sender

pytestmark = pytest.mark.own_database

# The caller vouches for the customer, which does not verify the address for the email rules.
REFUND_BY_MAIL: Final = {**ASKED, "event_type": "email.inbound", "customer_verified": True}
QUESTION_BY_MAIL: Final = {
    "event_type": "email.inbound",
    "customer_email": "x@example.com",
    "message": ORDER_QUESTION,
}


async def shop_without_sender(engine: LiveEngine, folder: Path) -> Shop:
    """A shop whose refunds succeed and whose emails are rejected locally, before any connection."""
    path = folder / "shop.db"
    open_demo_shop(path, [order("2001")])
    shop = await open_shop(engine.database, rulebook=rules())
    await connect(engine, shop, Provider.DEMO_SHOP, {"path": str(path)}, "{}")
    return shop


@pytest.mark.parametrize(("by_server", "executed"), [(False, 0), (True, 1)])
async def test_a_refusal_counts_only_if_the_mail_server_made_it(
    acting: LiveEngine, mail: MailServer, by_server: bool, executed: int
) -> None:
    shop = await open_shop(acting.database)
    if by_server:
        await with_sender(acting.database, shop)
        mail.recipient_reply = "550 no such user"
    async with acting.working():
        answer = (await acting.post(shop, **QUESTION_BY_MAIL)).json()

    assert (answer["status"], answer["steps_executed"]) == ("failed", executed)
    (step,) = (await only_row(acting.database, engine_runs, of=shop))["steps"]
    assert (step["state"], step["begun"]) == ("failed", by_server)
    # An action that was not sent leaves no entry: a later round may still send it.
    states = [row["state"] for row in await rows(acting.database, action_ledger, of=shop)]
    assert states == ["failed"] * executed


@pytest.mark.usefixtures("mail")
async def test_a_refund_counts_and_the_mail_refused_here_does_not(
    acting: LiveEngine, tmp_path: Path
) -> None:
    shop = await shop_without_sender(acting, tmp_path)
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    async with acting.working():
        answer = (await acting.post(shop, **REFUND_BY_MAIL)).json()

    assert (answer["status"], answer["steps_executed"]) == ("needs_review", 1)
    (entry,) = await rows(acting.database, action_ledger, of=shop)
    assert (entry["action"], entry["state"]) == ("refund", "done")


@pytest.mark.usefixtures("mail")
async def test_a_refusal_here_leaves_an_interrupted_mail_unknown(acting: LiveEngine) -> None:
    """A worker was killed while it sent the email; the retry is rejected before any connection."""
    shop = await open_shop(acting.database)
    async with acting.working():
        answer = (await acting.post(shop, **QUESTION_BY_MAIL)).json()
        async with acting.database.tenant(shop.tenant) as connection:
            await ActionLedger(connection, shop.tenant).begin(
                LedgerPlace(answer["run_id"], 0, 0),
                Effect(ActionKind.REPLY_BY_EMAIL),
                entry_id=new_ulid(),
                now=utc_now(),
            )
        ref = RunRef(client_id=shop.client_id, event_id=answer["event_id"], run_id=answer["run_id"])
        result = await ActivityEnvironment().run(
            acting.activities.execute.execute, ExecuteInput(ref=ref, round=0)
        )

    assert [step.state for step in result.steps] == [StepState.UNKNOWN]
    assert (await only_row(acting.database, action_ledger, of=shop))["state"] == "unknown"


def _disallow_this_machine(engine: LiveEngine) -> None:
    """From now on, reject each action in a system on this machine before any request."""
    connectors = engine.activities.execute._actions._connectors
    assert isinstance(connectors, ConnectorRegistry)
    connectors._allow_loopback = False


class _BrainBeforeARefusal(ScriptedBrain):
    """While it thinks, actions on this machine become forbidden."""

    def __init__(self, engine: LiveEngine) -> None:
        super().__init__(ActionKind.REFUND)
        self._engine = engine

    async def think(self, request: BrainRequest) -> BrainAnswer:
        _disallow_this_machine(self._engine)
        return await super().think(request)


async def test_a_refund_that_is_refused_before_any_request_does_not_count(
    acting: LiveEngine, tmp_path: Path
) -> None:
    it = await acting_shop(acting, tmp_path, [order("2001")], rules())
    think_by(acting, _BrainBeforeARefusal(acting))
    async with acting.working():
        answer = (await acting.post(it.shop, **ASKED, customer_verified=True)).json()

    assert answer["steps_executed"] == 0
    assert it.movements == ()
    (step,) = (await only_row(acting.database, engine_runs, of=it.shop))["steps"]
    assert (step["kind"], step["state"], step["begun"]) == ("refund", "failed", False)


async def test_a_cancellation_at_a_shop_that_cancels_nothing_does_not_count(
    acting: LiveEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is rejected after the step was claimed, before any request."""
    # Python caches which protocols a class implements, so deleting its method is too late.
    monkeypatch.setattr(actions, "CancelsOrders", type("OfNoShop", (), {}))
    it = await acting_shop(acting, tmp_path, [order("2001", state="open")], rules())
    think_by(acting, ScriptedBrain(ActionKind.CANCEL_ORDER))
    wish = {**ASKED, "message": "Bonjour, merci d'annuler ma commande n° 2001."}
    async with acting.working():
        answer = (await acting.post(it.shop, **wish)).json()

    assert answer["steps_executed"] == 0
    (step,) = (await only_row(acting.database, engine_runs, of=it.shop))["steps"]
    assert (step["kind"], step["state"], step["begun"]) == ("cancel_order", "failed", False)
    # A later round may still execute it, so no entry prevents it.
    assert await rows(acting.database, action_ledger, of=it.shop) == []


class _BrainOfARetry(ScriptedBrain):
    """While it thinks, an earlier attempt of the refund is recorded in the ledger, and dies."""

    def __init__(self, engine: LiveEngine, shop: Shop) -> None:
        super().__init__(ActionKind.REFUND)
        self._engine = engine
        self._shop = shop

    async def think(self, request: BrainRequest) -> BrainAnswer:
        run = await only_row(self._engine.database, engine_runs, of=self._shop)
        async with self._engine.database.tenant(self._shop.tenant) as connection:
            await ActionLedger(connection, self._shop.tenant).begin(
                LedgerPlace(run["id"], 0, 0),
                Effect(ActionKind.REFUND, amount=Money(minor=4_900, currency="EUR")),
                entry_id=new_ulid(),
                now=utc_now(),
            )
        _disallow_this_machine(self._engine)
        return await super().think(request)


async def test_an_interrupted_refund_counts_if_its_retry_is_refused_here(
    acting: LiveEngine, tmp_path: Path
) -> None:
    """The rejection says nothing about the interrupted attempt: its outcome is unknown."""
    it = await acting_shop(acting, tmp_path, [order("2001")], rules())
    think_by(acting, _BrainOfARetry(acting, it.shop))
    async with acting.working():
        answer = (await acting.post(it.shop, **REFUND_BY_MAIL)).json()

    await _assert_unknown(acting, it.shop, answer)
    assert it.movements == ()


async def test_a_refund_whose_answer_was_lost_counts_if_its_retry_is_refused_here(
    acting: LiveEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shop refunds and its response is lost; the second attempt is rejected before any
    request."""
    it = await acting_shop(acting, tmp_path, [order("2001")], rules())
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    refund = DemoShop.refund

    async def lost(shop: DemoShop, order: Order, amount: Money, key: str, *, again: bool) -> str:
        await refund(shop, order, amount, key, again=again)
        _disallow_this_machine(acting)
        raise ActionUnknown

    monkeypatch.setattr(DemoShop, "refund", lost)
    async with acting.working():
        answer = (await acting.post(it.shop, **REFUND_BY_MAIL)).json()

    await _assert_unknown(acting, it.shop, answer)
    assert it.refunded == 4_900


async def _assert_unknown(engine: LiveEngine, shop: Shop, answer: dict[str, object]) -> None:
    """Check that the run has sent one action, whose outcome a human must check."""
    assert (answer["status"], answer["steps_executed"]) == ("needs_review", 1)
    (step,) = (await only_row(engine.database, engine_runs, of=shop))["steps"]
    assert (step["kind"], step["state"], step["begun"]) == ("refund", "unknown", True)
    (entry,) = await rows(engine.database, action_ledger, of=shop)
    assert (entry["action"], entry["state"]) == ("refund", "unknown")
