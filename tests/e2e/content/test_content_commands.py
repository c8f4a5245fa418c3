"""The template and knowledge commands."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from unittest.mock import ANY

import pytest

from domain.core.ids import TenantId
from domain.tenants.actor import Actor
from services.content.suggestions import suggest
from store.core.database import Database
from tests.support.content.suggestions import ENTRY
from tests.support.core.command_line import answer_of, cli, cli_json, cli_process
from tests.support.core.postgres import PostgresServer
from tests.support.core.units import units_on

BODY = "Hello {{ customer_name | there }}, {{ order_number }} is at {{ parcel_shop }} [b]now[/b]."


@dataclass(frozen=True)
class Installation:
    url: str
    client_id: str

    @property
    def of_client(self) -> tuple[str, str]:
        return ("--client", self.client_id)

    def listed(self, group: str, key: str) -> list[dict[str, str]]:
        done = cli(group, "list", *self.of_client, "--json", DATABASE_URL=self.url)
        assert done.returncode == 0, done.stderr
        found: list[dict[str, str]] = json.loads(done.stdout)[key]
        return found


@pytest.fixture
def installed(postgres: PostgresServer) -> Iterator[Installation]:
    with postgres.database() as url:
        client = (
            "client",
            "create",
            "--brand",
            "B",
            "--owner-email",
            "o@b.example",
            "--no-templates",
        )
        yield Installation(url, cli_json(*client, DATABASE_URL=url)["client_id"])


def test_templates(installed: Installation) -> None:
    create = (
        "template", "create", *installed.of_client, "--name", "Where is it", "--language", "en",
        "--category", "order_status", "--body",
    )  # fmt: skip
    env = {"DATABASE_URL": installed.url}
    made: dict[str, object] = dict(cli_json(*create, BODY, **env))
    assert made["needs"] == ["parcel_shop"]
    said = cli_process(*create, BODY, **env).stdout
    assert said.startswith("Template added. It needs the fields: parcel_shop.")
    assert "fields" not in cli(*create, "Hi {{ order_number }}", **env).stdout

    first, second, _ = installed.listed("template", "templates")
    assert first == {
        "template_id": made["template_id"], "name": "Where is it", "category": "order_status",
        "language": "en", "body": BODY, "is_active": True, "needs": ["parcel_shop"],
        "intent": None, "not_for": [], "is_starter": False,
        "created_at": first["created_at"], "updated_at": None,
    }  # fmt: skip
    shown = cli("template", "list", *installed.of_client, COLUMNS="80", **env).stdout
    assert first["template_id"] in shown
    assert "[b]now[/b]" in "".join(shown.split())

    update = ("template", "update", first["template_id"], *installed.of_client)
    assert not cli_json(*update, "--off", "--body", "Hi.", **env)["needs"]
    changed = installed.listed("template", "templates")[0]
    assert changed == {
        **first, "body": "Hi.", "needs": [], "is_active": False,
        "updated_at": changed["updated_at"],
    }  # fmt: skip
    cli_json(*update, "--intent", "track_order", "--not-for", "customs", "--not-for", "vat", **env)
    shown_now = installed.listed("template", "templates")[0]
    assert [shown_now["intent"], *shown_now["not_for"]] == ["track_order", "customs", "vat"]
    cli_json(*update, "--no-intent", **env)
    assert installed.listed("template", "templates")[0]["intent"] is None
    assert "nothing to change" in cli(*update, **env).stderr
    assert "cannot be read as a placeholder" in cli(*update, "--body", "{{ a b }}", **env).stderr

    delete = ("template", "delete", first["template_id"], *installed.of_client)
    cli_json(*delete, **env)
    assert installed.listed("template", "templates")[0] == second
    assert "content_not_found" in cli(*delete, **env).stderr
    assert "content_not_found" in cli(*update, "--on", **env).stderr


@pytest.mark.parametrize(
    "body", ["Hi {{ refnd_amount for order", "Hi {{ a b }}", "{% if x %}Hi{% endif %}"]
)
def test_what_is_no_placeholder_is_refused(installed: Installation, body: str) -> None:
    done = cli(
        "template", "create", *installed.of_client, "--name", "N", "--language", "en",
        "--category", "other", "--body", body, DATABASE_URL=installed.url,
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot be read as a placeholder" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert installed.listed("template", "templates") == []


def test_knowledge(installed: Installation) -> None:
    env = {"DATABASE_URL": installed.url}
    create = (
        "knowledge", "create", *installed.of_client, "--title", "Hours", "--body", "From 9 to 5.",
        "--language", "en", "--json",
    )  # fmt: skip
    made = answer_of(cli_process(*create, **env))
    assert installed.listed("knowledge", "knowledge") == [
        {
            **made, "title": "Hours", "body": "From 9 to 5.", "language": "en",
            "created_at": ANY, "updated_at": None, "source_url": None,
            "source_read_at": None, "source_changed_at": None, "source_integration_id": None,
        }
    ]  # fmt: skip
    update = ("knowledge", "update", made["knowledge_id"], *installed.of_client)
    cli_json(*update, "--body", "From 10 to 4.", **env)
    (changed,) = installed.listed("knowledge", "knowledge")
    assert (changed["title"], changed["body"]) == ("Hours", "From 10 to 4.")
    assert "nothing to change" in cli(*update, **env).stderr
    shown = cli("knowledge", "list", *installed.of_client, **env).stdout
    assert made["knowledge_id"] in shown

    other = cli_json("client", "create", "--brand", "C", "--owner-email", "c@c.example", **env)
    delete = ("knowledge", "delete", made["knowledge_id"], "--client")
    refused = cli(*delete, other["client_id"], **env)
    assert (refused.returncode, "content_not_found" in refused.stderr) == (1, True)
    assert len(installed.listed("knowledge", "knowledge")) == 1
    cli_json(*delete, installed.client_id, **env)
    assert installed.listed("knowledge", "knowledge") == []


def test_suggestions(installed: Installation) -> None:
    env = {"DATABASE_URL": installed.url}
    kept = [asyncio.run(_suggested(installed)) for _ in range(2)]
    waiting = installed.listed("suggestion", "suggestions")
    assert [one["suggestion_id"] for one in waiting] == kept
    assert ENTRY.title in cli("suggestion", "list", *installed.of_client, **env).stdout

    accepted = cli_json("suggestion", "accept", kept[0], *installed.of_client, **env)
    refused = cli_json("suggestion", "refuse", kept[1], *installed.of_client, **env)

    assert accepted["title"] == ENTRY.title
    assert [one["knowledge_id"] for one in installed.listed("knowledge", "knowledge")] == [
        accepted["knowledge_id"]
    ]
    assert refused["suggestion_id"] == kept[1]
    assert installed.listed("suggestion", "suggestions") == []
    again = cli("suggestion", "accept", kept[0], *installed.of_client, **env)
    assert again.returncode == 1


async def _suggested(installed: Installation) -> str:
    database = Database(installed.url)
    try:
        async with units_on(database).of(TenantId(installed.client_id)) as work:
            return (await suggest(work, Actor.key("k"), ENTRY, "asked twice")).id
    finally:
        await database.close()


def test_a_preview_saves_nothing(installed: Installation) -> None:
    env = {"DATABASE_URL": installed.url}
    create = (
        "knowledge", "create", *installed.of_client, "--title", "Hours", "--body", "From 9 to 5.",
        "--language", "en",
    )  # fmt: skip
    started = cli_json(*create, "--preview", **env)
    assert (str(started["total"]), len(started["case_run_id"])) == ("0", 26)
    assert "case_run_under_way" in cli(*create, "--preview", **env).stderr
    assert installed.listed("knowledge", "knowledge") == []
