"""Customers' requests for their personal data: open a request, read the data, and record its
delivery."""

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.inbound.customer_file import CustomerFile
from domain.inbound.data_request import DUE_AFTER, DataRequest
from domain.tenants.actor import MANAGERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.customers.customer_lists import CustomerLists
from store.inbound.customer_file import CustomerFileRepository
from store.inbound.data_requests import DataRequestRepository


async def customer_file(
    connection: AsyncConnection, tenant: TenantId, actor: Actor, request_id: str, now: Clock
) -> CustomerFile:
    """Return all stored data about the customer who made the data request. Raises RoleRequired,
    DataRequestNotFound."""
    actor.require(MANAGERS)
    request = await DataRequestRepository(connection, tenant).read(request_id)
    return await CustomerFileRepository(connection, tenant).read(request, now())


async def download_customer_file(work: UnitOfWork, actor: Actor, request_id: str) -> CustomerFile:
    """Return the customer file, as `customer_file` does, and write an audit entry that names the
    data request."""
    file = await customer_file(work.connection, work.tenant, actor, request_id, lambda: work.now)
    work.note(actor, "customer file downloaded", request_id=request_id)
    return file


async def open_data_request(work: UnitOfWork, actor: Actor, customer_id: str) -> DataRequest:
    """Open a data request for a customer who asked a member for the stored data, or return the open
    one. Raises RoleRequired, CustomerNotFound."""
    actor.require(MANAGERS)
    customer = await CustomerLists(work.connection, work.tenant).locked(customer_id)
    requests = DataRequestRepository(work.connection, work.tenant)
    known = await requests.open_of(customer.email)
    if known is not None:
        return known
    request_id = work.new_id()
    await requests.open(
        request_id,
        integration_id=None,
        customer_email=customer.email,
        order_ids=(),
        now=work.now,
        due_at=work.now + DUE_AFTER,
    )
    work.note(actor, "data requested", request_id=request_id)
    return await requests.read(request_id)


async def fulfil_data_request(work: UnitOfWork, actor: Actor, request_id: str) -> DataRequest:
    """Record that the customer has received the requested data. The first record is kept. Raises
    RoleRequired, DataRequestNotFound."""
    actor.require(MANAGERS)
    requests = DataRequestRepository(work.connection, work.tenant)
    if await requests.fulfil(request_id, by=actor.known_as, now=work.now):
        work.note(actor, "data request fulfilled", request_id=request_id)
    return await requests.read(request_id)
