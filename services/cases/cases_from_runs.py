"""Create a saved case from a real run."""

import asyncio

from domain.cases.case import CaseOrigin, SavedCase
from domain.cases.from_run import case_of
from domain.tenants.actor import REVIEWERS, Actor
from services.cases.saved_cases import add_case
from services.core.unit_of_work import UnitOfWork
from store.cases.runs_for_cases import RunForCaseReader


async def add_case_of_run(
    work: UnitOfWork, actor: Actor, run_id: str, *, name: str | None = None
) -> SavedCase:
    """Create a case from a run: its conversation without personal data, and its outcome as the
    expectation.

    The case is erased with the run's customer. Raises InvalidInput for a run without text,
    RunNotFound, and the errors of `add_case`.
    """
    actor.require(REVIEWERS)
    run = await RunForCaseReader(work.connection, work.tenant).read(run_id)
    # The cost of this step is limited because customers control the length of the text. The step
    # runs in a thread, so that it does not block the event loop.
    spec = await asyncio.to_thread(case_of, run, name)
    return await add_case(work, actor, spec, origin=CaseOrigin.RUN, run_id=run_id)
