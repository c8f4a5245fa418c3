"""Record a history for each branch without one, or accept changed commands.

`python -m tests.replay.record` adds histories and never overwrites one: a history shows a run of
its day, and such runs may still be waiting. `python -m tests.replay.record commands` accepts the
current command sequence.
"""

import asyncio
import dataclasses
import json
import sys
import tempfile
from contextlib import nullcontext, suppress
from pathlib import Path

from temporalio.client import WorkflowFailureError

from store.core.database import Database
from tests.replay.budget_scenarios import BUDGET_SCENARIOS, PREPARED
from tests.replay.commands import ROOT, SNAPSHOT, workflow_commands
from tests.replay.inbound_scenarios import INBOUND_SCENARIOS
from tests.replay.learning_scenarios import LEARNING_SCENARIOS
from tests.replay.model_scenarios import MODEL_PREPARED, MODEL_SCENARIOS
from tests.replay.notice_scenarios import NOTICE_SCENARIOS
from tests.replay.reply_scenarios import REPLY_PREPARED, REPLY_SCENARIOS
from tests.replay.scenarios import SCENARIOS as EVENT_SCENARIOS
from tests.replay.scenarios import Scenario
from tests.replay.stop_scenarios import STOP_SCENARIOS, stop_after_execute, stopped_late
from tests.replay.thread_scenarios import BRAINS, THREAD_SCENARIOS
from tests.replay.webhook_scenarios import WEBHOOK_SCENARIOS, WebhookScenario
from tests.replay.widget_scenarios import WIDGET_SCENARIOS
from tests.support.core.engine import live_engine, think_with
from tests.support.core.postgres import PostgresServer, postgres_server
from tests.support.core.temporal import TemporalServer, temporal_server
from tests.support.servers.mail import mail_server
from tests.support.servers.webhook_receiver import webhook_receiver
from tests.support.tenants.shop import open_shop, with_sender
from tests.support.webhooks.webhook_engine import sending_engine

HISTORIES = Path(__file__).with_name("histories")
SCENARIOS = {
    **EVENT_SCENARIOS,
    **THREAD_SCENARIOS,
    **LEARNING_SCENARIOS,
    **BUDGET_SCENARIOS,
    **MODEL_SCENARIOS,
    **WIDGET_SCENARIOS,
    **NOTICE_SCENARIOS,
    **INBOUND_SCENARIOS,
    **STOP_SCENARIOS,
    **REPLY_SCENARIOS,
}
_PREPARED = {
    **PREPARED,
    **MODEL_PREPARED,
    **REPLY_PREPARED,
    stopped_late.__name__: stop_after_execute,
}
BRANCHES = {*SCENARIOS, *WEBHOOK_SCENARIOS}
FAILING = {"sweep_failed"}
SHORT_EXPIRY_HOURS = 0.2 / 3600


async def record(
    name: str, scenario: Scenario, postgres: PostgresServer, temporal: TemporalServer
) -> str:
    """Run one branch to its end; return the history as JSON."""
    expiry = SHORT_EXPIRY_HOURS if name == "review_expired" else 72
    with postgres.database() as url:
        async with (
            mail_server() as mail,
            live_engine(
                url,
                temporal.address,
                temporal.take_namespace(),
                smtp_url=mail.url,
                review_expiry_hours=expiry,
            ) as engine,
        ):
            database = Database(url)
            shop = await open_shop(database)
            await with_sender(database, shop)
            await database.close()
            if name in BRAINS:
                engine.activities = dataclasses.replace(
                    engine.activities, think=think_with(engine.database, BRAINS[name](engine))
                )
            if name in _PREPARED:
                _PREPARED[name](engine)
            async with engine.working():
                handle = engine.client.get_workflow_handle(await scenario(engine, shop, mail))
                with suppress(WorkflowFailureError) if name in FAILING else nullcontext():
                    await handle.result()
                return (await handle.fetch_history()).to_json()


async def record_webhooks(
    scenario: WebhookScenario, postgres: PostgresServer, temporal: TemporalServer
) -> str:
    """Return the history of a branch that sends webhooks."""
    with postgres.database() as url, webhook_receiver() as receiver:
        async with (
            mail_server() as mail,
            sending_engine(url, temporal, receiver, smtp_url=mail.url) as engine,
        ):
            database = Database(url)
            shop = await open_shop(database)
            await with_sender(database, shop)
            await database.close()
            async with engine.working(), engine.delivering():
                workflow_id = await scenario(engine, shop, mail, receiver)
                handle = engine.client.get_workflow_handle(workflow_id)
                await handle.result()
                return (await handle.fetch_history()).to_json()


def one_line(history: str) -> str:
    """Return the same JSON on a single line: histories are data, and nobody reads their diffs."""
    return json.dumps(json.loads(history), separators=(",", ":")) + "\n"


def main() -> None:
    if sys.argv[1:] == ["commands"]:
        SNAPSHOT.write_text(json.dumps(workflow_commands(), indent=2) + "\n")
        return
    missing = [name for name in BRANCHES if not (HISTORIES / f"{name}.json").exists()]
    with (
        tempfile.TemporaryDirectory() as folder,
        postgres_server() as postgres,
        temporal_server(Path(folder) / "log") as temporal,
    ):
        for name in missing:
            if name in SCENARIOS:
                recording = record(name, SCENARIOS[name], postgres, temporal)
            else:
                recording = record_webhooks(WEBHOOK_SCENARIOS[name], postgres, temporal)
            history = asyncio.run(recording)
            # Stack traces contain this machine's folder, which must not be recorded.
            (HISTORIES / f"{name}.json").write_text(one_line(history.replace(f"{ROOT}/", "")))


if __name__ == "__main__":
    main()
