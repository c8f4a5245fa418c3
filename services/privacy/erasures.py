"""Requests for erasure. A worker then permanently erases a client or one of its customers."""

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.privacy.contracts import EraseInput
from domain.privacy.erasure import subject_digests
from domain.tenants.actor import OPERATORS, Actor
from domain.tenants.errors import ClientNotFound
from services.core.unit_of_work import UnitOfWork
from store.privacy.certificates import Certificates
from store.privacy.erasure_tenant import brand_of


async def order_erasure(
    work: UnitOfWork, actor: Actor, sealer: Sealer, customer: str | None = None
) -> EraseInput:
    """Return the input for the worker that erases a client or a customer. If the erasure is already
    in progress, return its input.

    `work` must span clients because certificates outlive their clients. `customer` is an address
    key (`domain/intake/customer_email.py`), a `session_subject`, or None for the whole client.
    Raises RoleRequired, ClientNotFound.
    """
    actor.require(OPERATORS)
    await brand_to_erase(work.connection, work.tenant)
    digests = () if customer is None else subject_digests(sealer, work.tenant, customer)
    running = await Certificates(work.connection).under_way(work.tenant, digests)
    wanted = EraseInput(
        erasure_id=work.new_id() if running is None else running.id,
        client_id=work.tenant,
        requested_by=actor.name,
        subject=digests[0].hex() if digests else "",
        sealed_customer="" if customer is None else sealer.seal(customer),
    )
    work.note(actor, "erasure ordered", erasure_id=wanted.erasure_id, scope=wanted.scope.value)
    return wanted


async def brand_to_erase(connection: AsyncConnection, client_id: TenantId) -> str | None:
    """Return the name of the client to erase, or None if it was already erased. Raises
    ClientNotFound if the client never existed."""
    brand = await brand_of(connection, client_id)
    if brand is None and not await Certificates(connection).latest(client_id=client_id, limit=1):
        raise ClientNotFound(client_id)
    return brand
