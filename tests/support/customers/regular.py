"""A customer with a history: conversations, orders, a refund, a churn prediction and a note."""

from datetime import timedelta
from typing import Final

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind, StepOutcome, StepState
from domain.core.money import Money
from domain.integrations.order import OrderState
from domain.integrations.order_fact import OrderFact
from domain.integrations.providers import Provider
from services.reviews.notes import add_note
from store.analytics.tables import churn_predictions
from store.core.database import Database
from store.customers.customer_index import CustomerIndex
from store.customers.tables import customers
from store.integrations.order_facts import OrderFactRepository
from store.runs.action_ledger import ActionLedger, Effect, LedgerPlace
from store.runs.tables import ai_conversations
from tests.support.core.rows import only_row
from tests.support.core.units import units_on
from tests.support.inbound.log import a_sender
from tests.support.reviews.replies import BEN, conversation_of
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop

SOPHIE: Final = "sophie.m@x.example"
NAME: Final = "Sophie Martin"
TOTAL: Final = Money(minor=12_000, currency="EUR")
REFUNDED: Final = Money(minor=4_900, currency="EUR")


async def a_regular(database: Database, shop: Shop) -> str:
    """Create Sophie, who wrote in two conversations, and return her id."""
    now = utc_now()
    await write(database, shop, "Where is my lamp?", key="email:1", customer=SOPHIE, now=now)
    ref = await write(
        database, shop, "It is broken.", key="email:2", customer=SOPHIE,
        now=now + timedelta(seconds=1),
    )  # fmt: skip
    talk = await conversation_of(database, ref.event_id)
    integration_id = await a_sender(database, shop, Provider.SHOPIFY)
    place = LedgerPlace(ref.run_id, 0, 0)
    refund = Effect(
        ActionKind.REFUND,
        integration_id=integration_id,
        order_key="shopify/7",
        customer_key=SOPHIE,
        amount=REFUNDED,
    )
    async with database.tenant(shop.tenant) as connection:
        await CustomerIndex(connection, shop.tenant).keep(
            SOPHIE, NAME, is_verified=True, new_id=new_ulid, at=now
        )
        await OrderFactRepository(connection, shop.tenant).apply(
            integration_id,
            OrderFact(
                order_id="7", number="1043", version=now, customer_email=SOPHIE, total=TOTAL,
                state=OrderState.DELIVERED, placed_at=now,
            ),
            now,
        )  # fmt: skip
        ledger = ActionLedger(connection, shop.tenant)
        await ledger.begin(place, refund, entry_id=new_ulid(), now=now)
        done = StepOutcome(kind=ActionKind.REFUND, state=StepState.DONE, detail="")
        await ledger.finish(place, done, reference="re_1", now=now)
        await connection.execute(
            sa.update(ai_conversations)
            .where(ai_conversations.c.client_id == shop.client_id, ai_conversations.c.id == talk)
            .values(sentiment=-0.5)
        )
        await connection.execute(
            sa.insert(churn_predictions).values(
                client_id=shop.client_id, id=new_ulid(), customer_email=SOPHIE, week=now.date(),
                score=0.7, level="high", created_at=now,
            )
        )  # fmt: skip
    async with units_on(database).of(shop.tenant) as work:
        await add_note(work, BEN, talk, "Call her back.")
    row = await only_row(database, customers, key=SOPHIE, client_id=shop.client_id)
    return str(row["id"])
