"""The commands for corrections and labelled examples."""

import asyncio
import json
from pathlib import Path

from domain.agent.brain import Category
from store.core.database import Database
from tests.support.core.command_line import cli, cli_json
from tests.support.core.postgres import PostgresServer
from tests.support.learning.corrections import SENT, corrected
from tests.support.tenants.shop import Shop, open_shop


async def _set_up(url: str) -> tuple[Shop, list[str]]:
    database = Database(url)
    try:
        shop = await open_shop(database)
        return shop, [await corrected(database, shop) for _ in range(2)]
    finally:
        await database.close()


def test_from_the_queue_to_a_file(postgres: PostgresServer, tmp_path: Path) -> None:
    with postgres.database() as url:
        shop, (first, second) = asyncio.run(_set_up(url))
        env = {"DATABASE_URL": url}
        client = ("--client", shop.client_id)

        listed = json.loads(cli("correction", "list", *client, "--json", **env).stdout)
        assert [one["correction_id"] for one in listed["corrections"]] == [first, second]
        shown = cli("correction", "show", first, **env).stdout
        assert SENT in shown
        assert "[-" in shown
        accepted: dict[str, object] = dict(
            cli_json(
                "correction", "accept", first, "--classification", Category.PRODUCT_QUESTION,
                "--intent", "return", "--case", "--content", **env,
            )
        )  # fmt: skip
        assert accepted["case_id"]
        assert accepted["content_kind"] == "knowledge"
        again = cli("correction", "dismiss", first, **env)
        assert again.returncode == 1
        assert "correction_decided" in again.stderr
        wrong = tmp_path / "lesson.json"
        wrong.write_text('{"classification": "other", "case": {"name": "x"}}')
        refused = cli(
            "correction", "accept", second, "--classification", "other",
            "--lesson-file", str(wrong), **env,
        )  # fmt: skip
        assert refused.returncode == 1
        assert "case.scenario" in refused.stderr
        assert cli("correction", "dismiss", second, **env).returncode == 0

        file = tmp_path / "examples.jsonl"
        written = cli("example", "export", str(file), *client, "--json", **env)
        assert json.loads(written.stdout)["examples"] == 1
        (example,) = [json.loads(line) for line in file.read_text().splitlines()]
        assert (example["classification"], example["intent"]) == ("product_question", "return")
        assert cli("example", "delete", example["id"], **env).returncode == 0
        gone = json.loads(cli("example", "list", *client, "--json", **env).stdout)
        assert gone["examples"] == []
