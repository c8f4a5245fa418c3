"""cli.py dev and the operator's commands, from an empty folder."""

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from domain.core.errors import InvalidInput
from embedded.ports import free_port, listening
from store.billing.tables import usage_counters
from store.core.database import Database
from store.intake.tables import engine_events
from store.runs.tables import engine_messages, engine_runs
from tests.support.core.command_line import cli, cli_json, dev_stack, ready_url
from tests.support.core.engine import GATEWAY
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop

SECRET = "a secret of dev that nobody guesses"
CALLERS = 16
LOAD_S = 4


@dataclass(frozen=True)
class Running:
    url: str
    data: Path
    metrics: int
    client_id: str
    key: str

    def post(self, **body: object) -> httpx.Response:
        return httpx.post(
            f"{self.url}{GATEWAY}",
            json={"client_id": self.client_id, **body},
            headers={"authorization": f"Bearer {self.key}"},
            timeout=40,
            trust_env=False,
        )


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One stack for this module, with a client created on the command line."""
    data, metrics = tmp_path_factory.mktemp("dev") / "data", _three_free_ports()
    env = {"ENGINE_SECRET": SECRET, "METRICS_PORT": str(metrics)}
    with dev_stack(data, "--no-tour", "--port", str(free_port()), **env) as process:
        url = ready_url(process)
        folder = ("--data", str(data))
        client = cli_json(
            "client", "create", "--brand", "Été & Fils", "--plan", "pro",
            "--owner-email", "owner@example.com", *folder,
        )  # fmt: skip
        assert set(client) == {"client_id", "owner_user_id"}
        client_id = client["client_id"]
        key = cli_json("key", "create", "--client", client_id, "--label", "test", *folder)
        assert set(key) == {"key_id", "key", "key_value"}
        playbook = cli_json(
            "playbook", "create", "--client", client_id, "--name", "All", "--event-type", "*",
            "--threshold", "0.5", *folder,
        )  # fmt: skip
        assert "playbook_id" in playbook
        cli_json(
            "template", "create", "--client", client_id, "--name", "Suivi", "--category",
            "order_status", "--language", "fr", "--body", "Votre commande est en route.", *folder,
        )  # fmt: skip
        yield Running(url, data, metrics, client_id, key["key"])


def test_ticket_is_answered(running: Running) -> None:
    body = running.post(message=ORDER_QUESTION).json()

    assert (body["status"], body["response"]) == ("completed", "Votre commande est en route.")


def test_session_token_of_the_command_line(running: Running) -> None:
    made = cli_json("token", "--user", "owner@example.com", "--data", str(running.data))
    for token, status in ((made["token"], 200), (made["token"][:-4] + "AAAA", 401)):
        signed_in = replace(running, key=token)
        assert signed_in.post(message=ORDER_QUESTION).status_code == status


def test_links_lead_to_this_stack(running: Running) -> None:
    """It listens on another port than the default of links."""
    made = cli_json("token", "--user", "owner@example.com", "--data", str(running.data))
    told = httpx.post(
        f"{running.url}/api/copilot/chat",
        json={"messages": [{"role": "user", "content": "Usage this month"}]},
        headers={"authorization": f"Bearer {made['token']}"},
        timeout=40,
        trust_env=False,
    ).json()

    assert [one["url"] for one in told["citations"]] == [f"{running.url}/app/usage"]


def test_environment_is_passed_on(running: Running) -> None:
    """ENGINE_SECRET was set for dev only; the API that it started knows it."""
    answer = httpx.post(
        f"{running.url}{GATEWAY}",
        json={"client_id": running.client_id, "message": ORDER_QUESTION},
        headers={"x-engine-secret": SECRET},
        timeout=40,
        trust_env=False,
    )

    assert answer.status_code == 200


def test_review_by_command(running: Running) -> None:
    folder = ("--data", str(running.data))
    answer = running.post(
        message="Est-ce que vous vendez des licornes en porcelaine bleue ?"
    ).json()
    assert answer["status"] == "needs_review"

    listed = cli("review", "list", "--client", running.client_id, *folder, "--json")
    reviews = json.loads(listed.stdout)["reviews"]
    assert "licornes" in reviews[-1]["preview"]
    decided = cli_json(
        "review", "approve", reviews[-1]["review_id"], "--text", "Hélas non.", *folder
    )
    assert decided["status"] == "edited"

    again = cli("review", "reject", reviews[-1]["review_id"], *folder)
    assert again.returncode == 1
    assert "review_decided" in again.stderr


def test_playbook_off_and_on(running: Running) -> None:
    folder = ("--data", str(running.data))
    client = cli_json("client", "create", "--brand", "B", "--owner-email", "b@b.example", *folder)
    client_id = client["client_id"]
    key = cli_json("key", "create", "--client", client_id, "--label", "k", *folder)
    playbook = cli_json("playbook", "create", "--client", client_id, "--name", "P", *folder)
    other = replace(running, client_id=client_id, key=key["key"])

    cli_json("playbook", "deactivate", playbook["playbook_id"], *folder)
    assert other.post(message="x").json()["status"] == "no_playbook"
    cli_json("playbook", "activate", playbook["playbook_id"], *folder)
    assert other.post(message="x").json()["status"] == "needs_review"
    cli_json("key", "revoke", key["key_id"], *folder)
    assert other.post(message="x").status_code == 401


def test_plan_and_credits(running: Running) -> None:
    folder = ("--data", str(running.data))
    change = ("client", "set-plan", "--client", running.client_id, *folder)
    lower = cli_json(*change, "--plan", "starter")
    assert (lower["plan"], lower["next_plan"]) == ("pro", "starter"), "it waits for the month's end"
    higher = cli_json(*change, "--plan", "enterprise")
    assert higher["plan"] == "enterprise"
    assert higher["next_plan"] is None
    budget = cli_json(
        "client", "set-brain-budget", "--client", running.client_id, "--usd", "2.5", *folder
    )
    assert budget["usd_a_month"] == 2.5
    trial = cli_json("client", "set-trial", "--client", running.client_id, "--days", "14", *folder)
    assert trial["trial_ends_at"]
    for amount, balance in ((10, 10), (-4, 6)):
        changed = cli_json(
            "credits", "add", "--client", running.client_id, "--amount", str(amount), *folder
        )
        assert int(changed["credits_balance"]) == balance
    refused = cli("credits", "add", "--client", running.client_id, "--amount", "-7", *folder)
    assert (refused.returncode, refused.stdout) == (1, "")


def test_unknown_client_is_one_sentence(running: Running) -> None:
    done = cli("key", "create", "--client", "nobody", "--label", "x", "--data", str(running.data))

    assert done.returncode == 1
    assert done.stderr.strip() == "error: there is no such client (client_not_found: nobody)"


def test_second_stack_on_the_same_folder(running: Running) -> None:
    done = cli("dev", "--no-tour", "--port", str(free_port()), "--data", str(running.data))

    assert done.returncode == 1
    assert "a stack is running on" in done.stderr
    assert "Traceback" not in done.stderr


def test_every_process_shows_its_numbers(running: Running) -> None:
    # one for the API and one for each worker
    for port in range(running.metrics, running.metrics + 3):
        shown = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False)
        assert "engine_" in shown.text


def test_api_docs_need_no_other_host(running: Running) -> None:
    page = httpx.get(f"{running.url}/docs", trust_env=False)

    assert page.status_code == 200
    assert "https://" not in page.text
    # Built on first request, which takes seconds.
    document = httpx.get(f"{running.url}/openapi.json", trust_env=False, timeout=60).json()
    assert {GATEWAY, "/api/billing/usage"} < set(document["paths"])
    (parameter,) = document["paths"][GATEWAY]["post"]["parameters"]
    assert parameter["name"] == "Idempotency-Key"
    assert set(document["components"]["securitySchemes"]) == {
        "bearer", "engineSecret", "internalSecret", "session", "widgetKey",
    }  # fmt: skip


@pytest.mark.slow
async def test_sixteen_callers_at_once(running: Running) -> None:
    """No error, and as many events, runs and messages as answers. Each calls for its own client."""
    url = json.loads((running.data / "stack.json").read_text())["env"]["DATABASE_URL"]
    database = Database(url)
    shops = [await open_shop(database, threshold=0) for _ in range(CALLERS)]
    answers: list[str] = []
    deadline = time.monotonic() + LOAD_S

    async def call(http: httpx.AsyncClient, shop: Shop) -> None:
        while time.monotonic() < deadline:
            answer = await http.post(
                GATEWAY,
                json={
                    "client_id": shop.client_id,
                    "customer_email": f"c{len(answers)}@example.com",
                    "message": ORDER_QUESTION,
                },
                headers=shop.headers,
            )
            assert (answer.status_code, answer.json()["status"]) == (200, "completed")
            answers.append(answer.json()["event_id"])

    async with httpx.AsyncClient(base_url=running.url, timeout=40, trust_env=False) as http:
        await asyncio.gather(*(call(http, shop) for shop in shops))

    assert len(set(answers)) == len(answers) >= CALLERS
    clients = {shop.client_id for shop in shops}
    for table, each in ((engine_events, 1), (engine_runs, 1), (engine_messages, 2)):
        count = sa.select(sa.func.count()).where(table.c.client_id.in_(clients))
        async with database.service() as connection:
            assert await connection.scalar(count) == each * len(answers)
    used = sa.select(sa.func.sum(usage_counters.c.tickets_used)).where(
        usage_counters.c.client_id.in_(clients)
    )
    async with database.service() as connection:
        assert await connection.scalar(used) == len(answers)
    await database.close()


def _three_free_ports() -> int:
    """Return the first of three consecutive free ports."""
    while True:
        port = free_port()
        with suppress(InvalidInput):
            listening(port + 1).close()
            listening(port + 2).close()
            return port
