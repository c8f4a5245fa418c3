"""What operators see of an error in real processes: logs, reports, metrics, and no secret."""

import contextlib
import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from embedded.ports import free_port
from store.core.tables import error_reports
from store.runs.tables import engine_runs
from tests.support.core.command_line import answer_of, cli, cli_json, cli_process
from tests.support.core.engine import ENGINE_SECRET, GATEWAY, LiveEngine, settings_of
from tests.support.core.histories import history_bytes
from tests.support.core.postgres import as_owner
from tests.support.core.processes import Process, has_ended, process
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.servers.sentry import sentry_server
from tests.support.tenants.shop import Shop

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJpYmlzIn0.c2lnbmF0dXJlLW9mLWliaXM"
KEY = "ak_0badc0de0badc0de0badc0de0badc0de"
BODY = "ibis-canary-42"
MAIL = "camille.durand@ibis.example"
QUERY = "hunter2-in-the-query"
CANARIES = (KEY, JWT, BODY, MAIL, QUERY, ENGINE_SECRET)

# A database that fails on a message and quotes it, and then returns unreadable rows: the brain's
# step fails in the worker, and the answer in the API, each with the customer's text.
HOSTILE_DATABASE = """
CREATE FUNCTION quote_customers() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE words text;
BEGIN
    SELECT body INTO words FROM public.engine_messages WHERE event_id = NEW.event_id LIMIT 1;
    IF NEW.draft IS NOT NULL THEN RAISE EXCEPTION 'cannot digest %', words; END IF;
    IF NEW.answer IS NOT NULL THEN
        NEW.answer := NEW.answer || jsonb_build_object('confidence', words);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER hostile BEFORE UPDATE ON engine_runs FOR EACH ROW EXECUTE FUNCTION quote_customers();
"""


@dataclass
class Installation:
    """An API and a worker, as processes."""

    api: Process
    worker: Process
    url: str
    api_numbers: str
    worker_numbers: str

    def lines(self) -> list[dict[str, Any]]:
        """Return every line of both logs; fail for a line that is not a JSON object."""
        found = []
        for child in (self.api, self.worker):
            # A thread of a native library may panic while the interpreter ends: PyO3's known race.
            text, _, _ = child.log.read_text().partition("\n\nthread '")
            for line in text.splitlines():
                assert line.startswith("{"), f"{line!r} in:\n{text[-8_000:]}"
                found.append(json.loads(line))
        return found


@asynccontextmanager
async def installed(engine: LiveEngine, folder: Path, **env: str) -> AsyncIterator[Installation]:
    port, api_port, worker_port = free_port(), free_port(), free_port()
    with (
        process(
            "api",
            "cli.py",
            "serve",
            settings=engine.settings,
            folder=folder,
            PORT=str(port),
            METRICS_PORT=str(api_port),
            **env,
        ) as api,
        process(
            "worker",
            "worker.py",
            settings=engine.settings,
            folder=folder,
            METRICS_PORT=str(worker_port),
            **env,
        ) as worker,
    ):
        it = Installation(
            api,
            worker,
            f"http://127.0.0.1:{port}",
            f"http://127.0.0.1:{api_port}/metrics",
            f"http://127.0.0.1:{worker_port}/metrics",
        )
        await eventually(lambda: _ready(it))
        yield it


async def fail_once(engine: LiveEngine, shop: Shop, it: Installation) -> httpx.Response:
    """Send one request that contains every canary and ends in 500."""
    with psycopg.connect(as_owner(engine.settings.database.url), autocommit=True) as connection:
        connection.execute(HOSTILE_DATABASE)
    async with httpx.AsyncClient(trust_env=False, timeout=40) as http:
        answer = await http.post(
            f"{it.url}{GATEWAY}?api_key={QUERY}",
            headers={"x-engine-secret": ENGINE_SECRET, "authorization": f"Bearer {JWT}"},
            json={
                "client_id": shop.client_id,
                "customer_email": MAIL,
                "order_number": "1042",
                "message": f"Où en est ma commande n° 1042 ? {BODY} {KEY} {JWT} {MAIL} {QUERY} "
                f"{ENGINE_SECRET}",
            },
        )
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    return answer


