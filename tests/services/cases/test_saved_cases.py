"""Saved cases: permissions, names, concurrent limits, files, and cases created from real runs."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from adapters.system import utc_now
from domain.cases.case import MAX_CASES, CaseOrigin, SavedCase
from domain.cases.case_documents import CaseImportOutcome, parse_cases, write_cases
from domain.cases.case_run import KEPT_RUNS, CaseOutcome, CaseResult
from domain.cases.errors import (
    CaseNameTaken,
    CaseNotFound,
    CaseRunUnderWay,
    SavedCasesFull,
    TooManyCases,
)
from domain.core import names
from domain.core.errors import DomainError
from domain.playbooks.errors import PatternTaken, PlaybookNotFound
from domain.playbooks.playbook import PlaybookSpec
from domain.runs.errors import RunNotFound
from domain.simulation.outcome import OutcomeStatus
from domain.simulation.scenario import Scenario, ScenarioMessage
from domain.simulation.variant import Variant
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.cases.case_runs import start_case_run
from services.cases.cases_from_runs import add_case_of_run
from services.cases.saved_cases import add_case, change_case, delete_case, import_cases
from services.core.unit_of_work import UnitOfWork
from store.cases.case_runs import CaseRunRepository, KeptResult, prune_case_runs
from store.cases.saved_cases import SavedCaseRepository
from store.cases.tables import case_runs
from store.core.database import Database
from tests.support.cases.cases import a_case, a_case_run, a_spec
from tests.support.core.rows import rows
from tests.support.core.units import Recorder, units_on
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop

ANNA = Actor.person("anna", Role.AGENT)
UseCase = Callable[[UnitOfWork, Actor], Awaitable[object]]


async def _add(work: UnitOfWork, actor: Actor, name: str = "Colis") -> SavedCase:
    return await add_case(work, actor, a_spec(name), origin=CaseOrigin.HAND)


async def _all(database: Database, shop: Shop) -> tuple[SavedCase, ...]:
    async with database.reading(shop.tenant) as connection:
        return await SavedCaseRepository(connection, shop.tenant).all()


async def test_viewers_and_keys_change_and_start_nothing(database: Database, shop: Shop) -> None:
    use_cases: tuple[UseCase, ...] = (
        _add,
        lambda work, actor: change_case(work, actor, "id", a_spec()),
        lambda work, actor: delete_case(work, actor, "id"),
        lambda work, actor: import_cases(work, actor, [a_spec()]),
        lambda work, actor: add_case_of_run(work, actor, "id"),
        start_case_run,
    )
    async with units_on(database).of(shop.tenant) as work:
        for use_case in use_cases:
            for actor in (Actor.person("v", Role.VIEWER), Actor.key("k")):
                with pytest.raises(RoleRequired):
                    await use_case(work, actor)
    assert await _all(database, shop) == ()


async def test_a_case_is_added_changed_and_deleted(database: Database, shop: Shop) -> None:
    units = units_on(database)
    async with units.of(shop.tenant) as work:
        made = await _add(work, ANNA)
        await _add(work, ANNA, "Retour")
    async with units.of(shop.tenant) as work:
        for refused, error in (
            (_add(work, ANNA), CaseNameTaken),
            (change_case(work, ANNA, made.id, a_spec("Retour")), CaseNameTaken),
            (change_case(work, ANNA, "0" * 26, a_spec("Neuf")), CaseNotFound),
            (delete_case(work, ANNA, "0" * 26), CaseNotFound),
        ):
            with pytest.raises(error):
                await refused
    async with units.of(shop.tenant) as work:
        changed = await change_case(work, ANNA, made.id, a_spec("Colis", status="completed"))
    assert changed.expected.status is OutcomeStatus.COMPLETED
    assert (changed.created_by, changed.updated_at is None) == ("anna", False)
    async with units.of(shop.tenant) as work:
        await delete_case(work, ANNA, made.id)
    assert [case.name for case in await _all(database, shop)] == ["Retour"]


async def test_the_limit_holds_for_two_at_once(database: Database, shop: Shop) -> None:
    units = units_on(database)
    async with units.of(shop.tenant) as work:
        await import_cases(work, ANNA, [a_spec(str(number)) for number in range(MAX_CASES - 1)])

    async def add(name: str) -> DomainError | None:
        try:
            async with units.of(shop.tenant) as work:
                await _add(work, ANNA, name)
        except DomainError as error:
            return error
        return None

    ended = await asyncio.gather(add("un"), add("deux"))
    assert [type(one) for one in ended if one] == [TooManyCases]
    assert len(await _all(database, shop)) == MAX_CASES
    async with units.of(shop.tenant) as work:
        with pytest.raises(TooManyCases):
            await import_cases(work, ANNA, [a_spec("trois")])


async def test_cases_have_a_total_size(database: Database, shop: Shop) -> None:
    """Exports, pages and the publish gate read all cases at once. A client with 200 cases of 1 MB
    each made them take minutes and gigabytes."""
    messages = (ScenarioMessage(text="é" * 20_000),) * 20
    large = a_spec("Longs").model_copy(update={"scenario": Scenario(messages=messages)})
    async with units_on(database).of(shop.tenant) as work:
        await add_case(work, ANNA, large, origin=CaseOrigin.HAND)
        await _add(work, ANNA, "Court")
    before = await _all(database, shop)
    second = large.model_copy(update={"name": "Encore"})
    uses: tuple[UseCase, ...] = (
        lambda work, actor: add_case(work, actor, second, origin=CaseOrigin.HAND),
        lambda work, actor: import_cases(work, actor, [second]),
        lambda work, actor: change_case(work, actor, before[1].id, second),
    )
    for use in uses:
        with pytest.raises(SavedCasesFull):
            async with units_on(database).of(shop.tenant) as work:
                await use(work, ANNA)
    assert await _all(database, shop) == before


async def test_a_file_makes_cases_be_as_it_says(database: Database, shop: Shop) -> None:
    units = units_on(database)
    await a_case(database, shop)
    await a_case(database, shop, a_spec("Retour"))
    specs = parse_cases(write_cases(await _all(database, shop)).encode())
    other = a_spec("Retour", status="needs_review")

    async with units.of(shop.tenant) as work:
        done = await import_cases(work, ANNA, [specs[0], other, a_spec("Neuf")])

    assert [one.outcome for one in done] == [
        CaseImportOutcome.UNCHANGED,
        CaseImportOutcome.CHANGED,
        CaseImportOutcome.CREATED,
    ]
    kept = {case.name: case for case in await _all(database, shop)}
    assert kept["Retour"].expected.status is OutcomeStatus.NEEDS_REVIEW
    assert (kept["Neuf"].origin, kept["Colis"].origin) == (CaseOrigin.FILE, CaseOrigin.HAND)


async def test_one_run_at_a_time_begins_after_the_commit(database: Database, shop: Shop) -> None:
    await a_case(database, shop)
    engine = Recorder()
    units = units_on(database, engine)
    async with units.of(shop.tenant) as work:
        with pytest.raises(PlaybookNotFound):
            await start_case_run(work, ANNA, Variant(playbook_id="0" * 26))
        with pytest.raises(PatternTaken):
            await start_case_run(work, ANNA, Variant(draft=PlaybookSpec(name="x", event_type="*")))
        started = await start_case_run(work, ANNA)
        assert engine.begun == []
    assert [(what, ref.record_id) for what, ref in engine.begun] == [(names.RUN_CASES, started.id)]
    assert started.total == 1
    async with units.of(shop.tenant) as work:
        with pytest.raises(CaseRunUnderWay):
            await start_case_run(work, ANNA)


async def test_a_real_run_becomes_a_case_without_personal_data(
    database: Database, shop: Shop
) -> None:
    said = await write(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        case = await add_case_of_run(work, ANNA, said.run_id)
        with pytest.raises(RunNotFound):
            await add_case_of_run(work, ANNA, "0" * 26)
        with pytest.raises(CaseNameTaken):
            await add_case_of_run(work, ANNA, said.run_id)
    assert (case.origin, case.run_id) == (CaseOrigin.RUN, said.run_id)
    assert case.scenario.messages


@pytest.mark.own_database
async def test_old_runs_are_pruned_but_for_verdicts_that_may_hold(
    database: Database, shop: Shop
) -> None:
    case_id = await a_case(database, shop)
    runs = [await a_case_run(database, shop) for _ in range(KEPT_RUNS + 3)]
    outcome = CaseOutcome(status=OutcomeStatus.COMPLETED)
    async with database.tenant(shop.tenant) as connection:
        kept = CaseRunRepository(connection, shop.tenant)
        for run_id, digest in ((runs[0], b"a"), (runs[1], b"b"), (runs[-1], b"a")):
            result = CaseResult(
                case_id=case_id, name="", must=True, passed=True, tries=1, passes=1, unmet=(),
                outcome=outcome, created_at=utc_now(),
            )  # fmt: skip
            await kept.keep(run_id, KeptResult(result, digest))
    async with database.service() as connection:
        await prune_case_runs(connection, utc_now() - timedelta(days=1))
    left = {row["id"] for row in await rows(database, case_runs, of=shop)}
    assert left == {runs[1], *runs[3:]}
    async with database.service() as connection:
        await prune_case_runs(connection, utc_now())
    assert runs[1] not in {row["id"] for row in await rows(database, case_runs, of=shop)}
