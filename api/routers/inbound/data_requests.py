"""/api/dashboard/data-requests: requests from customers who asked a shop for their stored data."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import Asked, InClientOf, MemberAt, QueryInClient
from api.resources import ResourcesDep
from api.route import DescribedRoute, PathId
from api.schemas.core.client_query import cursor_after
from api.schemas.inbound.data_request import DataRequestPage, DataRequestQuery
from domain.inbound.customer_file import CustomerFile
from domain.inbound.data_request import DataRequest
from domain.inbound.errors import DataRequestNotFound
from domain.tenants.actor import MANAGERS
from services.inbound.data_requests import download_customer_file, fulfil_data_request
from store.inbound.data_requests import DataRequestRepository, client_of_data_request

router = APIRouter(route_class=DescribedRoute)

_REQUESTS: Final = "/api/dashboard/data-requests"
_REQUEST: Final = f"{_REQUESTS}/{{request_id}}"
_ID: Final = PathId("request_id", "data request", DataRequestNotFound)

AskedFor = Annotated[MemberAt, Depends(InClientOf(MANAGERS, _ID, client_of_data_request))]


@router.get(
    _REQUESTS,
    operation_id="data_requests.list",
    summary="List customer data requests, newest first",
)
async def list_data_requests(
    asked: Annotated[Asked[DataRequestQuery], Depends(QueryInClient(DataRequestQuery, MANAGERS))],
    resources: ResourcesDep,
) -> DataRequestPage:
    """This operation requires the owner or admin role, and a session token. The client must answer
    each request by `due_at`."""
    query = asked.query
    async with resources.database.reading(asked.tenant) as connection:
        # Fetch one extra row to detect whether there is a next page.
        found = await DataRequestRepository(connection, asked.tenant).page(
            before=query.cursor, limit=query.limit + 1
        )
    return DataRequestPage(
        requests=list(found[: query.limit]),
        next_cursor=cursor_after(found, query.limit, lambda last: last.id),
    )


@router.get(
    _REQUEST,
    operation_id="data_requests.get",
    summary="Get all data stored about the customer",
)
async def show_data_request(member: AskedFor, resources: ResourcesDep) -> CustomerFile:
    """Returns the file to send to the customer. It contains conversations, answers, reviews,
    remembered facts, orders and a list of attachments. The audit log records the download."""
    async with resources.work.of(member.tenant) as work:
        return await download_customer_file(work, member.actor, member.record_id)


@router.post(
    f"{_REQUEST}/fulfil",
    operation_id="data_requests.fulfil",
    summary="Mark a data request as fulfilled",
)
async def fulfil(member: AskedFor, resources: ResourcesDep) -> DataRequest:
    """A repeated call has no effect. The record still shows the first member who marked the request
    as fulfilled."""
    async with resources.work.of(member.tenant) as work:
        return await fulfil_data_request(work, member.actor, member.record_id)
