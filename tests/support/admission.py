"""Admission as the gateway does it, without HTTP and without a run."""

from datetime import datetime

from adapters.system import new_ulid, utc_now
from domain.event import InboundEvent
from store.admission import Admitted, Arrival, Repeated, Unmatched, admit
from store.database import Database
from store.idempotency import IdempotencyKey
from tests.support.shop import Shop


def arrival(
    *,
    event_type: str = "x",
    customer_email: str | None = None,
    message: str | None = None,
    now: datetime | None = None,
    key_id: str | None = None,
    idempotency: IdempotencyKey | None = None,
) -> Arrival:
    """An event at the door, with fresh ids."""
    return Arrival(
        event=InboundEvent(event_type=event_type, customer_email=customer_email, message=message),
        event_id=new_ulid(),
        run_id=new_ulid(),
        message_id=new_ulid(),
        credit_id=new_ulid(),
        received_at=now or utc_now(),
        key_id=key_id,
        idempotency=idempotency,
    )


async def try_to_admit(
    database: Database,
    shop: Shop,
    *,
    event_type: str = "x",
    customer_email: str | None = None,
    message: str | None = None,
    now: datetime | None = None,
    key_id: str | None = None,
    idempotency: IdempotencyKey | None = None,
) -> Admitted | Unmatched | Repeated:
    """One event in a transaction of its own. Raises what admission refuses with."""
    comes = arrival(
        event_type=event_type,
        customer_email=customer_email,
        message=message,
        now=now,
        key_id=key_id,
        idempotency=idempotency,
    )
    async with database.tenant(shop.tenant) as connection:
        return await admit(connection, shop.tenant, comes, lambda: now or utc_now())


async def admit_event(
    database: Database, shop: Shop, *, event_type: str = "x", message: str | None = None
) -> Admitted:
    """An event that is surely admitted to a run."""
    admitted = await try_to_admit(database, shop, event_type=event_type, message=message)
    assert isinstance(admitted, Admitted)
    return admitted
