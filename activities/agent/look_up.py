"""Look up: the order that a message is about, in the merchant's own shop."""

import asyncio
import time
from typing import Final

from temporalio import activity

from domain.agent.contracts import LookUpInput, LookUpResult
from domain.core import names
from domain.core.contracts import RunRef
from domain.core.ids import TenantId
from domain.core.ports import Clock, NewId
from domain.intake.event import UnifiedEvent
from domain.intake.order_number import asks_about_order
from domain.integrations.errors import ActionRefused, ActionUnreachable, NotAuthorized
from domain.integrations.integration import SHOPS, Integration
from domain.integrations.order import Lookup, LookupState
from domain.integrations.ports import Connectors
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository
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
        A shop that does not answer is a finding, not a failure: the run goes on and says so.
        """
        started, tenant = time.monotonic(), TenantId(step.ref.client_id)
        async with self._database.tenant(tenant) as connection:
            event = (await CaseRepository(connection, tenant).read(step.ref.run_id)).event
            connected = await IntegrationRepository(connection, tenant).connected()
        # Without any shop that answers, nobody can say that there is no such order.
        found = Lookup(state=LookupState.UNAVAILABLE)
        shops = [it for it in connected if it.provider in SHOPS]
        for integration in shops if asks_about_order(event) else ():
            asked = await self._ask(step.ref, integration, event)
            found = min(found, asked, key=lambda it: _TELLING.index(it.state))
            if found.state is LookupState.FOUND:
                break
        async with self._database.tenant(tenant) as connection:
            await RunRepository(connection, tenant).save_lookup(step.ref.run_id, found)
        return LookUpResult(state=found.state, elapsed_ms=(time.monotonic() - started) * 1000)

    async def _ask(self, ref: RunRef, integration: Integration, event: UnifiedEvent) -> Lookup:
        tenant = TenantId(ref.client_id)
        try:
            async with asyncio.timeout(_PATIENCE_S):
                shop = self._connectors.shop(integration)
                order = await shop.find_order(event.order_number, event.customer_email)
        except NotAuthorized as error:
            async with self._database.tenant(tenant) as connection:
                await IntegrationRepository(connection, tenant).fail(
                    integration.id, error.code, self._now(), self._new_id, run_id=ref.run_id
                )
            return Lookup(state=LookupState.UNAVAILABLE)
        except (ActionUnreachable, ActionRefused, TimeoutError):
            return Lookup(state=LookupState.UNAVAILABLE)
        if order is None:
            return Lookup(state=LookupState.NOT_FOUND)
        if not order.belongs_to(event.customer_email):
            return Lookup(state=LookupState.NOT_THEIRS)
        return Lookup(state=LookupState.FOUND, order=order)
