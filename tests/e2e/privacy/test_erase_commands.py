"""Erasure on the command line: requested, interrupted, certified, and completed by killed
workers."""

import asyncio
import json
import signal
import subprocess
from pathlib import Path

import pytest

from domain.core import names
from store.intake.tables import engine_events
from store.privacy.tables import erasures
from store.runs.tables import engine_messages
from store.tenants.tables import clients
from tests.support.core.command_line import begin, cli
from tests.support.core.engine import LiveEngine
from tests.support.core.processes import environment, process
from tests.support.core.rows import only_row, row_counts, rows
from tests.support.core.waiting import eventually
from tests.support.privacy.erasing import tables_with, workflow_ids
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop

pytestmark = pytest.mark.usefixtures("missed_soon")

CUSTOMER = "zita@canari.example"


async def _write(engine: LiveEngine, shop: Shop) -> None:
    for message in (ORDER_QUESTION, UNSURE_MESSAGE):
        answer = await engine.post(shop, customer_email=CUSTOMER, message=message)
        assert answer.status_code == 200


def _env(engine: LiveEngine) -> dict[str, str]:
    return {**environment(engine.settings), "COLUMNS": "120"}


async def _run(
    engine: LiveEngine, *arguments: str, said: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Run the worker as a separate process."""
    return await asyncio.to_thread(cli, *arguments, said=said, **_env(engine))


async def test_one_customer_and_the_certificate_again(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path, database_url: str
) -> None:
    engine = idle_engine
    with process("worker", "worker.py", settings=engine.settings, folder=tmp_path):
        await _write(engine, shop)
        asked = ("erase", "--client", shop.client_id, "--customer", CUSTOMER, "--as", "support-1")

        refused = await _run(engine, *asked, said="somebody else\n")
        done = await _run(engine, *asked, said=f"{CUSTOMER}\n")
        again = json.loads((await _run(engine, *asked, "--yes", "--json")).stdout)

    assert refused.returncode == 1
    assert "nothing was erased" in refused.stderr
    assert done.returncode == 0, done.stderr
    assert "requested by  support-1" in done.stdout
    assert CUSTOMER not in done.stdout
    assert tables_with(database_url, "canari") == {}
    assert (again["total"], again["removed"]) == (0, {})
    (first, second) = sorted(await rows(engine.database, erasures), key=lambda row: row["id"])
    assert second["id"] == again["erasure_id"]
    shown = cli("erase", "show", first["id"], DATABASE_URL=database_url, COLUMNS="120")
    assert shown.stdout == done.stdout
    listed = json.loads((await _run(engine, "erase", "list", "--json")).stdout)["erasures"]
    assert [one["erasure_id"] for one in listed] == [second["id"], first["id"]]
    of_client = ("erase", "list", "--client", shop.client_id, "--json", "--customer")
    assert (
        len(json.loads((await _run(engine, *of_client, CUSTOMER.upper())).stdout)["erasures"]) == 2
    )
    assert json.loads((await _run(engine, *of_client, "x@y.example")).stdout)["erasures"] == []


async def test_what_cannot_be_erased(idle_engine: LiveEngine, shop: Shop) -> None:
    for arguments, sentence in (
        (["--client", names.__name__], "there is no such client"),
        (["--client", shop.client_id, "--customer", "nobody"], "an email address"),
        (["--customer", CUSTOMER], "client"),
        (["--client", shop.client_id, "--customer", CUSTOMER, "--as", CUSTOMER], "must not name"),
    ):
        refused = await _run(idle_engine, "erase", *arguments, "--yes")
        assert refused.returncode == 1
        assert sentence in refused.stderr, refused.stderr
    assert (await row_counts(idle_engine.database))["erasures"] == 0


async def test_ctrl_c_leaves_it_running(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path
) -> None:
    """No worker is running, so the command waits; later the erasure is completed without it."""
    command = begin("erase", "--client", shop.client_id, "--yes", **_env(idle_engine))

    async def begun() -> bool:
        return names.erase_id(shop.client_id, "") in await workflow_ids(idle_engine)

    await eventually(begun)
    command.send(signal.SIGINT)
    done = await asyncio.to_thread(command.ended)

    assert done.returncode == 130
    assert "continues" in done.stderr

    async def ended() -> dict[str, int] | None:
        done = await rows(idle_engine.database, erasures)
        return done[0]["removed"] if done and done[0]["finished_at"] else None

    with process("worker", "worker.py", settings=idle_engine.settings, folder=tmp_path):
        assert (await eventually(ended))["clients"] == 1


@pytest.mark.parametrize(
    ("point", "customer"),
    [
        (f"after:{names.ERASE_ROWS}", CUSTOMER),
        *(
            pytest.param(point, customer, marks=pytest.mark.slow)
            for point, customer in (
                (f"after:{names.ERASE_ROWS}", None),
                (f"after:{names.ERASE_WORKFLOWS}", CUSTOMER),
                (f"after:{names.ERASE_WORKFLOWS}", None),
            )
        ),
    ],
)
async def test_killed_anywhere_it_goes_on(
    idle_engine: LiveEngine,
    shop: Shop,
    tmp_path: Path,
    database_url: str,
    point: str,
    customer: str | None,
) -> None:
    engine = idle_engine
    whose = ["--client", shop.client_id, *(["--customer", customer] if customer else [])]
    with process(
        "dying", "-m", "tests.support.core.crashing_worker", point,
        settings=engine.settings, folder=tmp_path,
    ) as dying:  # fmt: skip
        await _write(engine, shop)
        command = begin("erase", *whose, "--yes", "--json", **_env(engine))

        async def dead() -> bool:
            return dying.exit_code is not None

        await eventually(dead)
        assert dying.exit_code == -signal.SIGKILL
    with process("worker", "worker.py", settings=engine.settings, folder=tmp_path):
        done = await asyncio.to_thread(command.ended)

    assert done.returncode == 0, done.stderr
    removed = json.loads(done.stdout)["removed"]
    assert tables_with(database_url, "canari") == {}
    if customer is None:
        assert await rows(engine.database, clients) == []
        assert await rows(engine.database, engine_events) == []
        assert (removed["clients"], removed["engine_events"]) == (1, 2)
    else:
        assert len(await rows(engine.database, engine_events)) == 2
        assert await rows(engine.database, engine_messages) == []
        assert removed["engine_events, emptied"] == 2
    left = {one for one in await workflow_ids(engine) if one.startswith("event/")}
    assert left == set()
    assert (await only_row(engine.database, erasures))["finished_at"] is not None
