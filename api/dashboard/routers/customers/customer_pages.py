"""/app/customers: the customers who wrote to the client, and a page of each."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.charts import Sparkline, sparkline
from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.people import people_of
from api.dashboard.post import Post, Posted
from api.route import PathId
from api.schemas.customers.customer_query import CustomersQuery, cursor_of_customer
from domain.customers.customer import CustomerDetails
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
        moods=_moods(page, found),
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


def _moods(page: Page, customer: CustomerDetails) -> Sparkline | None:
    """Return a chart of the sentiment by conversation, oldest first, or None if there are fewer
    than two values."""
    values = [one.sentiment for one in customer.conversations if one.sentiment is not None][::-1]
    if len(values) < 2:
        return None
    said = " ".join(page.formats.number(one, 1) for one in values)
    return sparkline(page.say("runs.talk.moods", moods=said), [one + 1 for one in values], top=2)
