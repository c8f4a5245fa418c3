"""A worker that is killed after a failed model call: one review, and the costs once."""

import signal
from pathlib import Path

import pytest

from domain.runs.contracts import ProcessEventInput
from store.reviews.tables import escalation_tickets
from store.runs.tables import brain_costs, engine_runs
from tests.support.agent.llm_brain import ENGLISH, OPENAI
from tests.support.agent.model_faults import FAULTS
from tests.support.core.engine import live_engine
from tests.support.core.processes import has_ended, process
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.intake.admission import admit_event
from tests.support.servers.llm import KEY, TOKENS_IN, TOKENS_OUT, llm_server
from tests.support.tenants.shop import open_shop
from tests.support.webhooks.told import told_events

pytestmark = [pytest.mark.slow, pytest.mark.own_database]


async def test_worker_killed_after_the_model_failed(
    database_url: str, temporal: TemporalServer, tmp_path: Path
) -> None:
    async with (
        llm_server() as server,
        live_engine(database_url, temporal.address, temporal.take_namespace()) as engine,
    ):
        model = {
            "BRAIN_MODEL": OPENAI,
            "BRAIN_BASE_URL": server.openai_url,
            "BRAIN_API_KEY": KEY,
            "BRAIN_PRICE_IN": "1",
            "BRAIN_PRICE_OUT": "10",
        }
        server.script = [FAULTS["truncated"][0]]
        shop = await open_shop(engine.database)
        ref = (await admit_event(engine.database, shop, message=ENGLISH)).ref
        with process(
            "dying",
            "-m",
            "tests.support.core.crashing_worker",
            "after:event.brain",
            settings=engine.settings,
            folder=tmp_path,
            **model,
        ) as dying:
            await engine.engine.start(ProcessEventInput(ref=ref, threshold=0.7, remote_brain=True))
            await eventually(lambda: has_ended(dying))
            assert dying.exit_code == -signal.SIGKILL
            with process("worker", "worker.py", settings=engine.settings, folder=tmp_path, **model):

                async def waits() -> bool | None:
                    return bool(await rows(engine.database, escalation_tickets, of=shop)) or None

                await eventually(waits, 100)

        cost = TOKENS_IN + 10 * TOKENS_OUT
        run = await only_row(engine.database, engine_runs, of=shop)
        assert (run["status"], run["model_fault"]) == ("needs_review", "truncated")
        assert run["cost_micros"] == cost
        booked = await only_row(engine.database, brain_costs, of=shop)
        assert (booked["calls"], booked["cost_micros"]) == (1, cost)
        assert len(server.asked) == 1
        told = [one.event for one in await told_events(engine.database, of=shop)]
        assert told.count("ticket.response_failed") == told.count("ticket.escalated") == 1
