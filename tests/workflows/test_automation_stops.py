"""While automation is stopped, nothing is answered or executed without a human."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from domain.agent.brain import BrainAnswer, BrainRequest, Category
from domain.agent.plan import ActionKind
from domain.reviews.escalation import Decision
from store.reviews.tables import escalation_tickets
from store.runs.tables import action_ledger, engine_messages, engine_runs
from tests.support.agent.acting import (
    ASKED,
    Acting,
    ScriptedBrain,
    acting_shop,
    order,
    rules,
    think_by,
)
from tests.support.core.engine import GATEWAY, LiveEngine, ask_by_mail, think_with
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.tenants.automation import StoppingExecute, resume, resume_all, stop, stop_all
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop

pytestmark = pytest.mark.own_database

Throw = Callable[[LiveEngine, Shop], Awaitable[None]]
EVENTS = 50
SENSITIVE = "Votre lampe a pris feu et ma fille est brûlée. Mon avocat vous contactera."


async def _stop_all(engine: LiveEngine, _: Shop) -> None:
    await stop_all(engine)


async def _resume_all(engine: LiveEngine, _: Shop) -> None:
    await resume_all(engine)


SWITCHES = pytest.mark.parametrize(
    ("throw", "undo"),
    [pytest.param(stop, resume, id="client"), pytest.param(_stop_all, _resume_all, id="all")],
)


async def _asks(engine: LiveEngine, shop: Shop, number: int = 0) -> dict[str, Any]:
    answer = await engine.post(
        shop, message=ORDER_QUESTION, customer_email=f"emma{number}@example.com"
    )
    facts: dict[str, Any] = answer.json()
    return facts


async def _asks_until_admitted(engine: LiveEngine, shop: Shop, number: int) -> str:
    """Return the status of the event's answer; retry while the gateway is busy."""

    async def status() -> str | None:
        answer = await engine.http.post(
            GATEWAY,
            json={
                "client_id": shop.client_id,
                "message": ORDER_QUESTION,
                "customer_email": f"emma{number}@example.com",
            },
            headers={**shop.headers, "idempotency-key": f"event-{number}"},
        )
        return str(answer.json()["status"]) if answer.status_code == HTTPStatus.OK else None

    return await eventually(status, seconds=100)


async def _automatic(engine: LiveEngine) -> set[tuple[str, str]]:
    """Return the agent's answers and its finished actions."""
    said = await rows(engine.database, engine_messages, direction="outbound", author="agent")
    done = await rows(engine.database, action_ledger)
    return {("message", one["id"]) for one in said} | {
        ("action", f"{one['run_id']}/{one['step']}/{one['round']}") for one in done
    }


@SWITCHES
async def test_a_stopped_agent_leaves_its_draft_to_a_person(
    engine: LiveEngine, shop: Shop, throw: Throw, undo: Throw
) -> None:
    await throw(engine, shop)

    held = await _asks(engine, shop)

    assert (held["status"], held["response"], held["steps_executed"]) == ("needs_review", "", 0)
    review = await only_row(engine.database, escalation_tickets, of=shop)
    assert (review["reason"], review["status"]) == ("automation_stopped", "pending")
    assert "1042" in review["draft"]
    run = await only_row(engine.database, engine_runs, id=held["run_id"])
    assert run["verdicts"][-1]["reason"] == "automation_stopped"
    assert await _automatic(engine) == set()

    await engine.decide(review["id"], Decision.APPROVE)
    await engine.run_of(shop, held["event_id"]).result()
    said = await only_row(engine.database, engine_messages, of=shop, direction="outbound")
    assert said["body"] == review["draft"]

    await undo(engine, shop)
    assert (await _asks(engine, shop, 1))["status"] == "completed"


async def test_another_client_goes_on(engine: LiveEngine, shop: Shop) -> None:
    other = await open_shop(engine.database)
    await stop(engine, shop)

    assert (await _asks(engine, other))["status"] == "completed"


async def test_a_sensitive_matter_is_not_acknowledged(engine: LiveEngine, shop: Shop) -> None:
    asked = {"message": SENSITIVE, "customer_email": "emma@example.com"}
    assert (await engine.post(shop, **asked)).json()["acknowledgement"]
    await stop(engine, shop)

    held = (await engine.post(shop, **asked | {"customer_email": "ida@example.com"})).json()

    assert held["status"] == "needs_review"
    assert held.get("acknowledgement") is None


