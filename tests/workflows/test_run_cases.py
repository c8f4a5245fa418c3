"""A run over all saved cases with a real worker: verdicts, progress, crashes, deleted cases."""

from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace

import pytest
from temporalio.testing import ActivityEnvironment

from activities.runtime.worker_slots import AT_ONCE, WorkerSlots
from adapters.brain.identity import brain_identity
from adapters.system import new_ulid, utc_now
from domain.cases.case_run import CaseResult, CaseRun, CaseRunState
from domain.cases.contracts import CaseRunProgress, TryCasesInput
from domain.cases.digest import verdict_digest
from domain.cases.errors import CaseRunsBusy
from domain.core import names
from domain.core.contracts import BackgroundRef
from domain.core.ids import TenantId
from domain.simulation.variant import LIVE, ContentVariant, Variant
from domain.tenants.actor import Actor
from services.cases.case_runs import start_case_run
from services.cases.saved_cases import delete_case
from services.core.unit_of_work import UnitsOfWork
from store.cases.case_runs import CaseRunRepository
from store.cases.content_digest import content_digest
from store.cases.saved_cases import SavedCaseRepository
from store.cases.tables import case_results
from store.content.content import ContentRepository
from store.playbooks.playbooks import PlaybookRepository
from tests.support.agent.llm_brain import ENGLISH, said
from tests.support.cases.cases import a_case, a_spec
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.units import units_on
from tests.support.core.waiting import eventually
from tests.support.servers.llm import TOKENS_IN, TOKENS_OUT, Fail
from tests.support.tenants.shop import Shop
from tests.workflows.test_llm_runs import ANSWER, SHIPPING, know, thinking
from workflows import options

OPERATOR = Actor.operator("operator:test")


async def _start(engine: LiveEngine, shop: Shop, variant: Variant = LIVE) -> CaseRun:
    units = UnitsOfWork(engine.database, engine.engine, utc_now, new_ulid)
    async with units.of(shop.tenant) as work:
        return await start_case_run(work, OPERATOR, variant)


async def _ended(
    engine: LiveEngine, shop: Shop, run_id: str
) -> tuple[CaseRun, tuple[CaseResult, ...]]:
    async def over() -> tuple[CaseRun, tuple[CaseResult, ...]] | None:
        async with engine.database.reading(shop.tenant) as connection:
            runs = CaseRunRepository(connection, shop.tenant)
            run = await runs.read(run_id)
            ended = run.state in (CaseRunState.DONE, CaseRunState.FAILED)
            return (run, await runs.results(run_id)) if ended else None

    return await eventually(over)


async def test_every_case_gets_its_verdict(engine: LiveEngine, shop: Shop) -> None:
    await a_case(engine.database, shop, a_spec("vert", classification="order_status"))
    await a_case(engine.database, shop, a_spec("rouge", actions=["refund"]))
    for number in range(5):
        await a_case(engine.database, shop, a_spec(f"plus {number}"))

    run, results = await _ended(engine, shop, (await _start(engine, shop)).id)

    assert (run.state, run.total, run.done, run.passed) == (CaseRunState.DONE, 7, 7, 6)
    green, red, *_ = results
    assert (green.name, green.passed, green.tries, green.unmet) == ("vert", True, 1, ())
    assert (red.passed, [one.part.value for one in red.unmet]) == (False, ["action"])
    assert red.outcome.classification == "order_status"
    assert red.before is None
    handle = engine.client.get_workflow_handle(
        names.background_id(names.RUN_CASES, shop.client_id, run.id)
    )
    progress = await handle.query(names.PROGRESS_QUERY, result_type=CaseRunProgress)
    assert progress == CaseRunProgress(total=7, done=7, passed=6)


async def test_a_change_of_content_shows_which_cases_it_changes(
    engine: LiveEngine, shop: Shop
) -> None:
    await a_case(engine.database, shop)
    await a_case(engine.database, shop, a_spec("autre", "Bonjour, merci pour tout !"))
    async with engine.database.reading(shop.tenant) as connection:
        (first, *_) = (await ContentRepository(connection, shop.tenant).templates()).templates
    gone = Variant(content=ContentVariant(id=first.id, deleted="template"))

    _, results = await _ended(engine, shop, (await _start(engine, shop, gone)).id)

    assert [one.changed for one in results] == [True, False]
    assert results[0].before is not None
    assert (results[0].before.status, results[0].outcome.status) == ("completed", "needs_review")


