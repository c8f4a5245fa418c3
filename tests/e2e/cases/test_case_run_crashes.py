"""A worker is killed during a run over cases: another one completes it, each case once."""

import signal
from pathlib import Path

import pytest

from adapters.system import new_ulid, utc_now
from domain.cases.case_run import CaseRun, CaseRunState
from domain.core import names
from domain.tenants.actor import Actor
from services.cases.case_runs import start_case_run
from services.core.unit_of_work import UnitsOfWork
from store.cases.case_runs import CaseRunRepository
from store.cases.tables import case_results
from tests.support.cases.cases import a_case, a_spec
from tests.support.core.engine import LiveEngine
from tests.support.core.processes import has_ended, process
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.usefixtures("missed_soon")


async def test_a_run_over_cases_survives_its_worker(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path
) -> None:
    for number in range(7):
        await a_case(idle_engine.database, shop, a_spec(f"cas {number}"))
    units = UnitsOfWork(idle_engine.database, idle_engine.engine, utc_now, new_ulid)
    async with units.of(shop.tenant) as work:
        run = await start_case_run(work, Actor.operator("operator:test"))

    # Its results are committed, but not reported to Temporal.
    crash = ("-m", "tests.support.core.crashing_worker", f"after:{names.TRY_CASE}")
    with process("dying", *crash, settings=idle_engine.settings, folder=tmp_path) as worker:
        await eventually(lambda: has_ended(worker))
    assert worker.exit_code == -signal.SIGKILL
    first = await rows(idle_engine.database, case_results, of=shop)
    assert len(first) == 5

    with process("worker", "worker.py", settings=idle_engine.settings, folder=tmp_path):
        ended = await eventually(lambda: _ended(idle_engine, shop, run.id))

    assert (ended.state, ended.done, ended.passed) == (CaseRunState.DONE, 7, 7)
    kept = {row["case_id"]: row for row in await rows(idle_engine.database, case_results, of=shop)}
    assert len(kept) == 7
    assert all(kept[row["case_id"]] == row for row in first)


async def _ended(engine: LiveEngine, shop: Shop, run_id: str) -> CaseRun | None:
    async with engine.database.reading(shop.tenant) as connection:
        run = await CaseRunRepository(connection, shop.tenant).read(run_id)
    return run if run.finished_at is not None else None
