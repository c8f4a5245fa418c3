"""Add, change, import and delete saved cases."""

from collections.abc import Sequence

from domain.cases.case import MAX_CASES, MAX_CASES_BYTES, CaseOrigin, CaseSpec, SavedCase
from domain.cases.case_documents import CaseChange, CaseImportOutcome, compare_cases, spec_of
from domain.cases.errors import CaseNameTaken, SavedCasesFull, TooManyCases
from domain.tenants.actor import REVIEWERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.cases.saved_cases import SavedCaseRepository
from store.tenants.accounts import AccountRepository


async def add_case(
    work: UnitOfWork, actor: Actor, spec: CaseSpec, *, origin: CaseOrigin, run_id: str | None = None
) -> SavedCase:
    """Store a case. With `run_id`, the run from which it was created, the case is erased with the
    run's customer. Raises RoleRequired, ClientNotFound, TooManyCases, SavedCasesFull,
    CaseNameTaken."""
    actor.require(REVIEWERS)
    names = await _locked_names(work)
    if spec.name in names:
        raise CaseNameTaken(spec.name)
    if len(names) >= MAX_CASES:
        raise TooManyCases(MAX_CASES)
    case = _made(work, actor, spec, origin, run_id)
    await _create(work, actor, case)
    await _check_size(work)
    return case


async def import_cases(
    work: UnitOfWork, actor: Actor, specs: Sequence[CaseSpec]
) -> tuple[CaseChange, ...]:
    """Create or update cases by name to match `specs`, all or none. Other cases stay unchanged.
    Raises RoleRequired, ClientNotFound, TooManyCases, SavedCasesFull."""
    actor.require(REVIEWERS)
    await AccountRepository(work.connection, work.tenant).lock()
    cases = SavedCaseRepository(work.connection, work.tenant)
    known = await cases.all()
    changes = compare_cases(
        known, specs, lambda spec: _made(work, actor, spec, CaseOrigin.FILE, None)
    )
    made = sum(change.outcome is CaseImportOutcome.CREATED for change in changes)
    if made and len(known) + made > MAX_CASES:
        raise TooManyCases(MAX_CASES)
    for change in changes:
        if change.outcome is CaseImportOutcome.CREATED:
            await _create(work, actor, change.case)
        elif change.outcome is CaseImportOutcome.CHANGED:
            await cases.change(change.case.id, change.case, work.now)
            must = str(change.case.must).lower()
            work.note(actor, "case changed", case_id=change.case.id, must=must)
    await _check_size(work)
    return changes


async def change_case(work: UnitOfWork, actor: Actor, case_id: str, spec: CaseSpec) -> SavedCase:
    """Update a case to match `spec`. Earlier results are kept under their version's digest. Raises
    RoleRequired, ClientNotFound, CaseNotFound, CaseNameTaken, SavedCasesFull."""
    actor.require(REVIEWERS)
    names = await _locked_names(work)
    if names.get(spec.name, case_id) != case_id:
        raise CaseNameTaken(spec.name)
    case = await SavedCaseRepository(work.connection, work.tenant).change(case_id, spec, work.now)
    await _check_size(work)
    work.note(actor, "case changed", case_id=case_id, must=str(spec.must).lower())
    return case


async def delete_case(work: UnitOfWork, actor: Actor, case_id: str) -> None:
    """Delete a case permanently, with its results. Raises RoleRequired, CaseNotFound."""
    actor.require(REVIEWERS)
    await SavedCaseRepository(work.connection, work.tenant).delete(case_id)
    work.note(actor, "case deleted", case_id=case_id)


async def _locked_names(work: UnitOfWork) -> dict[str, str]:
    """Lock the account, and return the ids of all cases, keyed by name. No case can be added until
    the transaction ends."""
    await AccountRepository(work.connection, work.tenant).lock()
    return await SavedCaseRepository(work.connection, work.tenant).names()


async def _check_size(work: UnitOfWork) -> None:
    """Check the size of all cases after a change. Raises SavedCasesFull, which undoes the
    change."""
    if await SavedCaseRepository(work.connection, work.tenant).size() > MAX_CASES_BYTES:
        raise SavedCasesFull(MAX_CASES_BYTES // 1024)


def _made(
    work: UnitOfWork, actor: Actor, spec: CaseSpec, origin: CaseOrigin, run_id: str | None
) -> SavedCase:
    return SavedCase(
        **dict(spec_of(spec)),
        id=work.new_id(),
        origin=origin,
        run_id=run_id,
        created_by=actor.known_as,
        created_at=work.now,
    )


async def _create(work: UnitOfWork, actor: Actor, case: SavedCase) -> None:
    await SavedCaseRepository(work.connection, work.tenant).create(case)
    work.note(actor, "case created", case_id=case.id)
