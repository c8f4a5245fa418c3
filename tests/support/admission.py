"""Admission as the gateway does it, without HTTP and without a run."""

from datetime import datetime

from adapters.system import new_ulid, utc_now
from domain.event import InboundEvent
from store.admission import AdmissionIds, Admitted, Repeated, Unmatched, admit
from store.database import Database
from store.idempotency import IdempotencyKey
from tests.support.shop import Shop


def fresh_ids() -> AdmissionIds:
    return AdmissionIds(
        event_id=new_ulid(), run_id=new_ulid(), message_id=new_ulid(), credit_id=new_ulid()
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
    ids: AdmissionIds | None = None,
) -> Admitted | Unmatched | Repeated:
    """One event in a transaction of its own. Raises what admission refuses with."""
    async with database.tenant(shop.tenant) as connection:
        return await admit(
            connection,
            shop.tenant,
            InboundEvent(event_type=event_type, customer_email=customer_email, message=message),
            ids=ids or fresh_ids(),
            key_id=key_id,
            now=now or utc_now(),
            idempotency=idempotency,
        )


async def admit_event(
    database: Database, shop: Shop, *, event_type: str = "x", message: str | None = None
) -> Admitted:
    """An event that is surely admitted to a run."""
    admitted = await try_to_admit(database, shop, event_type=event_type, message=message)
    assert isinstance(admitted, Admitted)
    return admitted
