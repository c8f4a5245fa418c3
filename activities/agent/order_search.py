"""Search for the order that a message is about. The search covers the client's shops and the order
facts from the shops' webhooks."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.lookup import looks_up, order_to_find
from domain.agent.thread import Thread
from domain.core.errors import CallerBusy, OverBudget
from domain.core.ids import TenantId
from domain.intake.event import UnifiedEvent
from domain.integrations.errors import (
    ActionForbidden,
    ActionRefused,
    ActionUnreachable,
    NotAuthorized,
)
from domain.integrations.integration import Integration
from domain.integrations.known_order import with_facts
from domain.integrations.order import Lookup, LookupState
from domain.integrations.ports import Connectors
from domain.integrations.providers import SHOPS
from services.core.concurrent_callers import ConcurrentCallers
from services.core.cpu_guard import limited
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository
from store.integrations.order_facts import OrderFactRepository

# Timeout for each shop, in seconds. A slower shop is treated as unavailable, because a caller is
# waiting.
_PATIENCE_S: Final = 4.0
# Maximum number of concurrent calls to one client's shops. An unresponsive shop therefore occupies
# only a small part of the worker's concurrency, which all clients share.
AT_ONCE: Final = 6
# If several shops return a result, the state that comes first in this list takes precedence.
_TELLING: Final = (
    LookupState.FOUND,
    LookupState.NOT_THEIRS,
    LookupState.NOT_FOUND,
    LookupState.UNAVAILABLE,
)


@dataclass(frozen=True, slots=True)
class Searched:
    """The result of a search.

    - `answered`: the shops that responded, or None if no order is needed.
    - `refused`: connections that no longer accept our credentials, with error codes.
    - `noted`: connections that stay active, with the code of the latest rejection, or None if they
      work again.
    """

    lookup: Lookup
    answered: frozenset[str] | None = None
    refused: tuple[tuple[str, str], ...] = ()
    noted: tuple[tuple[str, str | None], ...] = ()


class OrderSearch:
    """A read-only search for orders, in the database and in the shops."""

    def __init__(self, database: Database, connectors: Connectors) -> None:
        self._database = database
        self._connectors = connectors
        self._callers: ConcurrentCallers[TenantId] = ConcurrentCallers(at_most=AT_ONCE)

    async def find(self, tenant: TenantId, event: UnifiedEvent, thread: Thread) -> Searched:
        """Return the known data about the order that a message is about, like `ask` followed by
        `with_reported`. Raises EngineUnavailable."""
        async with self._database.reading(tenant, keeps_plans=True) as connection:
            connected = await IntegrationRepository(connection, tenant).connected()
        searched = await self.ask(tenant, event, thread, connected)
        async with self._database.reading(tenant, keeps_plans=True) as connection:
            return await with_reported(connection, tenant, event.customer_email, searched)

    async def ask(
        self,
        tenant: TenantId,
        event: UnifiedEvent,
        thread: Thread,
        connected: Iterable[Integration],
    ) -> Searched:
        """Return the connected shops' data about the order that a message is about. Call this
        outside any transaction.

        Each shop gets `_PATIENCE_S` seconds. A shop counts as unresponsive, without an error, if
        the client has `AT_ONCE` calls in progress or the message is too expensive to search.
        """
        # The default result is UNAVAILABLE: if no shop responds, it is unknown whether the order
        # exists.
        try:
            number = limited(lambda: order_to_find(event, thread))
            is_needed = limited(lambda: looks_up(event, thread))
        except OverBudget:
            number, is_needed = None, False
        if not is_needed:
            return Searched(Lookup(state=LookupState.UNAVAILABLE, number=number))
        return await self._ask_shops(tenant, number, event.customer_email, connected)

    async def numbered(self, tenant: TenantId, number: str, email: str | None) -> Lookup:
        """Return the known data about the customer's order with this number, as `find` does for the
        order of a message. Raises EngineUnavailable."""
        async with self._database.reading(tenant) as connection:
            connected = await IntegrationRepository(connection, tenant).connected()
        searched = await self._ask_shops(tenant, number, email, connected)
        async with self._database.reading(tenant) as connection:
            return (await with_reported(connection, tenant, email, searched)).lookup

    async def _ask_shops(
        self,
        tenant: TenantId,
        number: str | None,
        email: str | None,
        connected: Iterable[Integration],
    ) -> Searched:
        found = Lookup(state=LookupState.UNAVAILABLE, number=number)
        answered, refused, noted = set[str](), dict[str, str](), dict[str, str | None]()
        for integration in connected:
            if integration.provider not in SHOPS:
                continue
            try:
                with self._callers.join(tenant):
                    asked = await self._ask(integration, number, email, refused, noted)
            except CallerBusy:
                break
            if asked.state is not LookupState.UNAVAILABLE:
                answered.add(integration.id)
            found = min(found, asked, key=_rank)
            if found.state is LookupState.FOUND:
                break
        return Searched(found, frozenset(answered), tuple(refused.items()), tuple(noted.items()))

    async def _ask(
        self,
        integration: Integration,
        number: str | None,
        email: str | None,
        refused: dict[str, str],
        noted: dict[str, str | None],
    ) -> Lookup:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                order = await self._connectors.shop(integration).find_order(number, email)
        except NotAuthorized as error:
            refused[integration.id] = error.code
            return Lookup(state=LookupState.UNAVAILABLE, number=number)
        except ActionForbidden as error:
            noted[integration.id] = error.code
            return Lookup(state=LookupState.UNAVAILABLE, number=number)
        except (ActionUnreachable, ActionRefused, TimeoutError):
            return Lookup(state=LookupState.UNAVAILABLE, number=number)
        if integration.error_code is not None:
            noted[integration.id] = None
        return Lookup.of(order, number, email)


async def with_reported(
    connection: AsyncConnection, tenant: TenantId, email: str | None, searched: Searched
) -> Searched:
    """Return the result of `ask` with order facts from webhooks added. They complete the order from
    a shop, or replace it if the shop did not respond."""
    if searched.answered is None:
        return searched
    facts = OrderFactRepository(connection, tenant)
    found = searched.lookup
    if found.order is not None:
        order = with_facts(found.order, await facts.about(found.order))
        return replace(searched, lookup=found.model_copy(update={"order": order}))
    reported = await facts.find(found.number, email, but_of=searched.answered)
    if reported is None:
        return searched
    known = Lookup.of(reported, found.number, email)
    return replace(searched, lookup=min(found, known, key=_rank))


def _rank(lookup: Lookup) -> int:
    return _TELLING.index(lookup.state)
