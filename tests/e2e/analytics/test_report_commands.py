"""The metrics and churn commands, with a running engine."""

import asyncio
import json
import signal
import subprocess
from datetime import timedelta

import pytest
import sqlalchemy as sa
from temporalio.client import WorkflowExecutionStatus
from temporalio.service import RPCError

from adapters.system import new_ulid, utc_now
from domain.analytics.churn import week_of
from domain.analytics.metrics import day_before
from domain.core.names import backfill_metrics_id
from store.tenants.tables import clients
from tests.support.analytics.days import past_event
from tests.support.core.command_line import begin, cli, cli_process
from tests.support.core.engine import LiveEngine
from tests.support.core.waiting import eventually
from tests.support.tenants.shop import Shop, open_shop

YESTERDAY = day_before(utc_now())


def environment(engine: LiveEngine) -> dict[str, str]:
    return {
        "DATABASE_URL": engine.settings.database.url,
        "TEMPORAL_ADDRESS": engine.settings.temporal.address,
        "TEMPORAL_NAMESPACE": engine.settings.temporal.namespace,
    }


async def told(engine: LiveEngine, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the command in a separate process, while this process's engine does the work."""
    return await asyncio.to_thread(cli_process, *arguments, **environment(engine))


async def grow_old(engine: LiveEngine) -> None:
    async with engine.database.service() as connection:
        await connection.execute(
            sa.update(clients).values(created_at=utc_now() - timedelta(days=400))
        )


async def test_metrics_backfill_and_show(engine: LiveEngine, shop: Shop) -> None:
    await grow_old(engine)
    await past_event(engine.database, shop, utc_now() - timedelta(days=3), mood=-0.5)
    first = str(YESTERDAY - timedelta(days=14))
    client = ("--client", shop.client_id.lower())

    done = await told(engine, "metrics", "backfill", *client, "--from", first, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"computed": 15, "changed": 15, "left": 0, "failed": 0}
    assert "100 %" in done.stderr
    everyone = await told(engine, "metrics", "backfill", "--all", "--from", first)
    assert everyone.returncode == 0, everyone.stderr
    assert "changed   0" in everyone.stdout

    shown = cli("metrics", "show", *client, **environment(engine))
    assert shown.returncode == 0, shown.stderr
    assert "15 days" in shown.stdout
    for fact in (first, "100%", "100 ms", "-0.50"):
        assert fact in shown.stdout
    found = cli("metrics", "show", *client, "--from", first, "--json", **environment(engine))
    days = json.loads(found.stdout)["days"]
    assert [sum(day[name] for day in days) for name in ("events", "completed")] == [1, 1]


async def test_churn_predict_and_list(engine: LiveEngine, shop: Shop) -> None:
    await past_event(
        engine.database, shop, utc_now() - timedelta(days=3), status="failed", mood=-1.0,
        customer="ann\x1b[2J@x.example",
    )  # fmt: skip
    client = ("--client", shop.client_id)

    done = await told(engine, "churn", "predict", *client, "--json")
    assert done.returncode == 0, done.stderr
    week = str(week_of(utc_now()))
    assert json.loads(done.stdout) == {"week": week, "predicted": 1, "high": 0, "failed": 0}

    shown = cli("churn", "list", *client, **environment(engine))
    assert shown.returncode == 0, shown.stderr
    for fact in (week, "0.38", "medium", "sentiment 0.25", "unresolved 0.12"):
        assert fact in shown.stdout, shown.stdout
    assert "\x1b" not in shown.stdout
    high = cli("churn", "list", *client, "--level", "high", "--json", **environment(engine))
    assert json.loads(high.stdout)["predictions"] == []


async def test_whoever_does_not_wait_leaves_it_running(idle_engine: LiveEngine) -> None:
    """No worker is running, so the work cannot end before the operator interrupts."""
    shop = await open_shop(idle_engine.database)
    command = begin(
        "metrics", "backfill", "--client", shop.client_id, "--from", str(YESTERDAY),
        **environment(idle_engine),
    )  # fmt: skip
    handle = idle_engine.client.get_workflow_handle(
        backfill_metrics_id(shop.client_id, YESTERDAY, YESTERDAY)
    )

    async def started() -> bool:
        try:
            return (await handle.describe()).status is not None
        except RPCError:
            return False

    await eventually(started)
    command.send(signal.SIGINT)
    done = await asyncio.to_thread(command.ended)

    assert done.returncode == 1
    assert "the engine continues the work" in done.stderr
    assert (await handle.describe()).status is WorkflowExecutionStatus.RUNNING


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--from", "2026-01-02", "--to", "2026-01-01"), "is after"),
        (("--from", str(YESTERDAY + timedelta(days=1))), "is after"),
        (("--from", "2026-01-01", "--to", str(YESTERDAY + timedelta(days=1))), "has not ended yet"),
        (("--from", "2010-01-01", "--to", "2020-01-09"), "at most 3660 days"),
        (("--from", str(YESTERDAY)), "give --client ID or --all"),
        (("--from", str(YESTERDAY), "--all", "--client", "x"), "give --client ID or --all"),
        (("--from", str(YESTERDAY), "--client", new_ulid()), "there is no such client"),
        (("--from", str(YESTERDAY), "--all"), "no engine is running here"),
    ],
)
def test_what_cannot_be_backfilled(
    database_url: str, arguments: tuple[str, ...], sentence: str
) -> None:
    done = cli("metrics", "backfill", *arguments, DATABASE_URL=database_url)

    assert (done.returncode, done.stdout) == (1, "")
    assert sentence in done.stderr
