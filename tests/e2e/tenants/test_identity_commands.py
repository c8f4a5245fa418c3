"""Members and session tokens on the command line, and their effect in the API."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from adapters.identity.session import session_verifier
from adapters.identity.session_key import new_session_key
from domain.core.ids import TenantId
from domain.tenants.actor import Actor
from domain.tenants.api_key import KEY_BYTES
from domain.tenants.client import Role
from domain.tenants.user import User
from embedded.data_folder import DataFolder
from services.core.unit_of_work import UnitsOfWork
from services.identity.invitations import invite
from services.tenants.keys import create_key
from store.core.database import Database
from tests.support.core.command_line import cli, cli_json, cli_process
from tests.support.core.engine import settings_of
from tests.support.core.postgres import PostgresServer
from tests.support.core.units import units_on

OWNER = "owner@example.com"


@dataclass(frozen=True)
class Installation:
    env: dict[str, str]
    client_id: str
    owner_id: str


@pytest.fixture(scope="module")
def installed(postgres: PostgresServer) -> Iterator[Installation]:
    """A server's database with one client, whose owner signs in through another provider."""
    with postgres.database() as url:
        env = {"DATABASE_URL": url, "SESSION_KEY": new_session_key()}
        made = cli_json(
            "client", "create", "--brand", "B", "--owner-email", OWNER, "--owner-id", "sub|1", **env
        )
        assert made["owner_user_id"] == "sub|1"
        yield Installation(env, made["client_id"], made["owner_user_id"])


@asynccontextmanager
async def units_of(installed: Installation) -> AsyncIterator[UnitsOfWork]:
    database = Database(installed.env["DATABASE_URL"])
    yield units_on(database)
    await database.close()


def answer(*arguments: str, **env: str) -> dict[str, Any]:
    """Return the answer of a command that lists records."""
    found: dict[str, Any] = json.loads(cli(*arguments, "--json", **env).stdout)
    return found


async def user_of(token: str, session_key: str) -> User:
    verifier = session_verifier(
        settings_of("postgresql://u@h/d", "h:1", session_key=session_key).identity
    )
    assert verifier is not None
    return await verifier.verify(token)


async def test_token(installed: Installation) -> None:
    key = installed.env["SESSION_KEY"]
    for who in (OWNER, "sub|1"):
        made = cli_json("token", "--user", who, **installed.env)
        assert made["user_id"] == "sub|1"
        assert await user_of(made["token"], key) == User("sub|1", is_admin=False)

    bare = cli_process("token", "--user", "staff", "--admin", **installed.env)
    assert await user_of(bare.stdout.strip(), key) == User("staff", is_admin=True)


def test_members(installed: Installation) -> None:
    client = ("--client", installed.client_id)
    added = cli_json(
        "member", "add", *client, "--user", "new@example.com", "--role", "agent", **installed.env
    )
    again = cli_json(
        "member", "add", *client, "--user", "NEW@example.com", "--role", "viewer", **installed.env
    )
    assert again == {**added, "role": "viewer"}
    known = cli_json(
        "member", "add", *client, "--user", "x@example.com", "--user-id", "sub|2",
        "--role", "admin", **installed.env,
    )  # fmt: skip
    assert known["user_id"] == "sub|2"
    removed = cli_json("member", "remove", *client, "--user", "sub|2", **installed.env)
    assert removed["user_id"] == "sub|2"


async def test_keys_of_a_removed_admin(installed: Installation) -> None:
    client, tenant = ("--client", installed.client_id), TenantId(installed.client_id)
    admin = ("--user", "admin@example.com")
    added = cli_json("member", "add", *client, *admin, "--role", "admin", **installed.env)
    async with units_of(installed) as units, units.of(tenant) as work:
        actor = Actor.person(added["user_id"], Role.ADMIN)
        made = await create_key(work, actor, "Caisse", b"k" * KEY_BYTES)
    listed = answer("member", "keys", *client, *admin, **installed.env)
    assert listed["keys"] == [{"id": made.id, "label": "Caisse"}]
    for change in (["remove"], ["add", "--role", "agent"]):
        refused = cli("member", *change, *client, *admin, **installed.env)
        assert (refused.returncode, "revoke or keep them" in refused.stderr) == (1, True)

    cli_json("member", "remove", *client, *admin, "--keys", "revoke", **installed.env)

    assert answer("member", "keys", *client, *admin, **installed.env) == {"keys": []}


