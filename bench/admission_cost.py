"""Measure the cost of admission: the duration of its transaction with and without the counters and
limits. The measurement runs in a separate process that uses the API's event loop: python -m
bench.admission_cost."""

import asyncio
import itertools
import statistics
import sys
import time
from asyncio.subprocess import PIPE
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import uvloop
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid, utc_now
from bench.load import ROOT, LoadMessage, LoadShop
from bench.statements import ADMISSION, TICKET, Statement, arrival, material_of, watched
from domain.core.ids import TenantId
from domain.intake.event import InboundEvent
from domain.intake.limit_key import limit_key
from domain.playbooks.playbook import match
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from services.intake.admission import admit_event
from store.core.database import Database
from store.intake.arrivals import ArrivalRepository
from store.playbooks.playbooks import PlaybookRepository
from store.tenants.keys import KeyRepository

_STORED: Final = ("playbooks", "event, message and run")
_WARM_UP: Final = 40
_CALLS: Final = 300
_TIMEOUT_S: Final = 60.0


class Task(LoadMessage):
    database_url: str
    shops: tuple[LoadShop, ...]


class Cost(LoadMessage):
    """Median times of the transaction and of its parts, in ms. The medians of the parts do not add
    up exactly to the median of the transaction."""

    whole: float
    parts: dict[str, float]


class AdmissionCost(LoadMessage):
    """The two measured transactions. `uncounted` has no limits, quota and ledger: it reads the
    playbooks and stores the event, its message and its run."""

    counted: Cost
    uncounted: Cost

    @property
    def added(self) -> float:
        return self.counted.whole - self.uncounted.whole

    @property
    def added_statements(self) -> float:
        parts = self.counted.parts.items()
        return sum(ms for name, ms in parts if name not in self.uncounted.parts)


async def admission_cost(database_url: str, shops: tuple[LoadShop, ...]) -> AdmissionCost:
    """Return the cost of admission, measured in a separate process that stores runs without
    processing them. Raises RuntimeError, TimeoutError."""
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
    counted, uncounted = _Clock(ADMISSION), _Clock(_STORED)
    key_ids = [await _key_id(database, shop) for shop in task.shops]
    callers = itertools.cycle(zip(task.shops, key_ids, strict=True))
    with watched(database) as seen:
        # The two transactions alternate, so that noise affects both equally.
        for shop, key_id in itertools.islice(callers, _WARM_UP + _CALLS):
            tenant = TenantId(shop.client_id)
            async with counted.transaction(database, tenant, seen) as connection:
                await _admit(connection, tenant, key_id)
            async with uncounted.transaction(database, tenant, seen) as connection:
                await _store(connection, tenant)
    await database.close()
    return AdmissionCost(counted=counted.cost(), uncounted=uncounted.cost())


class _Clock:
    """A timer for one kind of transaction. `statements` are the names of its statements, in
    order."""

    def __init__(self, statements: tuple[str, ...]) -> None:
        self._statements = statements
        self._whole: list[float] = []
        self._parts: dict[str, list[float]] = defaultdict(list)

    @asynccontextmanager
    async def transaction(
        self, database: Database, tenant: TenantId, seen: list[Statement]
    ) -> AsyncIterator[AsyncConnection]:
        seen.clear()
        start = time.perf_counter()
        async with database.tenant(tenant) as connection:
            started = time.perf_counter()
            yield connection
            worked = time.perf_counter()
        ended = time.perf_counter()
        statements = {name: one.ms / 1000 for name, one in zip(self._statements, seen, strict=True)}
        times = {
            "BEGIN": started - start,
            **statements,
            "Python": worked - started - sum(statements.values()),
            "COMMIT": ended - worked,
        }
        for name, seconds in times.items():
            self._parts[name].append(seconds)
        self._whole.append(ended - start)

    def cost(self) -> Cost:
        parts = {name: _median_ms(times) for name, times in self._parts.items()}
        return Cost(whole=_median_ms(self._whole), parts=parts)


def _median_ms(times: list[float]) -> float:
    return round(statistics.median(times[_WARM_UP:]) * 1000, 3)


async def _key_id(database: Database, shop: LoadShop) -> str:
    async with database.unscoped() as connection:
        key = await KeyRepository(connection).find_active(material_of(shop))
    if key is None:
        raise RuntimeError("the database has no API key of the shop")
    return key.id


async def _admit(connection: AsyncConnection, tenant: TenantId, key_id: str) -> None:
    work = UnitOfWork(connection, tenant, utc_now(), new_ulid)
    await admit_event(work, Actor.key(key_id), arrival(_event()), utc_now)


async def _store(connection: AsyncConnection, tenant: TenantId) -> None:
    comes = arrival(_event())
    playbook = match(await PlaybookRepository(connection, tenant).active(), comes.event.event_type)
    if playbook is None:
        raise RuntimeError("the shop has no playbook for the ticket")
    customer = limit_key(comes.event)
    arrivals = ArrivalRepository(connection, tenant)
    await arrivals.store_with_run(comes, customer, playbook, utc_now())


def _event() -> InboundEvent:
    """Return an event from a customer who has not written before."""
    return TICKET.model_copy(update={"customer_email": f"{new_ulid()}@example.com"})


if __name__ == "__main__":
    print(uvloop.run(_measure(Task.model_validate_json(sys.stdin.read()))).model_dump_json())
