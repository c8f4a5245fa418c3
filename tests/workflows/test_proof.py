"""For any messages, through the real workflow: the ledger contains no unnamed order, no two actions
on one order, and nothing of another customer's."""

from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from domain.agent.plan import ON_ORDERS, ActionKind
from domain.agent.rulebook import ActionLevel
from store.runs.tables import action_ledger
from tests.support.agent.acting import CUSTOMER, Acting, acting_shop, order, rules, think_by
from tests.support.agent.exchanges import (
    OWN_NUMBERS,
    STRANGERS_NUMBER,
    GreedyBrain,
    exchanges,
    greedy_brains,
    numbers_in,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows

pytestmark = pytest.mark.own_database

STRANGER: Final = "somebody.else@example.com"
LEVELS: Final = st.sampled_from([ActionLevel.AUTONOMOUS, ActionLevel.CUSTOMER_CONFIRMED])
STATES: Final = st.sampled_from(["open", "delivered"])
# Each example runs a real engine; the pure version of this test draws hundreds.
FEW: Final = settings(
    max_examples=8,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


async def a_shop(engine: LiveEngine, folder: Path, level: ActionLevel, state: str) -> Acting:
    """Create the customer's three orders with different totals, and one of another customer's."""
    mine = [order(number, 4_000 + place, state=state) for place, number in enumerate(OWN_NUMBERS)]
    theirs = order(STRANGERS_NUMBER, email=STRANGER, state=state)
    return await acting_shop(engine, folder, [*mine, theirs], rules(level))


async def acted_on(engine: LiveEngine, it: Acting) -> list[dict[str, Any]]:
    """Return this client's ledger rows for actions on orders."""
    entries = await rows(engine.database, action_ledger, client_id=it.shop.client_id)
    return [row for row in entries if row["action"] in ON_ORDERS and row["state"] != "failed"]


@FEW
@given(exchanges(4), greedy_brains(), LEVELS, STATES)
@example(
    ["Refund order 2040 please.", "Refund order 2040 please.", "Refund order 7700 please."],
    GreedyBrain(ActionKind.REFUND),
    ActionLevel.AUTONOMOUS,
    "delivered",
)
@example(
    ["I want my money back.", "2040", "Yes please", "Yes please", "Please refund it."],
    GreedyBrain(ActionKind.REFUND),
    ActionLevel.AUTONOMOUS,
    "open",
)
async def test_the_ledger_holds_only_what_was_named_and_nothing_twice(
    acting: LiveEngine,
    tmp_path: Path,
    written: list[str],
    brain: GreedyBrain,
    level: ActionLevel,
    state: str,
) -> None:
    it = await a_shop(acting, tmp_path, level, state)
    think_by(acting, brain)
    said: list[str] = []
    async with acting.working():
        for text in written:
            answer = (await acting.post(it.shop, **_message(text))).json()
            # What the customer has read so far, including a question that names the order.
            said += [text, answer["response"]]

    entries = await acted_on(acting, it)
    keys = Counter(row["order_key"] for row in entries)
    assert all(count == 1 for count in keys.values())
    spoken_of = {f"demo_shop/{number}" for text in said for number in numbers_in(text)}
    assert set(keys) <= spoken_of
    assert f"demo_shop/{STRANGERS_NUMBER}" not in keys
    assert sum(movement.amount.minor for movement in it.movements) == sum(
        row["amount"] for row in entries if row["state"] == "done"
    )


async def test_the_first_example_does_act(acting: LiveEngine, tmp_path: Path) -> None:
    """Otherwise the property would hold for an engine that does nothing."""
    it = await a_shop(acting, tmp_path, ActionLevel.AUTONOMOUS, "delivered")
    think_by(acting, GreedyBrain(ActionKind.REFUND))
    async with acting.working():
        for text in ("Refund order 2040 please.", "Refund order 2040 please."):
            await acting.post(it.shop, **_message(text))

    (entry,) = await acted_on(acting, it)
    assert (entry["order_key"], entry["state"], entry["amount"]) == (
        "demo_shop/2040",
        "done",
        4_001,
    )


def _message(text: str) -> dict[str, str]:
    """Send a message in one ticket of a platform that vouches for the customer."""
    return {
        "event_type": "shopify.ticket.created",
        "customer_email": CUSTOMER,
        "message": text,
        "ticket_id": "T-1",
    }