@pytest.mark.parametrize("verb", ["accept", "decline"])
async def test_an_invitation_is_answered(installed: Installation, verb: str) -> None:
    other = cli_json(
        "client", "create", "--brand", "Invitée", "--owner-email", f"{verb}@example.com",
        **installed.env,
    )  # fmt: skip
    user = ("--user", f"{verb}@example.com")
    async with units_of(installed) as units, units.of(TenantId(installed.client_id)) as work:
        inviter = Actor.person(installed.owner_id, Role.OWNER)
        made = await invite(work, inviter, f"{verb}@example.com", Role.AGENT, language="fr")
    (listed,) = answer("invitation", "list", *user, **installed.env)["invitations"]
    assert (listed["id"], listed["brand_name"], listed["inviter_email"]) == (made.id, "B", OWNER)
    stranger = cli("invitation", verb, made.id, "--user", OWNER, **installed.env)
    assert (stranger.returncode, "invitation_not_found" in stranger.stderr) == (1, True)

    done = cli_json("invitation", verb, made.id, *user, **installed.env)

    assert done["user_id"] == other["owner_user_id"]
    assert answer("invitation", "list", *user, **installed.env) == {"invitations": []}
    members = answer("member", "list", "--client", installed.client_id, **installed.env)
    joined = {one["email"]: one["role"] for one in members["members"]}
    assert joined.get(f"{verb}@example.com") == ("agent" if verb == "accept" else None)


@pytest.mark.parametrize(
    ("arguments", "env", "named"),
    [
        (["token", "--user", "nobody"], {}, "no such user"),
        (["token", "--user", "x\ny", "--admin"], {}, "visible"),
        (["token", "--user", OWNER], {"SESSION_KEY": ""}, "SESSION_KEY is not set"),
        (["token", "--user", OWNER], {"SESSION_KEY": "TOPSECRET"}, "SESSION_KEY contains no"),
        (["token", "--user", OWNER], {"JWT_JWKS_URL": "https://login.example/"}, "JWT_JWKS_URL"),
        (["member", "add", "--user", "nobody", "--role", "agent"], {}, "no such user"),
        (["member", "add", "--user", OWNER, "--role", "agent"], {}, "owner"),
        (["member", "add", "--user", OWNER, "--user-id", "x", "--role", "agent"], {}, "another"),
        (["member", "remove", "--user", OWNER], {}, "owner"),
        (["member", "remove", "--user", "nobody"], {}, "no such user"),
    ],
)
def test_refused(
    installed: Installation, arguments: list[str], env: dict[str, str], named: str
) -> None:
    client = ["--client", installed.client_id] if arguments[0] == "member" else []

    done = cli(*arguments, *client, **{**installed.env, **env})

    assert done.returncode == 1
    assert named in done.stderr
    assert "Traceback" not in done.stderr
    assert "TOPSECRET" not in done.stderr


def test_no_role_is_the_owners(installed: Installation) -> None:
    done = cli(
        "member", "add", "--client", installed.client_id, "--user", OWNER, "--role", "owner",
        **installed.env,
    )  # fmt: skip

    assert done.returncode == 2


def test_key_of_a_data_folder_is_private_and_stays(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    key = folder.session_key()

    assert DataFolder(tmp_path).session_key() == key
    assert (tmp_path / "session.key").stat().st_mode & 0o077 == 0


def test_lists(installed: Installation) -> None:
    env = installed.env
    client = ("--client", installed.client_id)
    key = cli_json("key", "create", *client, "--label", "till", **env)
    cli_json("key", "revoke", key["key_id"], **env)

    def listed(*arguments: str) -> str:
        return cli_process(*arguments, **env, COLUMNS="80").stdout

    clients = listed("client", "list")
    assert installed.client_id in clients
    assert OWNER in clients
    keys = listed("key", "list", *client)
    assert key["key_id"] in keys
    assert "revoked" in keys
    for shown in (keys, cli("key", "list", *client, "--json", **env).stdout):
        assert key["key"] not in shown
    members = json.loads(cli("member", "list", *client, "--json", **env).stdout)["members"]
    assert (members[0]["user_id"], members[0]["role"]) == ("sub|1", "owner")
    assert OWNER in listed("member", "list", *client)
    assert "no such client" in cli("key", "list", "--client", "nobody", **env).stderr
