"""/app/find: search by email address, order number or id."""

from typing import Annotated, Final

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, Page
from api.schemas.core.client_query import ClientQuery
from domain.core.ids import parse_ulid
from domain.runs.correspondence import ConversationSummary
from store.runs.anything import NamedRecord, NamedRecords
from store.runs.conversation_reading import ConversationReader, ConversationSearch
from store.runs.run_finding import RunFinder

_SHOWN: Final = 50

router = APIRouter(include_in_schema=False)


class FindQuery(ClientQuery):
    q: Annotated[str, Field(max_length=254)] = ""


@router.get("/app/find")
async def find(page: AnyonesPage) -> Response:
    asked = page.query(FindQuery).q.strip().removeprefix("#")
    named: list[NamedRecord] = []
    runs: tuple[str, ...] = ()
    talks: tuple[ConversationSummary, ...] = ()
    if asked:
        named, runs, talks = await _look(page, asked)
    return page.render(
        "runs/find.html",
        asked=asked,
        named=named,
        runs=runs,
        talks=talks,
        is_empty=not (named or runs or talks),
    )


async def _look(
    page: Page, asked: str
) -> tuple[list[NamedRecord], tuple[str, ...], tuple[ConversationSummary, ...]]:
    async with page.resources.database.reading(page.tenant) as connection:
        if ulid := parse_ulid(asked):
            return await NamedRecords(connection, page.tenant).of(ulid), (), ()
        if "@" in asked:
            found = await ConversationReader(connection, page.tenant).search(
                ConversationSearch(customer=asked), before=None, limit=_SHOWN
            )
            return [], (), found.conversations
        finder = RunFinder(connection, page.tenant)
        runs = await finder.of_order(asked, limit=_SHOWN)
        ticket = await finder.named(asked)
        return [], tuple(dict.fromkeys([*([ticket] if ticket else []), *runs])), ()