async def test_a_step_that_is_repeated_writes_nothing_twice_and_skips_what_is_gone(
    engine: LiveEngine, shop: Shop
) -> None:
    kept = await a_case(engine.database, shop)
    gone = await a_case(engine.database, shop, a_spec("autre"))
    async with units_on(engine.database).of(shop.tenant) as work:
        run = await start_case_run(work, OPERATOR)
        await delete_case(work, OPERATOR, gone)
    steps = engine.activities.try_cases
    work_on = BackgroundRef(client_id=shop.client_id, record_id=run.id)
    await steps.begin(work_on)
    step = TryCasesInput(client_id=shop.client_id, record_id=run.id, case_ids=(kept, gone), done=2)
    first = await ActivityEnvironment().run(steps.try_some, step)
    before = await rows(engine.database, case_results, of=shop)
    assert await ActivityEnvironment().run(steps.try_some, step) == first
    assert await rows(engine.database, case_results, of=shop) == before
    assert (len(before), first.done, first.passed) == (1, 2, 1)


async def test_a_pause_follows_each_message(
    engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await a_case(engine.database, shop)
    worked: list[float] = []

    def pause_after(worked_s: float) -> float:
        worked.append(worked_s)
        return 0

    monkeypatch.setattr(engine.activities.traffic, "pause_after", pause_after)

    await _ended(engine, shop, (await _start(engine, shop)).id)

    assert len(worked) == 1
    assert worked[0] > 0


async def test_a_run_waits_for_a_slot_in_temporal(
    engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A waiting batch holds no activity slot. It waits longer than the attempts of one activity."""
    await a_case(engine.database, shop)
    monkeypatch.setattr(CaseRunsBusy, "retry_after_s", 0.01)
    policy = options.TRYING["retry_policy"]
    assert policy is not None
    monkeypatch.setitem(options.TRYING, "retry_policy", replace(policy, maximum_attempts=2))
    slots = WorkerSlots(CaseRunsBusy)
    monkeypatch.setattr(engine.activities.try_cases, "slots", slots)
    refused, slot = 0, slots.slot

    def counted(tenant: TenantId, *, pays: bool) -> AbstractContextManager[None]:
        nonlocal refused
        refused += 1
        return slot(tenant, pays=pays)

    monkeypatch.setattr(slots, "slot", counted)

    async def waited_long() -> bool:
        return refused > 4

    with ExitStack() as held:
        for number in range(AT_ONCE):
            held.enter_context(slot(TenantId(f"other {number}"), pays=True))
        run_id = (await _start(engine, shop)).id
        await eventually(waited_long)
    run, results = await _ended(engine, shop, run_id)

    assert (run.state, run.done, len(results)) == (CaseRunState.DONE, 1, 1)


async def test_a_case_that_a_model_thinks_about_is_tried_several_times(
    database_url: str, temporal: TemporalServer, shop: Shop
) -> None:
    """Two of three suffice for a share of 0.6; each attempt has a cost, and the run's cost is the
    sum."""
    async with thinking(database_url, temporal) as (engine, server):
        await know(engine, shop)
        good, bad = (
            said(response=ANSWER, sources=["k1"], quote=SHIPPING),
            said(response="I do not know."),
        )
        server.script = [good, bad, good]
        spec = a_spec("frais", ENGLISH, contains=["3 to 6 working days"]).model_copy(
            update={"tries": 3, "pass_rate": 0.6}
        )
        case_id = await a_case(engine.database, shop, spec)

        run, (result,) = await _ended(engine, shop, (await _start(engine, shop)).id)

        assert (result.passed, result.tries, result.passes) == (True, 3, 2)
        assert [one.part.value for one in result.unmet] == ["contains"]
        assert run.cost_micros == result.outcome.cost_micros == 3 * (TOKENS_IN + 10 * TOKENS_OUT)
        row = await only_row(engine.database, case_results, of=shop)
        assert row["digest"] == await _digest(engine, shop, case_id)


async def test_a_model_that_is_away_is_asked_again_and_passes_nothing(
    database_url: str, temporal: TemporalServer, shop: Shop
) -> None:
    async with thinking(database_url, temporal) as (engine, server):
        server.script = [Fail(400), Fail(400), said(response=ANSWER)]
        spec = a_spec("prudent", ENGLISH, forbidden=["refund"]).model_copy(update={"tries": 3})
        await a_case(engine.database, shop, spec)

        _, (result,) = await _ended(engine, shop, (await _start(engine, shop)).id)

        assert (result.passed, result.tries, result.passes) == (False, 3, 1)
        assert [one.got for one in result.unmet] == ["brain_failed"]


async def _digest(engine: LiveEngine, shop: Shop, case_id: str) -> bytes:
    """Return the digest with which the gate looks the verdict up."""
    async with engine.database.reading(shop.tenant) as connection:
        (entry,) = await PlaybookRepository(connection, shop.tenant).all()
        case = await SavedCaseRepository(connection, shop.tenant).read(case_id)
        content = await content_digest(connection, shop.tenant)
    model = brain_identity(engine.settings.brain, engine.settings.embedding)
    return verdict_digest(entry.spec, content, model, case)
