"""/app/data-requests: requests from customers who asked a shop for their stored data."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import OnPage, Page
from api.dashboard.post import Post, Posted
from api.route import PathId
from api.schemas.core.client_query import PageQuery, cursor_after
from domain.inbound.errors import DataRequestNotFound
from domain.tenants.actor import MANAGERS
from services.inbound.data_requests import (
    customer_file,
    download_customer_file,
    fulfil_data_request,
)
from store.inbound.data_requests import DataRequestRepository, client_of_data_request

_LIST: Final = "/app/data-requests"
_REQUEST: Final = f"{_LIST}/{{request_id}}"
_ID: Final = PathId("request_id", "data request", DataRequestNotFound)

router = APIRouter(include_in_schema=False)
RequestPage = Annotated[Page, Depends(OnPage(MANAGERS, _ID, client_of_data_request))]
RequestPost = Annotated[Post, Depends(Posted(MANAGERS, _ID, client_of_data_request))]


@router.get(_LIST)
async def data_requests(page: Annotated[Page, Depends(OnPage(MANAGERS))]) -> Response:
    query = page.query(PageQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await DataRequestRepository(connection, page.tenant).page(
            before=query.cursor, limit=query.limit + 1
        )
    return page.render(
        "privacy/data_requests.html",
        requests=found[: query.limit],
        cursor=cursor_after(found, query.limit, lambda last: last.id),
    )


@router.get(_REQUEST)
async def data_request(page: RequestPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        file = await customer_file(
            connection, page.tenant, page.actor, page.record_id, page.resources.now
        )
        found = await DataRequestRepository(connection, page.tenant).read(page.record_id)
    return page.render("privacy/data_request.html", asked=found, file=file)


@router.get(f"{_REQUEST}/file.json")
async def download(page: RequestPage) -> Response:
    """Download the customer's data, with the same content as in the API route's response."""
    async with page.resources.work.of(page.tenant) as work:
        file = await download_customer_file(work, page.actor, page.record_id)
    headers = {
        "content-disposition": f"attachment; filename=customer-{file.request_id}.json",
        "cache-control": "private, no-store",
        "x-content-type-options": "nosniff",
    }
    return Response(file.model_dump_json(indent=2), headers=headers, media_type="application/json")


@router.post(f"{_REQUEST}/fulfil")
async def fulfil(post: RequestPost) -> Response:
    page = post.page
    async with post.working(to := f"{_LIST}/{page.record_id}") as work:
        await fulfil_data_request(work, page.actor, page.record_id)
    return post.done(to, "privacy.fulfilled")
