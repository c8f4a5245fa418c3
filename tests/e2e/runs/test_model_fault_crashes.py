"""A worker that is killed after a model call: one outcome, and the costs once."""

import signal
from pathlib import Path

import pytest
import sqlalchemy as sa

from domain.runs.contracts import ProcessEventInput
from store.agent.tables import model_calls
from store.reviews.tables import escalation_tickets
from store.runs.tables import brain_costs, engine_messages, engine_runs
from tests.support.agent.llm_brain import ENGLISH, OPENAI, THANKS, said
from tests.support.agent.model_faults import FAULTS
from tests.support.agent.much_knowledge import SHEDDING, know_much
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.processes import has_ended, process
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.intake.admission import admit_event
from tests.support.servers.llm import KEY, TOKENS_IN, TOKENS_OUT, Drip, LlmServer, llm_server
from tests.support.servers.llm_stream import Call, Calls
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.told import told_events

pytestmark = [pytest.mark.slow, pytest.mark.own_database]


COST = TOKENS_IN + 10 * TOKENS_OUT


def model_of(server: LlmServer) -> dict[str, str]:
    return {
        "BRAIN_MODEL": OPENAI,
        "BRAIN_BASE_URL": server.openai_url,
        "BRAIN_API_KEY": KEY,
        "BRAIN_PRICE_IN": "1",
        "BRAIN_PRICE_OUT": "10",
    }


async def killed_after_the_brain(
    engine: LiveEngine, server: LlmServer, folder: Path, table: sa.Table, **where: str
) -> Shop:
    """Kill the worker after the activity that calls the model, and start another one. Wait until
    the shop has a row in `table` with the values `where`, and return the shop."""
    model = model_of(server)
    shop = await open_shop(engine.database)
    ref = (await admit_event(engine.database, shop, message=ENGLISH)).ref
    with process(
        "dying",
        "-m",
        "tests.support.core.crashing_worker",
        "after:event.brain",
        settings=engine.settings,
        folder=folder,
        **model,
    ) as dying:
        await engine.engine.start(ProcessEventInput(ref=ref, threshold=0.7, remote_brain=True))
        await eventually(lambda: has_ended(dying))
        assert dying.exit_code == -signal.SIGKILL
        with process("worker", "worker.py", settings=engine.settings, folder=folder, **model):

            async def has_row() -> bool | None:
                return bool(await rows(engine.database, table, of=shop, **where)) or None

            await eventually(has_row, 100)
    return shop


async def test_worker_killed_after_the_model_failed(
    database_url: str, temporal: TemporalServer, tmp_path: Path
) -> None:
    async with (
        llm_server() as server,
        live_engine(database_url, temporal.address, temporal.take_namespace()) as engine,
    ):
        server.script = [FAULTS["truncated"][0]]

        shop = await killed_after_the_brain(engine, server, tmp_path, escalation_tickets)

        run = await only_row(engine.database, engine_runs, of=shop)
        assert (run["status"], run["model_fault"]) == ("needs_review", "truncated")
        assert run["cost_micros"] == COST
        booked = await only_row(engine.database, brain_costs, of=shop)
        assert (booked["calls"], booked["cost_micros"]) == (1, COST)
        assert len(server.asked) == 1
        told = [one.event for one in await told_events(engine.database, of=shop)]
        assert told.count("ticket.response_failed") == told.count("ticket.escalated") == 1


async def test_worker_killed_after_a_repair(
    database_url: str, temporal: TemporalServer, tmp_path: Path
) -> None:
    async with (
        llm_server() as server,
        live_engine(database_url, temporal.address, temporal.take_namespace()) as engine,
    ):
        wrong = said(response="Hello, it costs 49 EUR.", sources=[])
        server.script = [wrong, said(response=THANKS, sources=[])]

        outbound = {"direction": "outbound"}
        shop = await killed_after_the_brain(engine, server, tmp_path, engine_messages, **outbound)

        run = await only_row(engine.database, engine_runs, of=shop)
        assert run["cost_micros"] == 2 * COST
        reply = await only_row(engine.database, engine_messages, of=shop, **outbound)
        assert reply["body"] == THANKS
        booked = await only_row(engine.database, brain_costs, of=shop)
        assert (booked["calls"], booked["cost_micros"]) == (1, 2 * COST)
        assert len(server.asked) == 2


async def killed_in_the_second_request(
    engine: LiveEngine, server: LlmServer, folder: Path, shop: Shop, message: str
) -> str:
    """Kill the worker while it waits for the model's second response, and start another one. Return
    the reply."""
    model = model_of(server)
    ref = (await admit_event(engine.database, shop, message=message)).ref

    async def waits() -> bool | None:
        return len(server.asked) == 2 or None

    with process("dying", "worker.py", settings=engine.settings, folder=folder, **model) as dying:
        await engine.engine.start(ProcessEventInput(ref=ref, threshold=0.7, remote_brain=True))
        await eventually(waits, 100)
        dying.kill()
        await eventually(lambda: has_ended(dying))
    with process("worker", "worker.py", settings=engine.settings, folder=folder, **model):

        async def has_reply() -> bool | None:
            found = await rows(engine.database, engine_messages, of=shop, direction="outbound")
            return bool(found) or None

        await eventually(has_reply, 100)
    reply = await only_row(engine.database, engine_messages, of=shop, direction="outbound")
    first, cut_off, repeated = server.asked
    assert repeated.said == cut_off.said != first.said
    assert await rows(engine.database, model_calls, of=shop) == []
    return str(reply["body"])


async def test_worker_killed_during_a_repair(
    database_url: str, temporal: TemporalServer, tmp_path: Path
) -> None:
    """The next attempt reads the draft from the record, and only repeats the repair."""
    async with (
        llm_server() as server,
        live_engine(database_url, temporal.address, temporal.take_namespace()) as engine,
    ):
        wrong = said(response="Hello, it costs 49 EUR.", sources=[])
        server.script = [wrong, Drip(), said(response=THANKS, sources=[])]
        shop = await open_shop(engine.database)

        reply = await killed_in_the_second_request(engine, server, tmp_path, shop, ENGLISH)

        assert reply == THANKS


async def test_worker_killed_after_a_lookup(
    database_url: str, temporal: TemporalServer, tmp_path: Path
) -> None:
    """The next attempt repeats neither the model's first request nor its search."""
    async with (
        llm_server() as server,
        live_engine(database_url, temporal.address, temporal.take_namespace()) as engine,
    ):
        search = Calls((Call("search_knowledge", {"query": "shedding wool"}),))
        server.script = [search, Drip(), said(SHEDDING, ["k1"], SHEDDING)]
        shop = await open_shop(engine.database)
        await know_much(engine, shop)

        reply = await killed_in_the_second_request(
            engine, server, tmp_path, shop, "Why does my plaid leave fluff everywhere?"
        )

        assert reply == SHEDDING
