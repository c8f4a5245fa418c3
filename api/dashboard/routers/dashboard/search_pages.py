"""/app/find and /app/palette: search by words, email address, order number or id."""

from collections.abc import Mapping
from typing import Annotated, Final

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, Page
from api.dashboard.palette import SHOWN, palette_groups, record_address
from api.schemas.core.client_query import ClientQuery
from services.customers.customers import customer_names
from services.dashboard.search import SearchResults, search_records

_SHOWN: Final = 50

router = APIRouter(include_in_schema=False)


class FindQuery(ClientQuery):
    q: Annotated[str, Field(max_length=254, pattern=r"^[^\x00]*$")] = ""


@router.get("/app/find")
async def find(page: AnyonesPage) -> Response:
    asked = page.query(FindQuery).q.strip()
    found, names = await _search(page, asked, _SHOWN) if asked else (SearchResults(), {})
    return page.render(
        "dashboard/find.html", asked=asked, found=found, names=names, address_of=record_address
    )


@router.get("/app/palette")
async def palette(page: AnyonesPage) -> Response:
    """Return the command palette's lines. The palette's dialog loads them."""
    asked = page.query(FindQuery).q.strip()
    found, names = await _search(page, asked, SHOWN)
    return page.render(
        "dashboard/palette.html", asked=asked, groups=palette_groups(page, asked, found, names)
    )


async def _search(page: Page, asked: str, limit: int) -> tuple[SearchResults, Mapping[str, str]]:
    """Return the records found, and the names of the tickets' customers by address."""
    async with (
        page.resources.searches.turn(page.tenant),
        page.resources.database.reading(page.tenant) as connection,
    ):
        found = await search_records(connection, page.tenant, page.actor, asked, limit=limit)
        addresses = [one.customer_email for one in (*found.tickets, *found.of_order)]
        return found, await customer_names(connection, page.tenant, page.actor, addresses)
