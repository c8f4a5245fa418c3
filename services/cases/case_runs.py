"""Start test runs of all saved cases."""

from domain.cases.case_run import CaseRun, CaseRunState
from domain.cases.errors import CaseRunUnderWay
from domain.core import names
from domain.core.contracts import BackgroundRef
from domain.simulation.variant import LIVE, Variant
from domain.tenants.actor import REVIEWERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.cases.case_runs import CaseRunRepository
from store.cases.saved_cases import SavedCaseRepository
from store.simulation.tried_variant import TriedVariants
from store.tenants.accounts import AccountRepository


async def start_case_run(work: UnitOfWork, actor: Actor, variant: Variant = LIVE) -> CaseRun:
    """Start a run of all saved cases after the commit. The caller checks that the variant's content
    exists.

    Raises RoleRequired, ClientNotFound, PlaybookNotFound, PatternTaken for a draft that would never
    be used, and CaseRunUnderWay.
    """
    actor.require(REVIEWERS)
    await AccountRepository(work.connection, work.tenant).lock()
    runs = CaseRunRepository(work.connection, work.tenant)
    if await runs.is_one_under_way():
        raise CaseRunUnderWay
    await TriedVariants(work.connection, work.tenant).check(variant)
    cases = await SavedCaseRepository(work.connection, work.tenant).names()
    run = CaseRun(
        id=work.new_id(),
        variant=variant,
        state=CaseRunState.QUEUED,
        total=len(cases),
        started_by=actor.known_as,
        created_at=work.now,
    )
    await runs.create(run)
    work.begin(names.RUN_CASES, BackgroundRef(client_id=work.tenant, record_id=run.id))
    work.note(actor, "case run started", case_run_id=run.id)
    return run
