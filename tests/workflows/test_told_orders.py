"""Orders known from webhooks: mentioned if no shop responds, but never acted on; a dispute requires
a review whatever the shop returns."""

from datetime import timedelta
from pathlib import Path

import pytest

from adapters.system import utc_now
from domain.agent.plan import ActionKind
from domain.core.money import Money
from domain.integrations.order import LookupState, OrderState
from domain.integrations.order_fact import OrderFact
from domain.integrations.providers import Provider
from store.integrations.order_facts import OrderFactRepository
from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_runs
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
from tests.support.core.rows import only_row
from tests.support.inbound.stored import listen_to
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.own_database


async def tell(engine: LiveEngine, shop: Shop, provider: Provider, fact: OrderFact) -> None:
    async with engine.database.tenant(shop.tenant) as connection:
        integration_id = await listen_to(connection, shop.tenant, provider)
        facts = OrderFactRepository(connection, shop.tenant)
        assert await facts.apply(integration_id, fact, utc_now())


async def test_a_told_order_is_spoken_of_and_not_acted_on(acting: LiveEngine) -> None:
    shop = await open_shop(acting.database, rulebook=rules())
    brain = ScriptedBrain(ActionKind.REFUND)
    think_by(acting, brain)
    told = OrderFact(
        order_id="17",
        version=utc_now(),
        number="2001",
        customer_email=CUSTOMER,
        state=OrderState.SHIPPED,
        total=Money(minor=4900, currency="EUR"),
        placed_at=utc_now() - timedelta(days=2),
    )
    await tell(acting, shop, Provider.WOOCOMMERCE, told)
    async with acting.working():
        answer = (await acting.post(shop, **ASKED)).json()
        other = (await acting.post(shop, **{**ASKED, "customer_email": "eve@b.example"})).json()

    assert answer["status"] == other["status"] == "needs_review"
    found = (await only_row(acting.database, engine_runs, id=answer["run_id"]))["lookup"]
    assert found["state"] == LookupState.FOUND
    assert (found["order"]["state"], found["order"]["refundable"]["minor"]) == ("shipped", 0)
    assert brain.requests[0].offers == ()
    theirs = (await only_row(acting.database, engine_runs, id=other["run_id"]))["lookup"]
    assert (theirs["state"], theirs["order"]) == (LookupState.NOT_THEIRS, None)


async def test_a_disputed_payment_is_not_refunded_without_people(
    acting: LiveEngine, tmp_path: Path
) -> None:
    it = await acting_shop(acting, tmp_path, [order("2001")], rules())
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    disputed = OrderFact(order_id="pi_1", version=utc_now(), number="#2001", is_disputed=True)
    await tell(acting, it.shop, Provider.STRIPE, disputed)
    async with acting.working():
        answer = (await acting.post(it.shop, **ASKED)).json()

    assert (answer["status"], it.refunded) == ("needs_review", 0)
    run = await only_row(acting.database, engine_runs, id=answer["run_id"])
    (verdict, *_) = run["verdicts"]
    assert (verdict["ruling"], verdict["reason"]) == ("needs_approval", "order_disputed")
    review = await only_row(acting.database, escalation_tickets)
    assert review["reason"] == "policy_restriction"