@pytest.mark.parametrize("kind", ["sentry", "table"])
async def test_an_error_is_seen_and_no_secret_is(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path, kind: str
) -> None:
    async with AsyncExitStack() as held:
        sentry = held.enter_context(sentry_server())
        env = {"SENTRY_DSN": sentry.dsn} if kind == "sentry" else {}
        async with installed(idle_engine, tmp_path, **env) as it:
            answer = await fail_once(idle_engine, shop, it)
            numbers = await _numbers(it)
        # Both processes have ended, so their logs are complete.
        run = await only_row(idle_engine.database, engine_runs)
        stored = await rows(idle_engine.database, error_reports)
        assert bool(sentry.events) == (kind == "sentry")
        assert bool(stored) == (kind == "table")
        seen = (
            [(event["transaction"], event["tags"]) for event in sentry.events]
            if kind == "sentry"
            else [(row["place"], row) for row in stored]
        )
        history = await history_bytes(idle_engine.run_of(shop, run["event_id"]))
        places = {
            "logs": (it.api.log.read_text() + it.worker.log.read_text()).encode(),
            "sentry": b"".join(sentry.raw),
            "table": json.dumps(stored, default=str).encode(),
            "history": history,
            "numbers": numbers.encode(),
        }

    # The request, once; and before it the failed draft, and the failed handover to a person.
    failed = "activity event.brain"
    assert sorted(place for place, _ in seen) == [f"POST {GATEWAY}", failed, failed]
    facts = dict(seen)[f"POST {GATEWAY}"]
    assert facts["request_id"] == answer.headers["x-request-id"]
    assert (facts["client_id"], facts["event_id"]) == (shop.client_id, run["event_id"])
    assert facts["code"] == "internal_error"
    for place, content in places.items():
        for canary in CANARIES:
            assert canary.encode() not in content, f"{canary} in {place}"
    assert shop.client_id not in numbers
    _check_lines(it.lines(), answer.headers["x-request-id"], shop, run["event_id"])
    if kind == "table":
        _check_listed(idle_engine.settings.database.url, answer.headers["x-request-id"])


def _check_lines(lines: list[dict[str, Any]], request_id: str, shop: Shop, event_id: str) -> None:
    """Check that the event's id finds both sides of the error."""
    of_event = [line for line in lines if line.get("event_id") == event_id]
    assert {line["client_id"] for line in of_event} == {shop.client_id}
    told = {line["event"].partition(" (")[0]: line for line in of_event}
    assert {"unexpected error", "request", "activity failed", "run failed"} <= set(told)
    assert told["unexpected error"]["request_id"] == request_id
    assert told["unexpected error"]["exception"][0]["type"] == "ValidationError"
    assert told["request"]["path"] == GATEWAY


async def _numbers(it: Installation) -> str:
    """Return both processes' metrics, after checking those of the failed request."""
    async with httpx.AsyncClient(trust_env=False) as http:
        api, worker = [(await http.get(url)).text for url in (it.api_numbers, it.worker_numbers)]
    call = f'method="POST",route="{GATEWAY}"'
    assert f'engine_http_requests_total{{{call},status="500"}} 1.0' in api
    assert f"engine_http_request_duration_seconds_count{{{call}}} 1.0" in api
    assert 'engine_error_reports_total{code="internal_error"} 1.0' in api
    assert "engine_error_reports_dropped_total 0.0" in api
    assert "engine_http_requests_in_flight 0.0" in api
    # On a busy machine, Temporal may repeat the activity.
    normalized = r'engine_activities_total\{activity="event.normalize",outcome="completed"\} [1-9]'
    assert re.search(normalized, worker)
    assert 'engine_activities_total{activity="event.brain",outcome="failed"}' in worker
    assert 'engine_activity_duration_seconds_count{activity="event.brain"}' in worker
    assert "engine_open_reviews 0.0" in api
    assert 'engine_state_known{source="temporal"} 1.0' in api
    assert 'engine_database_pool_size{pool="requests"} 10.0' in api
    assert 'engine_database_pool_size{pool="work"} 10.0' in worker
    assert 'operation="ExecuteMultiOperation"' in api
    assert "temporal_workflow_task_schedule_to_start_latency_seconds_bucket{" in worker
    return api + worker


