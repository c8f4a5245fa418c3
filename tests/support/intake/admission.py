"""Admission as in the gateway, without HTTP and without a run."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from pydantic import JsonValue

from adapters.system import new_ulid, utc_now
from domain.billing.subscription import Subscription
from domain.core.errors import DomainError
from domain.core.period import period_of
from domain.intake.event import InboundEvent
from domain.integrations.providers import Provider
from domain.tenants.actor import Actor
from domain.tenants.client import Plan
from domain.widget.visit import WidgetVisit
from services.core.unit_of_work import UnitOfWork
from services.intake import admission
from services.intake.admission import Admitted, Repeated, Unmatched
from store.billing.tables import usage_counters
from store.core.database import Database
from store.intake.arrivals import Arrival
from store.intake.idempotency import IdempotencyKey
from store.intake.tables import engine_events
from store.runs.tables import engine_messages
from store.tenants.accounts import AccountRepository
from tests.support.tenants.shop import Shop


def arrival(
    *,
    event_type: str = "x",
    customer_email: str | None = None,
    message: str | None = None,
    payload: dict[str, JsonValue] | None = None,
    now: datetime | None = None,
    idempotency: IdempotencyKey | None = None,
    visit: WidgetVisit | None = None,
    received_by: Provider | None = None,
) -> Arrival:
    """Return an arriving event with new ids."""
    return Arrival(
        event=InboundEvent(
            event_type=event_type,
            customer_email=customer_email,
            message=message,
            payload=payload or {},
        ),
        event_id=new_ulid(),
        run_id=new_ulid(),
        message_id=new_ulid(),
        received_at=now or utc_now(),
        idempotency=idempotency,
        visit=visit,
        received_by=received_by,
    )


async def try_to_admit(
    database: Database,
    shop: Shop,
    *,
    event_type: str = "x",
    customer_email: str | None = None,
    message: str | None = None,
    payload: dict[str, JsonValue] | None = None,
    now: datetime | None = None,
    key_id: str | None = None,
    idempotency: IdempotencyKey | None = None,
    visit: WidgetVisit | None = None,
    received_by: Provider | None = None,
) -> Admitted | Unmatched | Repeated:
    """Admit one event in a separate transaction. Raises the rejection."""
    comes = arrival(
        event_type=event_type,
        customer_email=customer_email,
        message=message,
        payload=payload,
        now=now,
        idempotency=idempotency,
        visit=visit,
        received_by=received_by,
    )
    actor = Actor.key(key_id) if key_id else Actor.system("test")
    async with database.tenant(shop.tenant) as connection:
        work = UnitOfWork(connection, shop.tenant, now or utc_now(), new_ulid)
        return await admission.admit_event(work, actor, comes, lambda: now or utc_now())


async def admit_event(
    database: Database, shop: Shop, *, event_type: str = "x", message: str | None = None
) -> Admitted:
    """Admit an event to a run, which must succeed."""
    admitted = await try_to_admit(database, shop, event_type=event_type, message=message)
    assert isinstance(admitted, Admitted)
    return admitted


async def sent_before(
    database: Database,
    shop: Shop,
    number: int,
    *,
    customer: str | None = None,
    claimed: bool = False,
    received_by: Provider | None = None,
    at: datetime,
) -> None:
    """Create this many past messages, as admission would leave them."""
    event_ids = [new_ulid() for _ in range(number)]
    async with database.service() as connection:
        await connection.execute(
            sa.insert(engine_events),
            [
                {
                    "client_id": shop.client_id, "id": event_id, "event_type": "x",
                    "outcome": "no_playbook", "received_at": at, "received_by": received_by,
                }
                for event_id in event_ids
            ],
        )  # fmt: skip
        await connection.execute(
            sa.insert(engine_messages),
            [
                {
                    "client_id": shop.client_id, "id": new_ulid(), "event_id": event_id,
                    "direction": "inbound", "customer_key": customer, "is_claim": claimed,
                    "author": "customer", "body": "", "created_at": at,
                }
                for event_id in event_ids
            ],
        )  # fmt: skip


async def at_once(call: Callable[[], Coroutine[Any, Any, object]], times: int) -> Counter[str]:
    """Return the number of concurrent calls by outcome: "in", or the rejection's code."""

    async def outcome() -> str:
        try:
            await call()
        except DomainError as error:
            return error.code
        return "in"

    return Counter(await asyncio.gather(*(outcome() for _ in range(times))))


async def used_before(database: Database, shop: Shop, tickets: int, at: datetime) -> None:
    """Create this many used tickets in the month."""
    async with database.service() as connection:
        await connection.execute(
            sa.insert(usage_counters).values(
                client_id=shop.client_id, period=period_of(at), tickets_used=tickets
            )
        )


async def on_plan(database: Database, shop: Shop, plan: Plan, **more: Any) -> None:
    async with database.tenant(shop.tenant) as connection:
        await AccountRepository(connection, shop.tenant).save(Subscription(plan, **more))


async def bought(database: Database, shop: Shop, amount: int) -> None:
    async with database.tenant(shop.tenant) as connection:
        await AccountRepository(connection, shop.tenant).add_credits(
            amount, entry_id=new_ulid(), reason="test", now=utc_now()
        )
