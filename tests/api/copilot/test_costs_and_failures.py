"""The copilot's answers about the cost of language models and about failed runs."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from domain.core.period import period_of
from domain.runs.run import RunStatus
from store.runs.brain_costs import BrainCosts
from store.runs.tables import engine_runs
from tests.support.copilot.asking import ask
from tests.support.core.engine import LiveEngine
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop, open_shop

COSTS = ("How much did the models cost this month?", "Combien ont coûté les modèles ce mois-ci ?")
FAILURES = ("Which runs failed today?", "Quelles exécutions ont échoué aujourd'hui ?")


@pytest.mark.parametrize(("question", "cost"), [(COSTS[0], "12.35"), (COSTS[1], "12,35")])
async def test_the_cost_of_models(
    front: LiveEngine, shop: Shop, owner: dict[str, str], question: str, cost: str
) -> None:
    other = await open_shop(front.database)
    for one, micros in ((shop, 12_345_678), (other, 99_000_000)):
        async with front.database.tenant(one.tenant) as connection:
            await BrainCosts(connection, one.tenant).add(
                period_of(utc_now()),
                tokens_in=10,
                tokens_out=5,
                cost_micros=micros,
                reserved_micros=0,
            )

    answer = await ask(front, shop, owner, question)

    assert cost in answer["text"]
    assert "$" in answer["text"]
    assert [one["url"].split("/app")[1] for one in answer["citations"]] == ["/usage"]


async def test_no_model_was_called(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    answer = await ask(front, shop, owner, COSTS[0])

    assert "no language model was called" in answer["text"]


@pytest.mark.parametrize("question", FAILURES)
async def test_failed_runs_of_today(
    front: LiveEngine, shop: Shop, owner: dict[str, str], question: str
) -> None:
    now = utc_now()
    failed = await write(front.database, shop, "Bonjour", now=now)
    earlier = await write(front.database, shop, "Hier", now=now - timedelta(days=3))
    fine = await write(front.database, shop, "Merci", now=now)
    async with front.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_runs)
            .where(engine_runs.c.id.in_([failed.run_id, earlier.run_id]))
            .values(status=RunStatus.FAILED, error_code="timeout")
        )

    answer = await ask(front, shop, owner, question)

    links = [one["url"].split("/app")[1] for one in answer["citations"]]
    assert sorted(links) == sorted(["/runs?status=failed", f"/runs/{failed.run_id}"])
    assert "timeout" in answer["text"]
    assert fine.run_id not in answer["text"]


async def test_no_run_failed(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    answer = await ask(front, shop, owner, FAILURES[0])

    assert "No run failed" in answer["text"]
