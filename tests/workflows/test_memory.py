"""Memory during an event's processing: its owner, and no access for strangers."""

from store.runs.tables import ai_conversations
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.tenants.shop import ORDER_QUESTION, Shop

CUSTOMER = "ann@shop.example"


async def test_a_visitor_who_types_an_address_has_no_part_in_its_memory(
    engine: LiveEngine, shop: Shop
) -> None:
    await engine.post(shop, customer_email=CUSTOMER, message=ORDER_QUESTION)
    before = await only_row(engine.database, ai_conversations, of=shop)

    await engine.post(
        shop,
        event_type="widget.message",
        customer_email=CUSTOMER,
        session_id="s-1",
        message=ORDER_QUESTION,
    )

    theirs = await only_row(engine.database, ai_conversations, of=shop, key="session:s-1")
    assert [turn["author"] for turn in theirs["turns"]] == ["customer", "agent"]
    assert await only_row(engine.database, ai_conversations, id=before["id"]) == before


async def test_what_came_of_each_message_is_remembered(engine: LiveEngine, shop: Shop) -> None:
    for message in (ORDER_QUESTION, "Je veux parler à un conseiller, svp"):
        await engine.post(shop, customer_email=CUSTOMER, message=message)

    conversation = await only_row(engine.database, ai_conversations, of=shop)
    outcomes = [line.split(": ")[1] for line in conversation["summary"].splitlines()]
    assert outcomes == ["answered", "waiting for a human"]
