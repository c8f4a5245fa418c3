"""The mail sender commands; the password is never shown."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import orjson
import pytest

from adapters.seal import FernetSealer, new_seal_key
from store.core.database import Database
from store.integrations.tables import mail_senders
from tests.support.core.command_line import cli, cli_json
from tests.support.core.postgres import PostgresServer
from tests.support.core.rows import only_row

PASSWORD = "CANARY0smtp0password"
SERVER = ("--host", "localhost", "--port", "465", "--username", "contact@shop.example")


@dataclass
class Installation:
    """`said`: the complete output of its commands."""

    env: dict[str, str]
    client_id: str
    said: list[str] = field(default_factory=list)

    def run(self, what: str, *arguments: str, said: str = "", **env: str) -> tuple[int, str]:
        """Return the exit code and the output. An email needs an engine, and none is running."""
        mine = ("mail-sender", what, *arguments, "--client", self.client_id, "--json")
        done = cli(*mine, said=said, **{**self.env, **env})
        self.said += (done.stdout, done.stderr)
        return done.returncode, done.stdout or done.stderr

    async def row(self) -> dict[str, object]:
        database = Database(self.env["DATABASE_URL"])
        try:
            return dict(await only_row(database, mail_senders))
        finally:
            await database.close()


@pytest.fixture
def installed(postgres: PostgresServer) -> Iterator[Installation]:
    with postgres.database() as url:
        env = {
            "DATABASE_URL": url, "SEAL_KEY": new_seal_key(),
            "WEBHOOK_ALLOW_PRIVATE_ADDRESSES": "true", "MAIL_FROM": "support@service.example",
        }  # fmt: skip
        made = cli_json("client", "create", "--brand", "B", "--owner-email", "o@b.example", **env)
        yield Installation(env, made["client_id"])


async def test_set_verify_show_remove(installed: Installation) -> None:
    sealer = FernetSealer(installed.env["SEAL_KEY"])
    assert "has no mail sender" in installed.run("show")[1]
    refused = installed.run("set", "--address", "support@service.example")
    assert "the service's own" in refused[1]
    assert "smtp.host" in installed.run(
        "set", "--address", "a@b.example", *SERVER, WEBHOOK_ALLOW_PRIVATE_ADDRESSES="false"
    )[1]  # fmt: skip

    # Without an engine, the sender is stored, and the output states that no email was sent.
    given = ("set", "--address", "contact@shop.example", *SERVER, "--password")
    code, told = installed.run(*given, said=f"{PASSWORD}\n")
    assert code != 0
    assert "engine_unavailable" in told
    row = await installed.row()
    assert sealer.unseal(str(row["sealed_smtp_password"])).endswith(f"/{PASSWORD}")
    digits = sealer.unseal(str(row["sealed_code"]))

    assert "invalid_sender_code" in installed.run("verify", "abc")[1]
    assert (await installed.row())["code_tries_left"] == 4
    assert orjson.loads(installed.run("verify", digits)[1])["verified"]
    shown = orjson.loads(installed.run("show")[1])
    assert shown["smtp"] == {
        "host": "localhost", "port": 465, "security": "tls", "username": "contact@shop.example"
    }  # fmt: skip
    # The stored password remains valid for the same server, without a new code.
    signed = ("set", "--address", "contact@shop.example", *SERVER, "--signature", "Léa")
    code, told = installed.run(*signed)
    assert (code, orjson.loads(told)["verified"]) == (0, True)
    assert "mail_sender_verified" in installed.run("code")[1]
    code, _ = installed.run(*signed, "--password", SMTP_PASSWORD=PASSWORD[::-1])
    assert code != 0
    assert (await installed.row())["verified_at"] is None

    code, told = installed.run("report", "--group", "answers", "--number", "2")
    assert (code, orjson.loads(told)["number"]) == (0, 2)
    assert installed.run("remove")[0] == 0
    assert (await installed.row())["sealed_smtp_password"] is None
    for said in installed.said:
        assert PASSWORD not in said
        assert PASSWORD[::-1] not in said
        assert "sealed" not in said
