"""The served OpenAPI document against the service: schemathesis with all its checks, bounded."""

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import httpx

from embedded.ports import free_port
from tests.support.admission import admit_event
from tests.support.engine import LiveEngine
from tests.support.identity import session_token
from tests.support.processes import ROOT, process
from tests.support.shop import Shop
from tests.support.waiting import eventually

EXAMPLES = 60
SEED = 20261121
# About half of what a run has: requests that the document allows and that really were answered.
FLOORS = {
    ("POST", "/api/engine/gateway"): 60,
    ("GET", "/api/billing/usage"): 30,
    # They share 120 requests a minute, and the first route takes most of them.
    ("GET", "/api/dashboard/runs"): 20,
    ("GET", "/api/dashboard/runs/{run_id}"): 1,
}


async def test_the_service_keeps_to_its_document(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path
) -> None:
    """Real processes, real HTTP: no 5xx, no answer that the document does not name.

    The API's own log tells that requests came as far as an answer: a run in which all of them are
    refused finds nothing wrong either. The owner's session token opens every route.
    """
    settings, port = idle_engine.settings, free_port()
    assert settings.session_key is not None
    token = session_token(settings, shop.owner_user_id)
    run_id = (await admit_event(idle_engine.database, shop)).ref.run_id
    serve = ("cli.py", "serve", "--port", str(port))
    with (
        process(
            "api",
            *serve,
            settings=settings,
            folder=tmp_path,
            DRY_RUN_LIMIT="10000",
            SESSION_KEY=settings.session_key.get_secret_value(),
        ),
        process("worker", "worker.py", settings=settings, folder=tmp_path),
    ):
        url = f"http://127.0.0.1:{port}"
        await eventually(lambda: _is_ready(url))
        done = await asyncio.to_thread(
            subprocess.run,
            [
                str(Path(sys.executable).with_name("schemathesis")),
                "--config-file", str(Path(__file__).with_name("schemathesis.toml")),
                "run", f"{url}/openapi.json",
                "--exclude-path-regex", "^/api/dashboard/reviews",
                "--header", f"Authorization: Bearer {token}",
                "--checks", "all",
                "--max-examples", str(EXAMPLES),
                "--seed", str(SEED),
                "--request-timeout", "40",
                "--continue-on-failure",
                "--no-color",
            ],
            cwd=tmp_path,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path),
                "PYTHONPATH": str(ROOT),
                "SCHEMATHESIS_HOOKS": "tests.contract.schemathesis_hooks",
                "CONTRACT_CLIENT_ID": shop.client_id,
                "CONTRACT_RUN_ID": run_id,
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )  # fmt: skip

    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    answers = _answers(tmp_path / "api.log", run_id)
    for (method, path), floor in FLOORS.items():
        assert answers[method, path, 200] >= floor, answers
    assert not [answer for answer in answers if answer[2] >= 500], answers


def _answers(log: Path, run_id: str) -> Counter[tuple[str, str, int]]:
    """How often the API gave which status on which route."""
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    return Counter(
        (line["method"], line["path"].replace(run_id, "{run_id}"), line["status"])
        for line in lines
        if line["event"] == "request"
    )


async def _is_ready(url: str) -> bool:
    async with httpx.AsyncClient(trust_env=False) as http:
        try:
            return (await http.get(f"{url}/healthz")).status_code == 200
        except httpx.TransportError:
            return False