class ThrowingBrain(ScriptedBrain):
    """Stops automation while it thinks."""

    def __init__(self, throw: Callable[[], Awaitable[None]], *kinds: ActionKind) -> None:
        super().__init__(*kinds, category=Category.ORDER_STATUS, text="Bonjour.")
        self._throw = throw

    async def think(self, request: BrainRequest) -> BrainAnswer:
        await self._throw()
        return await super().think(request)


@SWITCHES
async def test_what_was_thought_before_is_not_sent(
    idle_engine: LiveEngine, shop: Shop, mail: MailServer, throw: Throw, undo: Throw
) -> None:
    engine = idle_engine
    brain = ThrowingBrain(lambda: throw(engine, shop))
    engine.activities = replace(engine.activities, think=think_with(engine.database, brain))
    async with engine.working():
        held = (await ask_by_mail(engine, shop)).json()
        assert held["status"] == "needs_review"
        assert mail.mails == []
        assert await _automatic(engine) == set()

        review = await only_row(engine.database, escalation_tickets, of=shop)
        await engine.decide(review["id"], Decision.APPROVE)
        await engine.run_of(shop, held["event_id"]).result()
        assert len(mail.mails) == 1
    await undo(engine, shop)


async def test_no_money_moves(acting: LiveEngine, tmp_path: Path) -> None:
    it = await acting_shop(acting, tmp_path, [order("2001")], rules())
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    await stop(acting, it.shop)
    async with acting.working():
        held = (await acting.post(it.shop, **ASKED)).json()
        assert (held["status"], it.refunded) == ("needs_review", 0)
        assert await _automatic(acting) == set()

        await _approved(acting, it, held)
    assert it.refunded == 4_900


async def _approved(engine: LiveEngine, it: Acting, held: dict[str, Any]) -> None:
    review = await only_row(engine.database, escalation_tickets, of=it.shop)
    assert review["reason"] == "automation_stopped"
    assert [step["kind"] for step in review["plan"]] == ["refund", "reply"]
    await engine.decide(review["id"], Decision.APPROVE)
    await engine.run_of(it.shop, held["event_id"]).result()


async def test_an_answer_that_is_ready_is_not_stored(idle_engine: LiveEngine, shop: Shop) -> None:
    """The stop occurs between the step that records the answer and the step that stores it."""
    engine = idle_engine
    execute = engine.activities.execute
    stopping = StoppingExecute(execute, lambda: stop(engine, shop))
    engine.activities = replace(engine.activities, execute=stopping)
    async with engine.working():
        held = await _asks(engine, shop)
        assert (held["status"], held["response"]) == ("needs_review", "")
        assert await _automatic(engine) == set()
        review = await only_row(engine.database, escalation_tickets, of=shop)
        assert review["reason"] == "automation_stopped"

        await engine.decide(review["id"], Decision.EDIT, "Bonjour, il part demain.")
        await engine.run_of(shop, held["event_id"]).result()
    said = await only_row(engine.database, engine_messages, of=shop, direction="outbound")
    assert (said["author"], said["body"]) == ("human", "Bonjour, il part demain.")


@SWITCHES
@pytest.mark.slow
async def test_nothing_automatic_follows_the_stop_under_load(
    engine: LiveEngine, shop: Shop, throw: Throw, undo: Throw
) -> None:
    """Fifty events at once; automation is stopped as soon as some are answered."""

    async def some_answered() -> bool:
        return len(await rows(engine.database, engine_messages, direction="outbound")) >= 5

    asked = [
        asyncio.create_task(_asks_until_admitted(engine, shop, number)) for number in range(EVENTS)
    ]
    await eventually(some_answered)
    await throw(engine, shop)
    before = await _automatic(engine)
    statuses = await asyncio.gather(*asked)

    # The record of an answer that was not stored is removed.
    assert await _automatic(engine) <= before
    said = await rows(engine.database, engine_messages, direction="outbound", author="agent")
    assert statuses.count("completed") == len(said) < EVENTS
    assert statuses.count("needs_review") == EVENTS - len(said)
    reviews = await rows(engine.database, escalation_tickets, of=shop)
    assert {one["reason"] for one in reviews} == {"automation_stopped"}
    await undo(engine, shop)
