"""A daily budget stops the model for every use, and delays no human."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from domain.core.period import day_of
from domain.reviews.escalation import Decision
from domain.tenants.client import Role
from store.core.database import Database
from store.core.tables import model_spending
from store.reviews.tables import escalation_tickets
from store.runs.tables import brain_costs, engine_messages, engine_runs
from tests.support.agent.llm_brain import ENGLISH, OPENAI, THANKS, said
from tests.support.copilot.asking import ask
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.reviews.dashboard import person
from tests.support.servers.llm import KEY, LlmServer, Say, llm_server
from tests.support.tenants.shop import Shop, open_shop
from tests.support.tenants.spending import unpaid_shop

pytestmark = pytest.mark.own_database

SIMULATOR = "/api/simulator/chat"
REPLAYS = "/api/dashboard/replays"


@asynccontextmanager
async def thinking(
    database_url: str, temporal: TemporalServer, limits: dict[str, Any] | None = None
) -> AsyncIterator[tuple[LiveEngine, LlmServer]]:
    """A running engine with a model that costs 1 and 10 dollars per million tokens."""
    async with (
        llm_server() as server,
        live_engine(
            database_url,
            temporal.address,
            temporal.take_namespace(),
            brain_model=OPENAI,
            brain_base_url=server.openai_url,
            brain_api_key=KEY,
            brain_price_in=1,
            brain_price_out=10,
            **(limits or {}),
        ) as engine,
        engine.working(),
    ):
        yield engine, server


async def every_use(engine: LiveEngine, shop: Shop) -> tuple[str, str, str, str | None]:
    """Make a run, a dry run, a simulation and a copilot question. Returns the models of the run,
    the simulation and the copilot's answer, and the copilot's notice."""
    headers = await person(engine, shop, Role.OWNER)
    assert (await engine.post(shop, message=ENGLISH)).status_code == 200
    assert (await engine.post(shop, message=ENGLISH, is_test=True)).status_code == 200
    simulation = await engine.http.post(
        SIMULATOR, json={"client_id": shop.client_id, "message": ENGLISH}, headers=headers
    )
    assert simulation.status_code == 200, simulation.text
    answer = await ask(engine, shop, headers, "How many tickets are left?")
    (run,) = await rows(engine.database, engine_runs, of=shop)
    simulated = simulation.json()["trace"]["outcomes"][0]["model"]
    return run["model"], simulated, answer["model"], answer.get("notice")


async def test_every_use_is_charged_to_the_day(database_url: str, temporal: TemporalServer) -> None:
    async with thinking(database_url, temporal) as (engine, server):
        unpaid = await unpaid_shop(engine.database)
        server.script = [
            said(response=THANKS, sources=[]),
            said(response=THANKS, sources=[]),
            said(response=THANKS, sources=[]),
            Say("Plenty."),
        ]

        models = await every_use(engine, unpaid)

        assert models == (OPENAI, OPENAI, OPENAI, None)
        assert len(server.asked) == 4
        month = await only_row(engine.database, brain_costs, of=unpaid)
        assert (month["calls"], month["cost_micros"] > 0) == (4, True)
        spent = await rows(engine.database, model_spending, day=day_of(utc_now()))
        assert {row["scope"]: row["micros"] for row in spent} == {
            "trial": month["cost_micros"],
            "installation": month["cost_micros"],
        }


async def test_at_the_installations_ceiling_no_use_asks_the_model(
    database_url: str, temporal: TemporalServer, shop: Shop
) -> None:
    limit = {"brain_installation_budget_a_day": 0}
    async with thinking(database_url, temporal, limit) as (engine, server):
        run, simulated, copilot, notice = await every_use(engine, shop)

        assert server.asked == []
        assert (run.split(":")[0], simulated.split(":")[0]) == ("embedded", "embedded")
        assert copilot == "embedded"
        assert notice is not None
        assert notice.startswith("Today's budget for language models is used up")


async def test_at_the_trials_ceiling_paying_clients_keep_the_model(
    database_url: str, temporal: TemporalServer
) -> None:
    """Many free accounts have spent their day; the client's monthly budget is unused."""
    limit = {"brain_trial_budget_a_day": 0}
    async with thinking(database_url, temporal, limit) as (engine, server):
        crowd = [await unpaid_shop(engine.database) for _ in range(3)]
        paying = await open_shop(engine.database)
        for one in crowd:
            assert (await every_use(engine, one))[2] == "embedded"
        assert server.asked == []
        server.script = [
            said(response=THANKS, sources=[]),
            said(response=THANKS, sources=[]),
            said(response=THANKS, sources=[]),
            Say("Plenty."),
        ]

        assert await every_use(engine, paying) == (OPENAI, OPENAI, OPENAI, None)


