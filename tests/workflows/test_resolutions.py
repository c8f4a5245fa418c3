"""A ticket that is resolved more than once: the events for merchants' systems."""

import json
from typing import Any

from store.webhooks.tables import ticket_events, webhook_deliveries
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.tenants.shop import ORDER_QUESTION, Shop
from tests.support.webhooks.told import told_events
from tests.support.webhooks.webhooks import subscribe

CUSTOMER = "a@b.example"


async def told(engine: LiveEngine, shop: Shop, event: str) -> list[dict[str, Any]]:
    return [one.data for one in await told_events(engine.database, of=shop, event=event)]


async def test_each_resolution_of_a_ticket_has_its_number(engine: LiveEngine, shop: Shop) -> None:
    """A customer who writes again reopens the ticket; another ticket starts at 1."""
    for ticket in ("T-1", "T-1", "T-2", "T-1"):
        await engine.post(shop, customer_email=CUSTOMER, ticket_id=ticket, message=ORDER_QUESTION)

    resolved = await told(engine, shop, "ticket.resolved")
    assert [(one["ticket_id"], one["resolution"]) for one in resolved] == [
        ("T-1", 1), ("T-1", 2), ("T-2", 1), ("T-1", 3),
    ]  # fmt: skip
    counted = await rows(engine.database, ticket_events, of=shop, event="ticket.resolved")
    assert sorted(row["number"] for row in counted) == [1, 3]


async def test_a_webhook_may_take_one_event_of_each_type_for_a_ticket(
    engine: LiveEngine, shop: Shop
) -> None:
    every = await subscribe(engine.database, shop)
    once = await subscribe(engine.database, shop, once_per_ticket=True)
    for ticket in ("T-1", "T-1", "T-2"):
        await engine.post(shop, customer_email=CUSTOMER, ticket_id=ticket, message=ORDER_QUESTION)

    sent = await rows(engine.database, webhook_deliveries, of=shop, event="ticket.resolved")
    of = {
        webhook.id: sorted(
            (data["ticket_id"], data["resolution"])
            for data in (
                json.loads(one["request_body"])["data"]
                for one in sent
                if one["webhook_id"] == webhook.id
            )
        )
        for webhook in (every, once)
    }
    assert of == {
        every.id: [("T-1", 1), ("T-1", 2), ("T-2", 1)],
        once.id: [("T-1", 1), ("T-2", 1)],
    }
