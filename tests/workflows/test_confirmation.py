"""A refund with customer confirmation: asked once, executed once, and only for the asked
customer."""

import asyncio
from pathlib import Path

import pytest

from domain.agent.brain import BrainAnswer, BrainRequest, Category
from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, Rulebook
from store.runs.tables import action_ledger, ai_conversations, engine_runs
from tests.support.agent.acting import (
    ASKED,
    CUSTOMER,
    Acting,
    ScriptedBrain,
    acting_shop,
    order,
    rules,
    think_by,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows

pytestmark = pytest.mark.own_database

CONFIRMED = rules(ActionLevel.CUSTOMER_CONFIRMED)
TICKET = {"event_type": "shopify.ticket.created", "customer_email": CUSTOMER}
YES = {**TICKET, "message": "Oui, merci."}


async def asked(
    engine: LiveEngine, folder: Path, rulebook: Rulebook = CONFIRMED, *others: str
) -> Acting:
    numbers = ("2001", *others)
    it = await acting_shop(engine, folder, [order(number) for number in numbers], rulebook)
    think_by(engine, ScriptedBrain(ActionKind.REFUND))
    return it


async def test_the_customer_is_asked_and_a_yes_refunds_once(
    acting: LiveEngine, tmp_path: Path
) -> None:
    it = await asked(acting, tmp_path)
    async with acting.working():
        question = (await acting.post(it.shop, **ASKED)).json()
        before = it.refunded
        answer = (await acting.post(it.shop, **YES)).json()
        again = (await acting.post(it.shop, **YES)).json()

    assert (question["status"], before) == ("completed", 0)
    assert "2001" in question["response"]
    assert "49,00 EUR" in question["response"]
    assert (answer["status"], answer["classification"]) == ("completed", "refund_request")
    assert it.refunded == 4_900
    assert again["status"] == "needs_review"
    entries = await rows(acting.database, action_ledger)
    assert [row["state"] for row in entries if row["action"] == "refund"] == ["done"]


async def test_of_many_yeses_at_once_one_counts(acting: LiveEngine, tmp_path: Path) -> None:
    """If another yes, which no longer answers anything, opened a review first, human agents handle
    it."""
    it = await asked(acting, tmp_path)
    async with acting.working():
        await acting.post(it.shop, **ASKED)
        await asyncio.gather(*(acting.post(it.shop, **YES) for _ in range(6)))

    runs = await rows(acting.database, engine_runs)
    (confirmed,) = [run for run in runs if run["plan"] and run["plan"][0]["kind"] == "refund"]
    theirs = confirmed["joined_review"] is not None
    assert it.refunded == (0 if theirs else 4_900)
    assert confirmed["status"] == ("needs_review" if theirs else "completed")


async def test_a_no_drops_the_question(acting: LiveEngine, tmp_path: Path) -> None:
    it = await asked(acting, tmp_path)
    async with acting.working():
        await acting.post(it.shop, **ASKED)
        no = (await acting.post(it.shop, **{**TICKET, "message": "Non merci"})).json()
        conversation = await only_row(acting.database, ai_conversations)
        late = (await acting.post(it.shop, **YES)).json()

    assert no["status"] == "completed"
    assert conversation["proposal"] is None
    assert late["status"] == "needs_review"
    assert it.refunded == 0


async def test_a_yes_in_another_ticket_does_nothing(acting: LiveEngine, tmp_path: Path) -> None:
    it = await asked(acting, tmp_path)
    async with acting.working():
        await acting.post(it.shop, **ASKED, ticket_id="T-1")
        other = (await acting.post(it.shop, **YES, ticket_id="T-2")).json()
        refunded_by_other = it.refunded
        same = (await acting.post(it.shop, **YES, ticket_id="T-1")).json()

    assert other["status"] == "needs_review"
    assert refunded_by_other == 0
    assert same["status"] == "completed"
    assert it.refunded == 4_900


async def test_somebody_elses_yes_in_the_same_ticket_does_nothing(
    acting: LiveEngine, tmp_path: Path
) -> None:
    it = await asked(acting, tmp_path)
    stranger = {**YES, "customer_email": "eve@attacker.example", "ticket_id": "T-1"}
    async with acting.working():
        await acting.post(it.shop, **ASKED, ticket_id="T-1")
        await acting.post(it.shop, **stranger)

    assert it.refunded == 0


async def test_without_a_number_the_latest_order_is_asked_about_and_never_taken(
    acting: LiveEngine, tmp_path: Path
) -> None:
    it = await asked(acting, tmp_path, rules(), "2002")
    wish = {**TICKET, "message": "Bonjour, je voudrais être remboursée, merci."}
    async with acting.working():
        first = (await acting.post(it.shop, **wish)).json()
        second = (await acting.post(it.shop, **TICKET, message="2001")).json()
        before = it.refunded
        third = (await acting.post(it.shop, **YES)).json()

    statuses = [answer["status"] for answer in (first, second, third)]
    assert statuses == ["completed", "completed", "completed"]
    assert before == 0
    assert "2001" in second["response"]
    (refund,) = [row for row in await rows(acting.database, action_ledger) if row["order_key"]]
    assert refund["order_key"] == "demo_shop/2001"


class PoliteBrain(ScriptedBrain):
    """Proposes a refund if it sees an order, and otherwise writes something polite."""

    async def think(self, request: BrainRequest) -> BrainAnswer:
        if request.order is not None:
            return await super().think(request)
        kind = ScriptedBrain(category=Category.OTHER, text="Bonjour, merci beaucoup !")
        return await kind.think(request)


@pytest.mark.parametrize(
    "between",
    [
        {"customer_email": "eve@example.com", "message": "Oui, merci."},
        {"customer_email": "eve@example.com", "message": "Bonjour, merci beaucoup !"},
        {"customer_verified": False, "message": "Oui, merci."},
    ],
)
async def test_a_question_waits_for_its_own_sender(
    acting: LiveEngine, tmp_path: Path, between: dict[str, object]
) -> None:
    """Another customer in the same ticket, or an unverified claim of the address, neither answers
    it nor invalidates it."""
    it = await asked(acting, tmp_path)
    think_by(acting, PoliteBrain(ActionKind.REFUND))
    ticket = {**TICKET, "ticket_id": "7"}
    async with acting.working():
        await acting.post(it.shop, **{**ASKED, "ticket_id": "7"})
        await acting.post(it.shop, **{**ticket, **between})
        after_other = it.refunded
        answer = (await acting.post(it.shop, **{**ticket, "message": "Oui, merci."})).json()

    assert after_other == 0
    assert answer["status"] == "completed"
    assert it.refunded == 4_900
