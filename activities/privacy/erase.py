"""The activities that erase a whole client or a single customer, from Temporal and from the
database."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from temporalio import activity

from activities.privacy.erase_customer import CustomerErasure, Reached
from activities.runtime.heartbeat import beating
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, Sealer
from domain.privacy.contracts import CloseResult, EraseInput, EraseResult
from domain.privacy.erasure import EXECUTIONS
from domain.runs.ports import Execution, Executions
from store.core.database import Database
from store.privacy.certificates import Certificates
from store.privacy.erasure_tenant import TENANT_TABLES, TenantErasure

# Seconds between two listings of the executions to delete. The Temporal server still lists deleted
# executions for a short time.
_LOOK_AGAIN_S: Final = 0.2

_List = Callable[[], Awaitable[list[Execution]]]


class EraseRecords:
    """The activities of an erasure. Repeating an activity is safe: it resumes after the page in its
    last heartbeat, and erases and counts the remaining records."""

    def __init__(
        self, database: Database, executions: Executions, sealer: Sealer, now: Clock
    ) -> None:
        self._database = database
        self._executions = executions
        self._sealer = sealer
        self._now = now

    @activity.defn(name=names.CLOSE)
    async def close(self, erase: EraseInput) -> CloseResult:
        """Open the erasure's certificate, then stop work: a closed client accepts no events, and a
        customer's events get no further steps."""
        key = self._customer(erase)
        reached = _reached()
        async with beating(reached):
            async with self._database.service() as connection:
                started_at = await Certificates(connection).open(
                    erase.erasure_id,
                    client_id=erase.client_id,
                    scope=erase.scope,
                    subject_digest=bytes.fromhex(erase.subject) or None,
                    requested_by=erase.requested_by,
                    now=self._now(),
                )
                if key is None:
                    client = TenantErasure(connection, erase.client_id)
                    await client.close(erase.erasure_id, started_at)
            if key is None:
                return CloseResult()
            customer = await self._erasure_of(erase, key, reached)
            return CloseResult(under_way=await customer.mark())

    @activity.defn(name=names.ERASE_WORKFLOWS)
    async def remove_workflows(self, erase: EraseInput) -> None:
        """Terminate and delete the workflows in Temporal. The erasure of a customer deletes all
        finished dry runs of the client because a dry run does not record its customer."""
        key = self._customer(erase)
        async with beating():
            if key is None:
                for prefix in names.run_prefixes(erase.client_id):
                    await self._remove(erase, self._starting_with(prefix))
                return
            customer = await self._erasure_of(erase, key)
            async for ids in customer.workflow_ids():
                await self._remove(erase, self._of(ids))
            dry_runs = names.dry_run_id(erase.client_id, "")
            await self._remove(erase, self._starting_with(dry_runs, ended=True))

    @activity.defn(name=names.ERASE_ROWS)
    async def remove_rows(self, erase: EraseInput) -> None:
        """Remove all rows of a client, including the client's own row, or only the rows about one
        customer. Rows needed for counts are kept without text."""
        key = self._customer(erase)
        reached = _reached()
        async with beating(reached):
            if key is None:
                await self._remove_client(erase)
            else:
                await (await self._erasure_of(erase, key, reached)).remove_rows()

    @activity.defn(name=names.CERTIFY)
    async def certify(self, erase: EraseInput) -> EraseResult:
        async with self._database.service() as connection:
            await Certificates(connection).finish(erase.erasure_id, self._now())
        return EraseResult(erasure_id=erase.erasure_id)

    async def _remove_client(self, erase: EraseInput) -> None:
        for table in TENANT_TABLES:
            removed = 1
            while removed:
                async with self._database.service() as connection:
                    client = TenantErasure(connection, erase.client_id)
                    removed = await client.remove_some(table)
                    await Certificates(connection).add(erase.erasure_id, {table.name: removed})
        async with self._database.service() as connection:
            last = await TenantErasure(connection, erase.client_id).remove_client()
            await Certificates(connection).add(erase.erasure_id, last)

    async def _remove(self, erase: EraseInput, list_some: _List) -> None:
        """Delete executions and add their number to the certificate, until the server lists
        none."""
        known: set[Execution] = set()
        while page := await list_some():
            fresh = [one for one in page if one not in known]
            known.update(fresh)
            deleted = await self._executions.delete(fresh)
            async with self._database.service() as connection:
                await Certificates(connection).add(erase.erasure_id, {EXECUTIONS: deleted})
            await asyncio.sleep(_LOOK_AGAIN_S)

    def _starting_with(self, prefix: str, *, ended: bool = False) -> _List:
        return lambda: self._executions.starting_with(prefix, ended=ended)

    def _of(self, workflow_ids: tuple[str, ...]) -> _List:
        return lambda: self._executions.of(workflow_ids)

    def _customer(self, erase: EraseInput) -> str | None:
        """Return the key of the customer's address or widget session, or None for a whole
        client."""
        sealed = erase.sealed_customer
        return self._sealer.unseal(sealed) if sealed else None

    async def _erasure_of(
        self, erase: EraseInput, key: str, reached: Reached | None = None
    ) -> CustomerErasure:
        async with self._database.service() as connection:
            mark = (await Certificates(connection).read(erase.erasure_id)).started_at
        tenant = TenantId(erase.client_id)
        return CustomerErasure(
            self._database,
            tenant,
            key,
            erasure_id=erase.erasure_id,
            mark=mark,
            sealer=self._sealer,
            now=self._now,
            reached=reached,
        )


def _reached() -> Reached:
    """Return the previous attempt's progress, or an empty dict. The new attempt updates this
    progress and sends it in its heartbeats."""
    match activity.info().heartbeat_details:
        case [dict() as reached]:
            return {str(stage): last for stage, last in reached.items()}
    return {}
