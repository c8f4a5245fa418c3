"""cli.py conversation, used by an operator."""

from collections.abc import Mapping
from pathlib import Path

from store.core.database import Database
from store.runs.tables import conversation_notes, conversation_replies
from tests.support.core.command_line import cli, cli_json
from tests.support.core.rows import only_row, rows
from tests.support.reviews.replies import WORDS, conversation_of
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop


async def test_a_reply_an_undo_and_a_note(
    database: Database, database_url: str, shop: Shop, tmp_path: Path
) -> None:
    env = {"DATABASE_URL": database_url}
    folder = ("--data", str(tmp_path))
    talk = await conversation_of(database, (await write(database, shop)).event_id)

    told = cli_json("conversation", "reply", talk, "--text", WORDS, *folder, **env)
    row = await only_row(database, conversation_replies, of=shop)
    assert (told["reply_id"], row["body"]) == (row["id"], WORDS)
    assert str(row["author"]).startswith("operator:")
    undone = cli_json("conversation", "undo", str(told["reply_id"]), *folder, **env)
    assert undone["text"] == WORDS
    assert await rows(database, conversation_replies, of=shop) == []
    again = cli("conversation", "undo", str(told["reply_id"]), *folder, **env)
    assert (again.returncode, "reply_not_found" in again.stderr) == (1, True)

    added = cli_json("conversation", "note", talk, "--text", "À rappeler.", *folder, **env)
    assert (await only_row(database, conversation_notes, of=shop))["id"] == added["note_id"]
    refused = cli("conversation", "note", talk, "--text", " ", *folder, **env)
    assert "10000 characters at most" in refused.stderr


async def test_conversations_are_listed_shown_and_sorted(
    database: Database, database_url: str, shop: Shop, tmp_path: Path
) -> None:
    env = {"DATABASE_URL": database_url}
    folder = ("--data", str(tmp_path))
    talk = await conversation_of(database, (await write(database, shop, "[b]Allô ?")).event_id)
    cli_json("conversation", "note", talk, "--text", "[i]Vue.", *folder, **env)

    told: Mapping[str, object] = cli_json(
        "conversation", "update", talk, "--status", "closed", "--tag", "vip", *folder, **env
    )
    assert (told["status"], told["tags"]) == ("closed", ["vip"])
    of = ("--client", shop.client_id)
    assert talk in cli("conversation", "list", *of, "--tag", "vip", *folder, **env).stdout
    listed = cli("conversation", "list", *of, "--status", "open", *folder, **env)
    assert (listed.returncode, talk in listed.stdout) == (0, False)
    shown = cli("conversation", "show", talk, *folder, **env).stdout
    for words in ("closed vip", "[b]Allô ?", "[i]Vue."):
        assert words in shown
    refused = cli("conversation", "update", talk, "--status", "snoozed", *folder, **env)
    assert "snoozed_until" in refused.stderr


async def test_several_are_changed(
    database: Database, database_url: str, shop: Shop, tmp_path: Path
) -> None:
    env = {"DATABASE_URL": database_url}
    folder = ("--data", str(tmp_path))
    talks = sorted(
        [
            await conversation_of(
                database, (await write(database, shop, key=f"email:{n}")).event_id
            )
            for n in range(2)
        ]
    )
    told = cli_json("conversation", "update-several", *talks, "--status", "closed", *folder, **env)
    changed = told["conversations"]
    assert isinstance(changed, list)
    assert [(one["conversation_id"], one["status"]) for one in changed] == [
        (talk, "closed") for talk in talks
    ]
    refused = cli("conversation", "update-several", *talks, *folder, **env)
    assert "--status or --assignee" in refused.stderr
