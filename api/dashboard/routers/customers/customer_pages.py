"""/app/customers: the customers who wrote to the client, and a page for each customer."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.moods import mood_line
from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.people import people_of
from api.dashboard.post import Post, Posted
from api.route import PathId
from api.schemas.customers.customer_query import CustomersQuery, cursor_of_customer
from domain.customers.errors import CustomerNotFound
from domain.tenants.actor import ANYONE, MANAGERS, OWNERS
from services.customers.customers import LISTED_RECORDS, list_customers, read_customer
from services.inbound.data_requests import open_data_request
from store.customers.customer_lists import client_of_customer

_LIST: Final = "/app/customers"
_ONE: Final = f"{_LIST}/{{customer_id}}"
_ID: Final = PathId("customer_id", "customer", CustomerNotFound)

router = APIRouter(include_in_schema=False)
CustomerPage = Annotated[Page, Depends(OnPage(ANYONE, _ID, client_of_customer))]
CustomerPost = Annotated[Post, Depends(Posted(MANAGERS, _ID, client_of_customer))]


@router.get(_LIST)
async def customers(page: AnyonesPage) -> Response:
    query = page.query(CustomersQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found, behind = await list_customers(
            connection, page.tenant, page.actor, query.q, after=query.after, limit=query.limit
        )
    return page.render(
        "customers/customers.html",
        customers=found,
        cursor=cursor_of_customer(behind) or "",
        asked=query.q.strip(),
        most=LISTED_RECORDS,
    )


@router.get(_ONE)
async def customer(page: CustomerPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await read_customer(connection, page.tenant, page.actor, page.record_id)
    return page.render(
        "customers/customer.html",
        customer=found,
        moods=mood_line(page, [one.sentiment for one in found.conversations[::-1]]),
        people=await people_of(page),
        may_export=page.may(MANAGERS),
        may_erase=page.may(OWNERS),
    )


@router.post(f"{_ONE}/data-requests")
async def request_data(post: CustomerPost) -> Response:
    page = post.page
    async with post.working() as work:
        request = await open_data_request(work, page.actor, page.record_id)
        await post.leads_to(work, to := f"/app/data-requests/{request.id}")
    return post.done(to, "customers.requested")
