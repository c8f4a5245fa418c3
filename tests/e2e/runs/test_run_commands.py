"""The agent's actions and their reasons, on the command line."""

import json
import re
from pathlib import Path

from domain.runs.trace import RunTrace
from store.core.database import Database
from tests.support.core.command_line import cli, cli_json, cli_process
from tests.support.intake.attachments import PHOTO, PROGRAM, keep_attachments
from tests.support.runs.conversation import write
from tests.support.runs.traced_run import CREDENTIAL, TEXT, traced_run
from tests.support.tenants.shop import Shop, open_shop


async def test_run_show(database: Database, database_url: str, shop: Shop) -> None:
    run = await traced_run(database, shop)

    shown = cli("run", "show", run.ref.run_id.lower(), DATABASE_URL=database_url, COLUMNS="120")
    trace = RunTrace.model_validate(
        cli_json("run", "show", run.ref.run_id, DATABASE_URL=database_url)
    )

    assert shown.returncode == 0, shown.stderr
    text = re.sub(r"[\s│]+", " ", shown.stdout)  # a long value continues on the next line
    for fact in (
        run.ref.run_id, TEXT, "order 1042", "49.00 EUR", "Retours (K1, rank 0.610)",
        "refund_request, confidence 0.83", "needs_second, above_per_action", "done", "re_1",
        "first approved by user-1", "decided by user-2", "Bonjour Ann.", "lookup 20 ms",
        "900 tokens in, 80 out, 0.001234 USD",
    ):  # fmt: skip
        assert fact in text, shown.stdout
    assert trace.run_id == run.ref.run_id
    assert trace.reviews[0].decided_by == "user-2"
    for secret in (CREDENTIAL, run.sealed):
        assert secret not in shown.stdout + trace.model_dump_json()


async def test_run_show_of_one_that_has_only_begun(
    database: Database, database_url: str, shop: Shop
) -> None:
    ref = await write(database, shop)

    shown = cli_process("run", "show", ref.run_id, DATABASE_URL=database_url)

    assert shown.returncode == 0, shown.stderr
    assert "received" in shown.stdout
    assert "Brain result" not in shown.stdout


async def test_run_attachment(
    database: Database, database_url: str, shop: Shop, tmp_path: Path
) -> None:
    ref = await write(database, shop)
    kept, refused = await keep_attachments(database, shop.tenant, ref.event_id, PHOTO, PROGRAM)
    file = tmp_path / "photo"

    def taken(attachment_id: str, to: Path) -> str:
        to_file = ("--to", str(to))
        done = cli("run", "attachment", attachment_id, *to_file, DATABASE_URL=database_url)
        return done.stderr if done.returncode else ""

    assert taken(kept.id, file) == ""
    assert file.read_bytes() == PHOTO.data
    assert "file exists" in taken(kept.id, file)
    assert "attachment_not_found" in taken(refused.id, tmp_path / "other")
    trace = RunTrace.model_validate(cli_json("run", "show", ref.run_id, DATABASE_URL=database_url))
    assert [one.id for one in trace.event.attachments] == [kept.id, refused.id]


async def test_run_list(database: Database, database_url: str, shop: Shop) -> None:
    run = await traced_run(database, shop)
    newer = await write(database, shop)
    await write(database, await open_shop(database))
    client = ("--client", shop.client_id)

    def listed(*arguments: str) -> list[str]:
        done = cli("run", "list", *client, *arguments, "--json", DATABASE_URL=database_url)
        return [found["run_id"] for found in json.loads(done.stdout)["runs"]]

    assert listed() == [newer.run_id, run.ref.run_id]
    assert listed("--limit", "1") == [newer.run_id]
    assert listed("--status", "completed") == [run.ref.run_id]
    assert listed("--classification", "complaint") == []
    for columns in ("80", "160"):
        shown = cli("run", "list", *client, DATABASE_URL=database_url, COLUMNS=columns)
        assert run.ref.run_id in shown.stdout
        assert newer.run_id in shown.stdout
    assert "policy_restriction" in shown.stdout


def test_what_is_not_there(database_url: str) -> None:
    for arguments, sentence in (
        (("run", "show", "nothing"), "there is no such run"),
        (("run", "list", "--client", "nothing"), "there is no such client"),
    ):
        done = cli(*arguments, DATABASE_URL=database_url)
        assert (done.returncode, done.stdout) == (1, "")
        assert sentence in done.stderr
