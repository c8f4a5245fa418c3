"""cli.py review, used by two operators."""

import json
from collections.abc import Mapping
from pathlib import Path

from adapters.system import utc_now
from domain.reviews.escalation import Choice, Decision
from domain.tenants.client import Role
from store.core.database import Database
from store.reviews.escalations import EscalationRepository
from tests.support.core.command_line import answer_of, cli, cli_json, cli_process
from tests.support.reviews.conversations import converse, write_and_join
from tests.support.reviews.reviews import DRAFT, open_review, refund
from tests.support.reviews.saved_views import saved_view
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop


async def test_two_people_on_the_command_line(
    database: Database, database_url: str, shop: Shop, tmp_path: Path
) -> None:
    env = {"DATABASE_URL": database_url}
    folder = ("--data", str(tmp_path))
    async with database.service() as connection:
        await join(connection, shop.client_id, "anna", Role.AGENT)
    plain = await open_review(database, shop, text="[red]Une question[/red] simple")
    money = await open_review(database, shop, plan=(refund(4990),), needs_second=True)

    def reviews(*options: str) -> list[str]:
        listed = cli("review", "list", *options, "--json", *folder, **env)
        assert listed.returncode == 0, listed.stderr
        return [review["review_id"] for review in json.loads(listed.stdout)["reviews"]]

    assert reviews("--client", shop.client_id) == [plain, money]
    assert reviews("--min-amount", "4990") == [money]

    claimed = cli_json("review", "claim", money, "--as", "anna", *folder, **env)
    assert claimed["claimed_by"] == "anna"
    refused = cli("review", "approve", money, "--as", "ben", *folder, **env)
    assert (refused.returncode, "review_claimed" in refused.stderr) == (1, True)
    assert "anna has claimed" in refused.stderr
    first: Mapping[str, object] = cli_json(
        "review", "approve", money, "--as", "anna", *folder, **env
    )
    assert (first["status"], first["awaiting_second"]) == ("pending", True)
    again = cli("review", "approve", money, "--as", "anna", *folder, **env)
    assert "second_person_required" in again.stderr

    shown = cli("review", "show", money, *folder, **env).stdout
    for words in (DRAFT, "49.90 EUR", "anna", "refund needs_second", "order 1042"):
        assert words in shown
    assert "[red]Une question[/red]" in cli("review", "show", plain, *folder, **env).stdout

    second: Mapping[str, object] = cli_json("review", "approve", money, *folder, **env)
    assert (second["status"], second["signalled"]) == ("approved", False)
    assert cli_json("review", "show", money, *folder, **env)["decided_by"].startswith("operator:")
    cli_json("review", "reject", plain, "--note", "Merci.", *folder, **env)
    assert reviews() == []
    assert reviews("--status", "rejected") == [plain]


async def test_a_conversation_that_moved_on(
    database: Database, database_url: str, shop: Shop, tmp_path: Path
) -> None:
    """`show` lists the new messages and how to approve; without the latest message, an approval is
    rejected."""
    env = {"DATABASE_URL": database_url}
    folder = ("--data", str(tmp_path))
    plain = await open_review(database, shop)
    review_id = await open_review(database, shop, draft="", sensitive="health")
    conversation_id = await converse(database, shop, review_id)
    latest = await write_and_join(database, shop, conversation_id, "[b]Allô ?[/b]")

    shown = cli("review", "show", review_id, *folder, **env).stdout
    for words in ("[b]Allô ?[/b]", f"--message {latest}", "health", "words are needed"):
        assert words in shown
    listed = cli("review", "list", *folder, **env).stdout
    assert listed.index(review_id) < listed.index(plain)
    assert listed.count("words are needed") == 1
    urgent = cli("review", "list", "--urgent", "--json", *folder, **env)
    assert [it["review_id"] for it in json.loads(urgent.stdout)["reviews"]] == [review_id]

    approve = ("review", "approve", review_id, "--text", "Bonjour.")
    refused = cli(*approve, *folder, **env)
    assert (refused.returncode, "conversation_moved_on" in refused.stderr) == (1, True)
    missing = cli(*approve[:3], "--message", latest, *folder, **env)
    assert "draft_missing" in missing.stderr
    done = cli_json(*approve, "--message", latest, *folder, **env)
    assert done["status"] == "edited"


async def test_a_users_mail_address_is_the_user(
    database: Database, database_url: str, shop: Shop, tmp_path: Path
) -> None:
    """A person who approved over HTTP is not a second person on the command line."""
    env = {"DATABASE_URL": database_url}
    money = await open_review(database, shop, plan=(refund(4990),), needs_second=True)
    async with database.service() as connection:
        await join(connection, shop.client_id, "anna", Role.AGENT)
    async with database.tenant(shop.tenant) as connection:
        await EscalationRepository(connection, shop.tenant).decide(
            money, Choice(Decision.APPROVE, shop.owner_user_id), utc_now()
        )
    approve = ("review", "approve", money, "--data", str(tmp_path), "--as")

    for same in (shop.owner_user_id, f"{shop.client_id}@Example.com"):
        refused = cli_process(*approve, same, **env)
        assert (refused.returncode, "second_person_required" in refused.stderr) == (1, True)
    approved = answer_of(cli_process(*approve, "anna@example.com", "--json", **env))
    assert approved["status"] == "approved"


async def test_the_inbox_on_the_command_line(
    database: Database, database_url: str, shop: Shop, tmp_path: Path
) -> None:
    env = {"DATABASE_URL": database_url}
    client = ("--client", shop.client_id, "--data", str(tmp_path))
    review, other = [await open_review(database, shop) for _ in range(2)]
    talk = await converse(database, shop, review)
    view = await saved_view(database, shop, "Plaintes", classification="complaint")

    def reviews(*options: str) -> list[str]:
        found = cli("inbox", "list", *options, "--json", *client, **env)
        assert found.returncode == 0, found.stderr
        return [one["review_id"] for one in json.loads(found.stdout)["tickets"]]

    assert reviews() == [review, other]
    assert reviews("--view", view) == []
    assert "Plaintes" in cli("inbox", "views", *client, **env).stdout
    unknown = cli("inbox", "list", "--view", talk, *client, **env)
    assert (unknown.returncode, "inbox_view_not_found" in unknown.stderr) == (1, True)
    done = cli_json(
        "inbox", "change", "reject", "--review", other, "--conversation", talk, "--note", "Non",
        *client, **env,
    )  # fmt: skip
    assert [int(done[name]) for name in ("changed", "to_decide")] == [2, 0]
    assert review not in reviews("--view", "needs")
    assert sorted(reviews("--view", "decided")) == sorted([review, other])