def _check_listed(database_url: str, request_id: str) -> None:
    """Check that a command shows the reports to operators."""
    done = cli_process("errors", "list", "--json", DATABASE_URL=database_url)
    listed: Any = answer_of(done)["errors"]
    failed = "activity event.brain"
    assert [one["place"] for one in listed] == [f"POST {GATEWAY}", failed, failed]
    assert listed[0]["request_id"] == request_id
    latest: Any = cli_json("errors", "list", "--limit", "1", DATABASE_URL=database_url)["errors"]
    assert latest == listed[:1]

    show = ("errors", "show")
    assert cli_json(*show, listed[0]["id"], DATABASE_URL=database_url) == listed[0]
    assert listed[1]["place"] in cli(*show, listed[1]["id"], DATABASE_URL=database_url).stdout
    assert "there is no such error" in cli(*show, "N", DATABASE_URL=database_url).stderr


async def test_libraries_speak_json_too(
    database_url: str, tmp_path: Path, front: LiveEngine
) -> None:
    """A worker rejected by Temporal exits with one sentence; an API whose Temporal is unavailable
    logs it, and everything outside HTTP, as objects."""
    port = free_port()
    settings = settings_of(front.settings.database.url, "127.0.0.1:1")
    with process(
        "api", "cli.py", "serve", settings=settings, folder=tmp_path, PORT=str(port)
    ) as api:
        url = f"http://127.0.0.1:{port}"
        await eventually(lambda: _status(f"{url}/healthz"))
        assert await _status(f"{url}/readyz") == 503
        async with httpx.AsyncClient(trust_env=False) as http:
            with contextlib.suppress(httpx.HTTPError):
                await http.request("GET", url, headers={"bad header": "x"})
    for line in api.log.read_text().splitlines():
        assert isinstance(json.loads(line), dict), line


@pytest.mark.parametrize("program", [("cli.py", "serve"), ("worker.py",)])
async def test_taken_metrics_port_is_one_sentence(
    front: LiveEngine, tmp_path: Path, program: tuple[str, ...]
) -> None:
    with process(
        "other", "-m", "http.server", "--bind", "127.0.0.1", str(port := free_port()),
        settings=front.settings, folder=tmp_path,
    ):  # fmt: skip
        await eventually(lambda: _status(f"http://127.0.0.1:{port}/"))
        with process(
            "late", *program, settings=front.settings, folder=tmp_path,
            METRICS_PORT=str(port), PORT=str(free_port()),
        ) as late:  # fmt: skip
            await eventually(lambda: has_ended(late))
    assert late.exit_code == 1
    (sentence,) = late.log.read_text().splitlines()
    assert sentence.startswith(f"error: METRICS_PORT {port} cannot be opened")


async def _ready(it: Installation) -> bool:
    assert it.api.exit_code is None, it.api.log_tail()
    assert it.worker.exit_code is None, it.worker.log_tail()
    worker = it.worker_numbers.replace("/metrics", "/readyz")
    return await _status(f"{it.url}/readyz") == 200 and await _status(worker) == 200


async def _status(url: str) -> int | None:
    async with httpx.AsyncClient(trust_env=False, timeout=5) as http:
        try:
            return (await http.get(url)).status_code
        except httpx.TransportError:
            return None