async def _by_run(engine: LiveEngine, shop: Shop) -> None:
    assert (await engine.post(shop, message=ENGLISH)).status_code == 200


async def _by_simulator(engine: LiveEngine, shop: Shop) -> None:
    headers = await person(engine, shop, Role.OWNER)
    body = {"client_id": shop.client_id, "message": ENGLISH}
    answer = await engine.http.post(SIMULATOR, json=body, headers=headers)
    assert answer.status_code == 200, answer.text


async def _by_copilot(engine: LiveEngine, shop: Shop) -> None:
    await ask(engine, shop, await person(engine, shop, Role.OWNER), "How many tickets are left?")


async def _by_replay(engine: LiveEngine, shop: Shop) -> None:
    """Replay the only real event. At the budget limit, the replay is stopped."""
    headers = await person(engine, shop, Role.OWNER)
    body = {"client_id": shop.client_id, "variant": {}}
    begun = await engine.http.post(REPLAYS, json=body, headers=headers)
    assert begun.status_code == 201, begun.text

    async def over() -> dict[str, Any] | None:
        found = await engine.http.get(f"{REPLAYS}/{begun.json()['id']}", headers=headers)
        replay: dict[str, Any] = found.json()
        return replay if replay["finished_at"] else None

    await eventually(over)


@pytest.mark.parametrize("use", [_by_run, _by_simulator, _by_copilot, _by_replay])
async def test_each_use_asks_the_model_until_the_day_is_spent(
    database_url: str, temporal: TemporalServer, use: Callable[[LiveEngine, Shop], Awaitable[None]]
) -> None:
    limit = {"brain_installation_budget_a_day": 1}
    async with thinking(database_url, temporal, limit) as (engine, server):
        shop = await open_shop(engine.database)
        server.script = [said(response=THANKS, sources=[])] if use is _by_replay else []
        if use is _by_replay:
            await _by_run(engine, shop)
        before = len(server.asked)
        server.script = (
            [Say("Plenty.")] if use is _by_copilot else [said(response=THANKS, sources=[])]
        )

        await use(engine, shop)
        assert len(server.asked) == before + 1
        async with engine.database.service() as connection:
            spent = sa.update(model_spending).where(model_spending.c.scope == "installation")
            await connection.execute(spent.values(micros=1_000_000))
        await use(engine, shop)

        assert len(server.asked) == before + 1


async def test_a_persons_reply_does_not_wait_for_the_ceiling(
    database_url: str, temporal: TemporalServer, shop: Shop
) -> None:
    """The day is used up, and another process has locked its counter."""
    limit = {"brain_installation_budget_a_day": 0}
    async with thinking(database_url, temporal, limit) as (engine, server):
        body = (await engine.post(shop, message=ENGLISH)).json()
        assert body["status"] == "needs_review"
        review = await only_row(engine.database, escalation_tickets, of=shop)
        async with _locked_day(engine.database):
            await engine.decide(review["id"], Decision.EDIT, "It arrives on Friday.")
            facts = await engine.run_of(shop, body["event_id"]).result()

        assert facts["status"] == "completed"
        reply = await only_row(engine.database, engine_messages, of=shop, direction="outbound")
        assert reply["body"] == "It arrives on Friday."
        assert server.asked == []


@asynccontextmanager
async def _locked_day(database: Database) -> AsyncIterator[None]:
    async with database.service(patience_s=30) as connection:
        row = {"scope": "installation", "day": day_of(utc_now()), "micros": 1}
        await connection.execute(sa.insert(model_spending).values(row))
        await connection.execute(sa.select(model_spending).with_for_update())
        yield
