"""What admission costs: its transaction with all that it counts, and without.

In a process of its own with the API's event loop: python -m bench.admission_cost.
"""

import asyncio
import itertools
import statistics
import sys
import time
from asyncio.subprocess import PIPE
from collections import defaultdict
from collections.abc import Awaitable
from typing import Final

import uvloop

from adapters.system import utc_now
from bench.load import ROOT, Message, Shop
from bench.statements import ADMISSION, TICKET, fresh_ids, material_of, watched
from domain.ids import TenantId
from domain.playbook import match
from domain.run import EventOutcome, RunStatus

# The one statement that stores an event, its message and its run, and the values it takes: the
# comparison must not drift away from what it is compared with.
from store.admission import _STORE_RUN, _event_values, admit
from store.database import Database
from store.key_repository import KeyRepository
from store.playbook_repository import PlaybookRepository

_WARM_UP: Final = 40
_CALLS: Final = 300
_TIMEOUT_S: Final = 60.0


class Task(Message):
    database_url: str
    shops: tuple[Shop, ...]


class AdmissionCost(Message):
    """Medians in ms. `uncounted`: the transaction without limits, quota and ledger, which reads the
    playbooks and stores the event, its message and its run. `statements`: those of the whole."""

    whole: float
    uncounted: float
    statements: dict[str, float]

    @property
    def added(self) -> float:
        return self.whole - self.uncounted

    @property
    def between(self) -> float:
        """BEGIN, COMMIT and what Python does between the statements."""
        return self.whole - sum(self.statements.values())


async def admission_cost(database_url: str, shops: tuple[Shop, ...]) -> AdmissionCost:
    """Leaves runs behind that nobody has done. Raises RuntimeError, TimeoutError."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.admission_cost", stdin=PIPE, stdout=PIPE, cwd=ROOT
    )
    task = Task(database_url=database_url, shops=shops)
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            line, _ = await process.communicate(task.model_dump_json().encode())
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode != 0:
        raise RuntimeError("the process that measures admission failed; its error is above")
    return AdmissionCost.model_validate_json(line)


async def _measure(task: Task) -> AdmissionCost:
    database = Database(task.database_url, pool_size=1)
    whole: list[float] = []
    uncounted: list[float] = []
    parts: dict[str, list[float]] = defaultdict(list)
    key_ids = [await _key_id(database, shop) for shop in task.shops]
    callers = itertools.cycle(zip(task.shops, key_ids, strict=True))
    with watched(database) as seen:
        # One by one in turn, so that noise hits both alike.
        for shop, key_id in itertools.islice(callers, _WARM_UP + _CALLS):
            tenant = TenantId(shop.client_id)
            seen.clear()
            whole.append(await _timed(_admit(database, tenant, key_id)))
            for name, statement in zip(ADMISSION, seen, strict=True):
                parts[name].append(statement.ms)
            uncounted.append(await _timed(_store(database, tenant)))
    await database.close()
    return AdmissionCost(
        whole=_median(whole),
        uncounted=_median(uncounted),
        statements={name: _median(times) for name, times in parts.items()},
    )


async def _key_id(database: Database, shop: Shop) -> str:
    async with database.unscoped() as connection:
        key = await KeyRepository(connection).find_active(material_of(shop))
    if key is None:
        raise RuntimeError("a shop's key is not known to the database")
    return key.id


async def _admit(database: Database, tenant: TenantId, key_id: str) -> None:
    ids, now = fresh_ids(), utc_now()
    event = TICKET.model_copy(update={"customer_email": f"{ids.event_id}@example.com"})
    async with database.tenant(tenant) as connection:
        await admit(connection, tenant, event, ids=ids, key_id=key_id, now=now)


async def _store(database: Database, tenant: TenantId) -> None:
    ids, now = fresh_ids(), utc_now()
    event = TICKET.model_copy(update={"customer_email": f"{ids.event_id}@example.com"})
    async with database.tenant(tenant) as connection:
        playbook = match(await PlaybookRepository(connection, tenant).active(), event.event_type)
        if playbook is None:
            raise RuntimeError("the shop has no playbook for the ticket")
        run = {
            "event_outcome": EventOutcome.RUN,
            "run": ids.run_id,
            "run_status": RunStatus.RECEIVED,
            "playbook": playbook.id,
            "version": playbook.version,
        }
        await connection.execute(_STORE_RUN, _event_values(tenant, event, ids, now) | run)


async def _timed(work: Awaitable[None]) -> float:
    began = time.perf_counter()
    await work
    return (time.perf_counter() - began) * 1000


def _median(times: list[float]) -> float:
    return round(statistics.median(times[_WARM_UP:]), 3)


if __name__ == "__main__":
    print(uvloop.run(_measure(Task.model_validate_json(sys.stdin.read()))).model_dump_json())
