"""Pages of a replay: each event counts once, and the replay ends at its limits."""

import asyncio
from datetime import timedelta

import pytest
import sqlalchemy as sa
from temporalio.testing import ActivityEnvironment

from activities.runtime.traffic import Traffic
from activities.runtime.worker_slots import UNPAID
from activities.simulation import replay_page
from adapters.system import utc_now
from domain.agent.brain import BrainAnswer, BrainRequest, Category
from domain.agent.brain_choice import Brains
from domain.billing.model_money import ModelBudget
from domain.core.contracts import BackgroundRef
from domain.simulation.contracts import ReplayProgress
from domain.simulation.errors import ReplaysBusy
from domain.simulation.replay import Replay, ReplayState, ReplayStop
from domain.simulation.replay_facts import ReplayChangeKind, ReplayEnd
from domain.simulation.replay_tally import ReplaySkip
from domain.simulation.variant import Variant
from store.core.database import Database
from store.intake.tables import engine_events
from store.playbooks.playbooks import PlaybookRepository
from store.runs.tables import engine_runs
from store.simulation.replays import ReplayRepository
from store.simulation.tables import replay_changes
from tests.support.agent.acting import ScriptedBrain
from tests.support.core.rows import rows
from tests.support.intake.admission import try_to_admit
from tests.support.simulation.replays import SURE, a_replay, answered, pages_of, replay_of
from tests.support.tenants.shop import Shop, open_shop
from tests.support.tenants.spending import unpaid_shop

ASKED = ("Vos horaires ?", "Et le samedi ?", "Et le dimanche ?")


class CostlyBrain(ScriptedBrain):
    """A language model whose answers each cost 400."""

    async def think(self, request: BrainRequest) -> BrainAnswer:
        answer = await super().think(request)
        return answer.model_copy(update={"model": "costly", "tokens_in": 1, "cost_micros": 400})


async def _replayed(database: Database, shop: Shop, replay_id: str, brains: Brains) -> Replay:
    work = BackgroundRef(client_id=shop.client_id, record_id=replay_id)
    pages, environment = pages_of(database, brains), ActivityEnvironment()
    progress = await environment.run(pages.begin, work)
    while not progress.is_over:
        progress = await environment.run(pages.page, work)
    return await replay_of(database, shop, replay_id)


async def test_pages_go_on_where_the_one_before_ended(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay_page, "PAGE", 2)
    refs = await answered(database, shop, *ASKED)
    replay_id = await a_replay(database, shop)

    other = ScriptedBrain(category=Category.COMPLAINT, text="Nous vérifions.")
    done = await _replayed(database, shop, replay_id, Brains(embedded=other))

    assert (done.state, done.total, done.examined, done.changed) == (ReplayState.DONE, 3, 3, 3)
    assert done.place == refs[-1].event_id
    (cell,) = done.tally.ends
    assert (cell.before, cell.after, cell.events) == (ReplayEnd.REVIEWED, ReplayEnd.ANSWERED, 3)
    async with database.reading(shop.tenant) as connection:
        shown = await ReplayRepository(connection, shop.tenant).examples(
            replay_id, kind=ReplayChangeKind.NOW_ANSWERED, after=refs[0].event_id, limit=5
        )
    assert [one.run_id for one in shown] == [ref.run_id for ref in refs[1:]]
    assert (shown[0].draft_before, shown[0].draft_after) == ("De 9 h à 18 h.", "Nous vérifions.")


async def test_a_page_that_two_tries_think_through_counts_once(
    database: Database, shop: Shop
) -> None:
    """A worker that has timed out may come back and store its page after the next attempt."""
    await answered(database, shop, *ASKED)
    replay_id = await a_replay(database, shop)
    work = BackgroundRef(client_id=shop.client_id, record_id=replay_id)
    tries = [pages_of(database, Brains(embedded=SURE)) for _ in range(2)]

    await asyncio.gather(*(ActivityEnvironment().run(one.page, work) for one in tries))

    done = await replay_of(database, shop, replay_id)
    assert (done.examined, done.seen) == (3, 3)


