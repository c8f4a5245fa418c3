"""Look up: the order that a message is about, in the merchant's own shop."""

import asyncio
import time
from collections.abc import Set
from typing import Final

from temporalio import activity

from domain.agent.contracts import LookUpInput, LookUpResult
from domain.agent.lookup import looks_up, order_to_find
from domain.core import names
from domain.core.contracts import RunRef
from domain.core.ids import TenantId
from domain.core.ports import Clock, NewId
from domain.integrations.errors import ActionRefused, ActionUnreachable, NotAuthorized
from domain.integrations.integration import Integration
from domain.integrations.known_order import with_facts
from domain.integrations.order import Lookup, LookupState, Order
from domain.integrations.ports import Connectors
from domain.integrations.providers import SHOPS
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository
from store.integrations.order_facts import OrderFactRepository
from store.runs.cases import CaseRepository
from store.runs.runs import RunRepository

# A caller waits: a shop that takes longer is as good as away.
_PATIENCE_S: Final = 4.0
# Of several shops the one that knows the order counts, and one that is away is no answer.
_TELLING: Final = (
    LookupState.FOUND,
    LookupState.NOT_THEIRS,
    LookupState.NOT_FOUND,
    LookupState.UNAVAILABLE,
)


class LookUp:
    def __init__(
        self, database: Database, connectors: Connectors, now: Clock, new_id: NewId
    ) -> None:
        self._database = database
        self._connectors = connectors
        self._now = now
        self._new_id = new_id

    @activity.defn(name=names.LOOK_UP)
    async def look_up(self, step: LookUpInput) -> LookUpResult:
        """Find the order and keep on the run what may be known of it.

        Idempotency key: run_id; it only reads the shop, and a repetition overwrites what it found.
        A shop that does not answer is a finding, not a failure: the run goes on with what webhooks
        said of its orders, or states that nothing is known.
        """
        started, tenant = time.monotonic(), TenantId(step.ref.client_id)
        async with self._database.tenant(tenant) as connection:
            case = await CaseRepository(connection, tenant).read(step.ref.run_id)
            connected = await IntegrationRepository(connection, tenant).connected()
        # Without any shop that answers, nobody can say that there is no such order.
        event, number = case.event, order_to_find(case.event, case.thread)
        found = Lookup(state=LookupState.UNAVAILABLE, number=number)
        wanted, answered = looks_up(event, case.thread), set[str]()
        for integration in connected if wanted else ():
            if integration.provider not in SHOPS:
                continue
            asked = await self._ask(step.ref, integration, number, event.customer_email)
            if asked.state is not LookupState.UNAVAILABLE:
                answered.add(integration.id)
            found = min(found, asked, key=_rank)
            if found.state is LookupState.FOUND:
                break
        async with self._database.tenant(tenant) as connection:
            if wanted:
                facts = OrderFactRepository(connection, tenant)
                found = await _with_told(facts, found, event.customer_email, answered)
            await RunRepository(connection, tenant).save_lookup(step.ref.run_id, found)
        return LookUpResult(state=found.state, elapsed_ms=(time.monotonic() - started) * 1000)

    async def _ask(
        self, ref: RunRef, integration: Integration, number: str | None, email: str | None
    ) -> Lookup:
        tenant = TenantId(ref.client_id)
        try:
            async with asyncio.timeout(_PATIENCE_S):
                order = await self._connectors.shop(integration).find_order(number, email)
        except NotAuthorized as error:
            async with self._database.tenant(tenant) as connection:
                await IntegrationRepository(connection, tenant).fail(
                    integration.id, error.code, self._now(), self._new_id, run_id=ref.run_id
                )
            return Lookup(state=LookupState.UNAVAILABLE, number=number)
        except (ActionUnreachable, ActionRefused, TimeoutError):
            return Lookup(state=LookupState.UNAVAILABLE, number=number)
        return _judged(order, number, email)


async def _with_told(
    facts: OrderFactRepository, found: Lookup, email: str | None, answered: Set[str]
) -> Lookup:
    """The finding with facts from webhooks added. They fill in what the shop does not say of its
    order, or stand for the order if no shop answered."""
    if found.order is not None:
        known = await facts.about(found.order)
        return found.model_copy(update={"order": with_facts(found.order, known)})
    told = await facts.find(found.number, email, but_of=answered)
    return found if told is None else min(found, _judged(told, found.number, email), key=_rank)


def _judged(order: Order | None, number: str | None, email: str | None) -> Lookup:
    if order is None:
        return Lookup(state=LookupState.NOT_FOUND, number=number)
    if not order.belongs_to(email):
        return Lookup(state=LookupState.NOT_THEIRS, number=number)
    return Lookup(state=LookupState.FOUND, order=order, number=number)


def _rank(lookup: Lookup) -> int:
    return _TELLING.index(lookup.state)
