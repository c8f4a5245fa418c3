"""What operators see of payments that need a human."""

from typing import Any

from tests.support.billing.payments import asked_credits, told
from tests.support.core.command_line import answer_of, cli
from tests.support.core.engine import LiveEngine
from tests.support.servers.stripe_account import an_event, session_event
from tests.support.tenants.shop import Shop


async def test_payments_that_need_people(front: LiveEngine, shop: Shop) -> None:
    checkout_id = await asked_credits(front, shop)
    wrong = session_event(front.stripe.pay(checkout_id), amount_total=1)
    nobodys = an_event("charge.dispute.created", {"id": "dp_1", "metadata": {}})
    await told(front, wrong, nobodys)

    env = {"DATABASE_URL": front.settings.database.url}
    listed: dict[str, Any] = {**answer_of(cli("payment", "list", "--limit", "2", "--json", **env))}
    first, second = listed["payments"]

    assert (first["event_id"], first["problem"]) == (nobodys["id"], "money_returned")
    assert first["client_id"] is None
    assert (second["event_id"], second["problem"]) == (wrong["id"], "other_amount")
    assert (second["amount"], second["checkout_id"]) == ("0.01 EUR", checkout_id)
    shown = cli("payment", "list", "--limit", "1", **env).stdout
    assert "money_returned" in shown
    assert nobodys["id"] in shown
