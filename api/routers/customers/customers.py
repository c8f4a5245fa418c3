"""/api/dashboard/customers: the customers who wrote to a client."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import Asked, InClientOf, MemberAt, QueryInClient
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId
from api.schemas.customers.customer_query import (
    CustomerList,
    CustomersQuery,
    RequestDataBody,
    cursor_of_customer,
)
from domain.customers.customer import CustomerDetails
from domain.customers.errors import CustomerNotFound
from domain.inbound.data_request import DataRequest
from domain.tenants.actor import ANYONE, MANAGERS
from services.customers.customers import list_customers, read_customer
from services.inbound.data_requests import open_data_request
from store.customers.customer_lists import client_of_customer

router = APIRouter(route_class=DescribedRoute)

_ALL: Final = "/api/dashboard/customers"
_ONE: Final = f"{_ALL}/{{customer_id}}"
_ID: Final = PathId("customer_id", "customer", CustomerNotFound)
Reader = Annotated[MemberAt, Depends(InClientOf(ANYONE, _ID, client_of_customer))]
Manager = Annotated[MemberAt, Depends(InClientOf(MANAGERS, _ID, client_of_customer))]


@router.get(_ALL, operation_id="customers.list", summary="List or search a client's customers")
async def customers(
    asked: Annotated[Asked[CustomersQuery], Depends(QueryInClient(CustomersQuery))],
    resources: ResourcesDep,
) -> CustomerList:
    """Lists customers, latest contact first. The list is paginated. Each customer's figures are
    computed from that customer's latest 20 messages and orders. A search examines at most 1,000
    customers."""
    query = asked.query
    async with resources.database.reading(asked.tenant) as connection:
        found, behind = await list_customers(
            connection, asked.tenant, asked.actor, query.q, after=query.after, limit=query.limit
        )
    return CustomerList(customers=found, next_cursor=cursor_of_customer(behind))


@router.get(
    _ONE,
    operation_id="customers.get",
    summary="Get a customer with conversations, orders and refunds",
)
async def customer(reader: Reader, resources: ResourcesDep) -> CustomerDetails:
    """Returns stored order data, from the agent's last lookup or the shop's webhooks. The call does
    not query the shop."""
    async with resources.database.reading(reader.tenant) as connection:
        return await read_customer(connection, reader.tenant, reader.actor, reader.record_id)


@router.post(
    f"{_ONE}/data-requests",
    operation_id="customers.request_data",
    summary="Open a data request for a customer",
)
async def request_data(
    manager: Manager,
    _: Annotated[RequestDataBody, Depends(JsonBody(RequestDataBody, optional=True))],
    resources: ResourcesDep,
) -> DataRequest:
    """If the customer has an open request, returns that request. `data_requests.get` returns the
    customer's data."""
    async with resources.work.of(manager.tenant) as work:
        return await open_data_request(work, manager.actor, manager.record_id)
