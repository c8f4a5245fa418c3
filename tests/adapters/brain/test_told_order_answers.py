"""Answers about an order known from webhooks: its payment, and the age of the data."""

from datetime import UTC, date, datetime

from domain.agent.brain import BrainRequest, Citation
from domain.agent.order_facts import order_values
from domain.core.money import Money
from tests.adapters.brain.test_order_answers import ORDER, ask
from tests.support.agent.grounding import unsupported


async def test_what_webhooks_told_of_the_payment_is_said_with_the_state_and_its_age() -> None:
    told = ORDER.model_copy(
        update={
            "is_disputed": True,
            "refunded": Money(minor=1000, currency="EUR"),
            "told_at": datetime(2026, 5, 4, 8, 30, tzinfo=UTC),
        }
    )
    fresh = order_values(told, "fr", date(2026, 5, 4))["order_status"]
    old = order_values(told, "en", date(2026, 5, 5))["order_status"]
    failed = order_values(ORDER.model_copy(update={"is_payment_failed": True}), "fr")

    assert fresh == "expédiée (paiement contesté auprès de la banque, 10,00 EUR remboursés)"
    assert old == (
        "shipped (payment disputed with the bank, 10.00 EUR refunded, as of 2026-05-04 08:30 UTC)"
    )
    assert failed["order_status"] == "expédiée (paiement refusé)"
    assert order_values(ORDER, "fr")["order_status"] == "expédiée"

    answer = await ask("Where is my order?", "It is {{ order_status }}.", order=told)
    request = BrainRequest(text="?", brand_name="Maison", order=told)
    assert "2026-05-04 08:30" in answer.response
    assert unsupported(old, (Citation(kind="order", id=told.id, title="#1042"),), request) == ()
