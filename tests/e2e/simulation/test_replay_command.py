"""Replays on the command line, with a running worker."""

import asyncio
import json
from typing import Any

from tests.support.core.command_line import cli
from tests.support.core.engine import LiveEngine
from tests.support.simulation.replays import answered
from tests.support.tenants.shop import Shop


async def test_replay(engine: LiveEngine, shop: Shop) -> None:
    await answered(engine.database, shop, "a", "b")
    env = {
        "DATABASE_URL": engine.settings.database.url,
        "TEMPORAL_ADDRESS": engine.settings.temporal.address,
        "TEMPORAL_NAMESPACE": engine.settings.temporal.namespace,
        "COLUMNS": "120",
    }

    async def run(*arguments: str) -> tuple[int, str, str]:
        """Run the command in a thread, because the worker uses this event loop."""
        done = await asyncio.to_thread(cli, "replay", *arguments, **env)
        return done.returncode, done.stdout, done.stderr

    client = ("--client", shop.client_id)
    status, said, progress = await run("start", *client, "--threshold", "1", "--json")
    assert status == 0, progress
    replay: dict[str, Any] = json.loads(said)
    assert (replay["state"], replay["examined"], replay["total"]) == ("done", 2, 2)
    assert "Processing events: done, 100 %" in progress
    assert (await run("list", *client))[1].count(replay["replay_id"]) == 1
    status, said, _ = await run("show", replay["replay_id"])
    assert (status, "2 of 2 events processed" in said) == (0, True)
    assert "done" in (await run("stop", replay["replay_id"]))[1]
    status, _, refused = await run("start", *client, "--version", "1")
    assert (status, refused) == (1, "error: version: of a stored playbook, without a draft\n")
