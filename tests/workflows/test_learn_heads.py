"""The schedule that fits clients' own heads, and messages that use them."""

from datetime import UTC, datetime

import pytest
from temporalio.client import ScheduleOverlapPolicy

from adapters.brain.classifier import Classifier
from adapters.temporal.setup import ensure_learn_heads_schedule
from domain.core.names import LEARN_HEADS_SCHEDULE
from domain.learning.contracts import LearnHeadsResult
from evaluation.own_head.shop_trial import read_lessons
from services.learning.labelled_examples import delete_example
from store.learning.own_heads import OwnHeadRepository
from store.learning.tables import own_heads
from store.runs.tables import engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.core.schedules import fire
from tests.support.core.units import units_on
from tests.support.learning.corrections import OPERATOR
from tests.support.learning.lessons import add_examples
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.own_database

NIGHT = datetime(2026, 11, 27, 3, 10, tzinfo=UTC)


async def model_of(engine: LiveEngine, shop: Shop, month: str) -> str:
    message = f"Que contient la caisse de {month} ?"
    answer = (await engine.post(shop, message=message)).json()
    run = await only_row(engine.database, engine_runs, of=shop, id=answer["run_id"])
    return str(run["model"])


async def test_from_the_night_to_the_next_message_until_an_example_is_deleted(
    engine: LiveEngine, shop: Shop
) -> None:
    plain = f"embedded:{Classifier.load().fingerprint[:8]}"
    taught = [(one.text, one.classification) for one in read_lessons()[:200]]
    example_id, *_ = await add_examples(engine.database, shop, taught)
    assert await model_of(engine, shop, "mai") == plain
    await ensure_learn_heads_schedule(engine.client)

    workflow_id = await fire(engine.client, LEARN_HEADS_SCHEDULE, NIGHT)
    handle = engine.client.get_workflow_handle(workflow_id, result_type=LearnHeadsResult)

    assert await handle.result() == LearnHeadsResult(tried=1, used=1)
    version = (await only_row(engine.database, own_heads, of=shop))["id"]
    assert await model_of(engine, shop, "juin") == f"{plain}+own:{version[-8:]}"

    async with units_on(engine.database).of(shop.tenant) as work:
        await delete_example(work, OPERATOR, example_id)
    assert await model_of(engine, shop, "juillet") == plain


async def test_the_schedule(engine: LiveEngine) -> None:
    for _ in range(2):
        await ensure_learn_heads_schedule(engine.client)

    found = await engine.client.get_schedule_handle(LEARN_HEADS_SCHEDULE).describe()

    times = found.info.next_action_times[:3]
    assert all((t.hour, t.minute, t.second) == (3, 10, 0) for t in times)
    assert found.schedule.policy.overlap is ScheduleOverlapPolicy.SKIP


async def test_a_retry_goes_on_after_the_last_client(
    engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = await open_shop(engine.database)
    asked: list[str] = []
    ask = OwnHeadRepository.versions

    async def die_once(self: OwnHeadRepository) -> object:
        asked.append(self._tenant)
        if len(asked) == 2:
            raise RuntimeError("the worker fell over")
        return await ask(self)

    monkeypatch.setattr(OwnHeadRepository, "versions", die_once)
    await ensure_learn_heads_schedule(engine.client)
    workflow_id = await fire(engine.client, LEARN_HEADS_SCHEDULE, NIGHT)
    await engine.client.get_workflow_handle(workflow_id).result()

    first, last = sorted((shop.client_id, other.client_id))
    assert asked == [first, last, last]
