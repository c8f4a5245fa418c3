"""Dashboard search: one use case for the search page and the command palette."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId, parse_ulid
from domain.customers.customer import Customer
from domain.dashboard.search import FoundArticle, FoundTicket, searched_words
from domain.intake.customer_email import customer_key
from domain.tenants.actor import ANYONE, Actor
from store.customers.customer_lists import CustomerLists
from store.dashboard.record_search import RecordSearch
from store.runs.anything import NamedRecord, NamedRecords
from store.runs.run_finding import RunFinder


@dataclass(frozen=True, slots=True)
class SearchResults:
    """Search results: records with the searched id, the searched order number, and tickets about
    this order."""

    records: tuple[NamedRecord, ...] = ()
    customers: tuple[Customer, ...] = ()
    tickets: tuple[FoundTicket, ...] = ()
    order: str = ""
    of_order: tuple[FoundTicket, ...] = ()
    articles: tuple[FoundArticle, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (
            self.records or self.customers or self.tickets or self.of_order or self.articles
        )


async def search_records(
    connection: AsyncConnection, tenant: TenantId, actor: Actor, text: str, *, limit: int
) -> SearchResults:
    """Return at most `limit` records of each kind that match a text, or the latest tickets for an
    empty text. Raises RoleRequired.

    The text is an id, an address, an order or ticket number, or word prefixes. Words are searched
    only in the latest tickets and messages.
    """
    actor.require(ANYONE)
    asked = text.strip().removeprefix("#").strip()
    search = RecordSearch(connection, tenant)
    if not asked:
        return SearchResults(tickets=await search.recent(limit))
    if ulid := parse_ulid(asked):
        return SearchResults(records=tuple(await NamedRecords(connection, tenant).of(ulid)))
    customers = tuple(
        (await CustomerLists(connection, tenant).page(asked, after=None, limit=limit))[0]
    )
    if "@" in asked and (key := customer_key(asked)) is not None:
        found = await search.by_address(key, limit)
        if found:
            return SearchResults(customers=customers, tickets=found)
    finder = RunFinder(connection, tenant)
    ticket = await finder.named(asked)
    of_id = await search.of_runs([ticket], limit) if ticket else ()
    words = searched_words(asked)
    if not words:
        return SearchResults(customers=customers, tickets=of_id)
    of_order: tuple[FoundTicket, ...] = ()
    if any(one.isdigit() for one in asked):
        of_order = await search.of_runs(await finder.of_order(asked, limit=limit), limit)
    tickets = {one.id: one for one in (*of_id, *await search.by_words(words, limit))}
    known = {one.id for one in of_order}
    return SearchResults(
        customers=customers,
        tickets=tuple(one for one in tickets.values() if one.id not in known)[:limit],
        order=asked,
        of_order=of_order,
        articles=await search.articles(words, limit),
    )
