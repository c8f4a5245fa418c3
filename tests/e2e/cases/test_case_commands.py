"""The case commands, on a database without a stack."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from domain.cases.starter_cases import STARTER_CASES
from store.core.database import Database
from tests.support.cases.cases import a_case_run
from tests.support.core.command_line import cli, cli_json
from tests.support.core.postgres import PostgresServer
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop, open_shop

CASE = """
name: Colis
scenario: {messages: [{text: "Où est mon colis ?"}]}
expected: {classification: order_status}
"""


@pytest.fixture(scope="module")
def url(postgres: PostgresServer) -> Iterator[str]:
    with postgres.database() as one:
        yield one


async def _prepared(url: str) -> tuple[Shop, str, str]:
    """Create a shop, a run, and a run over its cases."""
    database = Database(url)
    try:
        shop = await open_shop(database)
        ref = await write(database, shop, "Où est mon colis ?")
        return shop, ref.run_id, await a_case_run(database, shop)
    finally:
        await database.close()


def _told(*arguments: str, **at: str) -> dict[str, Any]:
    return dict(cli_json(*arguments, **at))


def test_cases_from_the_command_line(url: str, tmp_path: Path) -> None:
    shop, run_id, case_run_id = asyncio.run(_prepared(url))
    mine, at = ("--client", shop.client_id), {"DATABASE_URL": url}
    file = tmp_path / "case.yaml"
    file.write_text(CASE, encoding="utf-8")

    made = _told("case", "create", str(file), *mine, **at)
    case_id = made["case_id"]
    file.write_text(CASE.replace("Colis", "Paquet"), encoding="utf-8")
    assert _told("case", "change", case_id, str(file), **at)["name"] == "Paquet"
    assert _told("case", "show", case_id, **at)["name"] == "Paquet"
    of_run = _told("case", "from-run", run_id, "--name", "Vrai", **at)
    assert of_run["name"] == "Vrai"
    tried = _told("case", "import", str(STARTER_CASES), *mine, "--dry-run", **at)
    assert (len(tried["cases"]), tried["dry_run"]) == (10, True)
    assert len(_told("case", "import", str(STARTER_CASES), *mine, **at)["cases"]) == 10
    assert len(_told("case", "list", *mine, **at)["cases"]) == 12
    exported = tmp_path / "all.yaml"
    assert cli("case", "export", *mine, "--out", str(exported), **at).returncode == 0
    again = _told("case", "import", str(exported), *mine, **at)["cases"]
    assert {one["outcome"] for one in again} == {"unchanged"}
    assert _told("case", "delete", case_id, **at)["case_id"] == case_id
    refused = cli("case", "show", case_id, **at)
    assert (refused.returncode, "case_not_found" in refused.stderr) == (1, True)
    assert _told("case", "results", case_run_id, **at)["results"] == []
    started = _told("case", "run", *mine, **at)
    assert (started["total"], started["state"]) == (11, "queued")
    busy = cli("case", "run", *mine, **at)
    assert (busy.returncode, "case_run_under_way" in busy.stderr) == (1, True)