async def test_a_page_is_kept_with_its_place_or_not_at_all(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await answered(database, shop, *ASKED)
    replay_id = await a_replay(database, shop, Variant(threshold=1.0))
    work = BackgroundRef(client_id=shop.client_id, record_id=replay_id)
    pages = pages_of(database, Brains(embedded=SURE))

    async def broken(*_: object, **__: object) -> bool:
        raise ConnectionResetError

    with monkeypatch.context() as patched:
        patched.setattr(ReplayRepository, "end", broken)
        with pytest.raises(ConnectionResetError):
            await ActivityEnvironment().run(pages.page, work)
    assert (await replay_of(database, shop, replay_id)).seen == 0
    assert await rows(database, replay_changes, of=shop) == []

    await ActivityEnvironment().run(pages.page, work)
    assert (await replay_of(database, shop, replay_id)).seen == 3


async def test_each_event_that_cannot_be_thought_through_is_counted_apart(
    database: Database,
) -> None:
    shop = await open_shop(database, event_type="x")
    erased, joined, unthought, unfinished, _ = await answered(database, shop, *"abcde")
    await try_to_admit(database, shop, event_type="other", message="x")
    async with database.tenant(shop.tenant) as connection:
        for table, column, value, values in (
            (engine_events, "id", erased.event_id, {"erased_at": utc_now()}),
            (engine_runs, "id", joined.run_id, {"joined_review": "review"}),
            (engine_runs, "id", unthought.run_id, {"classification": None}),
            (engine_runs, "id", unfinished.run_id, {"answer": sa.null()}),
        ):
            await connection.execute(
                sa.update(table).where(table.c[column] == value).values(**values)
            )

    done = await _replayed(database, shop, await a_replay(database, shop), Brains(embedded=SURE))

    assert done.tally.skipped == dict.fromkeys(ReplaySkip, 1)
    assert {(one.before, one.after) for one in done.tally.ends} == {
        (ReplayEnd.REVIEWED, ReplayEnd.REVIEWED),
        (ReplayEnd.NO_PLAYBOOK, ReplayEnd.NO_PLAYBOOK),
    }


async def test_an_event_that_no_playbook_took_is_read_when_one_would(database: Database) -> None:
    shop = await open_shop(database, event_type="x")
    await try_to_admit(database, shop, event_type="other.kind", message="Vos horaires ?")
    async with database.reading(shop.tenant) as connection:
        playbooks = PlaybookRepository(connection, shop.tenant)
        spec = (await playbooks.read(shop.playbook_id)).spec
    draft = spec.model_copy(update={"name": "another", "event_type": "other.*"})

    done = await _replayed(
        database, shop, await a_replay(database, shop, Variant(draft=draft)), Brains(embedded=SURE)
    )

    assert done.tally.changes == {ReplayChangeKind.NOW_TAKEN: 1}
    (change,) = await rows(database, replay_changes, of=shop)
    assert (change["draft"], change["after"]["playbook"]) == ("De 9 h à 18 h.", "another")


@pytest.mark.parametrize(
    ("budget", "month", "day", "examined"),
    [
        (1_000, 10_000, None, 1),
        (100_000, 700, None, 1),
        (100_000, 100_000, 0, 0),
        (100_000, 100_000, None, 3),
    ],
    ids=["its own budget", "the client's month", "the installation's day", "enough"],
)
async def test_a_budget_of_money_is_not_exceeded(
    database: Database, shop: Shop, budget: int, month: int, day: int | None, examined: int
) -> None:
    """The reserved 600 for a question must be available. The embedded brain does not replace the
    model."""
    await answered(database, shop, *ASKED)
    replay_id = await a_replay(database, shop, budget_micros=budget - 1)
    limits = ModelBudget(month_micros=month, installation_day_micros=day)
    brains = Brains(embedded=SURE, model=CostlyBrain(), reserve_micros=600, budget=limits)

    done = await _replayed(database, shop, replay_id, brains)

    assert (done.examined, done.cost_micros) == (examined, 400 * examined)
    if examined == 3:
        assert (done.state, done.stopped_because) == (ReplayState.DONE, None)
    else:
        assert (done.state, done.stopped_because) == (ReplayState.STOPPED, ReplayStop.BUDGET)


class SlowModel(CostlyBrain):
    """A language model that answers once `together` requests are in progress. `most`: the largest
    number of requests in progress."""

    def __init__(self, together: int) -> None:
        super().__init__()
        self._together = together
        self.present = self.most = 0
        self.met = asyncio.Event()

    async def think(self, request: BrainRequest) -> BrainAnswer:
        self.present += 1
        self.most = max(self.most, self.present)
        if self.present == self._together:
            self.met.set()
        await self.met.wait()
        self.present -= 1
        return await super().think(request)


async def test_a_replay_with_a_model_does_not_wait_for_the_others(database: Database) -> None:
    """Earlier, a worker had one request to a model in progress for all replays. Clients without a
    plan have two, and leave two to those that pay."""
    free = [await unpaid_shop(database) for _ in range(3)]
    paying = [await open_shop(database) for _ in range(2)]
    model = SlowModel(together=4)
    limits = ModelBudget(month_micros=10_000_000, installation_day_micros=10_000_000)
    brains = Brains(embedded=SURE, model=model, reserve_micros=600, budget=limits)
    pages, works = pages_of(database, brains), list[BackgroundRef]()
    for shop in (*free, *paying):
        await answered(database, shop, ASKED[0])
        replay_id = await a_replay(database, shop, budget_micros=100_000)
        works.append(BackgroundRef(client_id=shop.client_id, record_id=replay_id))

    await asyncio.gather(*(ActivityEnvironment().run(pages.page, work) for work in works))

    assert model.most == 4
    for shop, work in zip((*free, *paying), works, strict=True):
        assert (await replay_of(database, shop, work.record_id)).examined == 1


class HeldBrain(ScriptedBrain):
    """An embedded brain that answers once `go` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()

    async def think(self, request: BrainRequest) -> BrainAnswer:
        await self.go.wait()
        return await super().think(request)


async def test_a_page_without_a_slot_waits_in_temporal(database: Database) -> None:
    """A page that waits for its turn would occupy an activity slot that all clients share."""
    brain, environment = HeldBrain(), ActivityEnvironment()
    pages, tasks = pages_of(database, Brains(embedded=brain)), list[asyncio.Task[ReplayProgress]]()
    for _ in range(UNPAID + 1):
        shop = await unpaid_shop(database)
        await answered(database, shop, ASKED[0])
        replay_id = await a_replay(database, shop)
        work = BackgroundRef(client_id=shop.client_id, record_id=replay_id)
        tasks.append(asyncio.create_task(environment.run(pages.page, work)))

    (refused,), waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    brain.go.set()

    assert isinstance(refused.exception(), ReplaysBusy)
    assert all(one.is_over for one in await asyncio.gather(*waiting))


async def test_a_budget_of_time_ends_it(database: Database, shop: Shop) -> None:
    await answered(database, shop, *ASKED)

    done = await _replayed(
        database, shop, await a_replay(database, shop, budget_s=0), Brains(embedded=SURE)
    )

    assert (done.state, done.stopped_because) == (ReplayState.STOPPED, ReplayStop.TIME)


def test_beside_traffic_most_of_the_time_is_left_to_it() -> None:
    now = 100.0
    traffic = Traffic(lambda: now)
    assert traffic.pause_after(0.01) == 0

    traffic.note()
    assert 0.05 <= traffic.pause_after(0.01) <= 0.5
    now += timedelta(seconds=30).total_seconds()
    assert traffic.pause_after(0.01) == 0
