"""The activity that looks up the order that a message is about, and stores the order on the run."""

import time

from temporalio import activity

from activities.agent.order_search import OrderSearch, with_reported
from domain.agent.contracts import LookUpInput, LookUpResult
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, NewId
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository
from store.runs.cases import CaseRepository
from store.runs.runs import RunRepository


class LookUp:
    def __init__(self, database: Database, search: OrderSearch, now: Clock, new_id: NewId) -> None:
        self._database = database
        self._search = search
        self._now = now
        self._new_id = new_id

    @activity.defn(name=names.LOOK_UP)
    async def look_up(self, step: LookUpInput) -> LookUpResult:
        """Look up the order that the message is about, and store on the run only data that the
        customer may see.

        Idempotency key: run_id. The shop is only read, and a repetition overwrites the result. An
        unresponsive shop does not fail the run, which continues with the order facts from webhooks,
        or an unknown order.
        """
        started, tenant = time.monotonic(), TenantId(step.ref.client_id)
        looked_up_at = self._now()
        async with self._database.tenant(tenant, keeps_plans=True) as connection:
            case = await CaseRepository(connection, tenant).read(step.ref.run_id)
            connected = await IntegrationRepository(connection, tenant).connected()
        searched = await self._search.ask(tenant, case.event, case.thread, connected)
        for integration_id, code in searched.refused:
            async with self._database.tenant(tenant, keeps_plans=True) as connection:
                await IntegrationRepository(connection, tenant).fail(
                    integration_id, code, self._now(), self._new_id, run_id=step.ref.run_id
                )
        async with self._database.tenant(tenant, keeps_plans=True) as connection:
            searched = await with_reported(connection, tenant, case.event.customer_email, searched)
            for integration_id, noted in searched.noted:
                await IntegrationRepository(connection, tenant).note_refusal(integration_id, noted)
            lookup = searched.lookup.model_copy(update={"looked_up_at": looked_up_at})
            await RunRepository(connection, tenant).save_lookup(step.ref.run_id, lookup)
        return LookUpResult(
            state=searched.lookup.state, elapsed_ms=(time.monotonic() - started) * 1000
        )
