"""The document of the review routes against the service, as its client's owner."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import httpx

from embedded.ports import free_port
from tests.support.dashboard import ACTIONS, REVIEWS
from tests.support.engine import LiveEngine
from tests.support.identity import session_token
from tests.support.processes import ROOT, process
from tests.support.reviews import open_review
from tests.support.shop import Shop
from tests.support.waiting import eventually

REVIEW_COUNT = 60
EXAMPLES = 20
SEED = 20261121
# Well below what a run has: requests that the document allows and that really were answered.
FLOORS = {
    ("GET", REVIEWS): 15,
    ("GET", f"{REVIEWS}/ID"): 5,
    **{("POST", f"{REVIEWS}/ID/{what}"): 3 for what in ACTIONS},
}


async def test_the_review_routes_keep_to_their_document(
    front: LiveEngine, shop: Shop, tmp_path: Path
) -> None:
    settings, port = front.settings, free_port()
    assert settings.session_key is not None
    ids = [await open_review(front.database, shop) for _ in range(REVIEW_COUNT)]
    serve = ("-m", "tests.support.patient_api", "serve", "--port", str(port))
    key = settings.session_key.get_secret_value()
    with process("api", *serve, settings=settings, folder=tmp_path, SESSION_KEY=key):
        url = f"http://127.0.0.1:{port}"
        await eventually(lambda: _is_ready(url))
        done = await asyncio.to_thread(
            subprocess.run,
            [
                str(Path(sys.executable).with_name("schemathesis")),
                "--config-file", str(Path(__file__).with_name("reviews.toml")),
                "run", f"{url}/openapi.json",
                "--include-path-regex", f"^{REVIEWS}",
                "--header", f"Authorization: Bearer {session_token(settings, shop.owner_user_id)}",
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
                "SCHEMATHESIS_HOOKS": "tests.contract.review_hooks",
                "CONTRACT_CLIENT_ID": shop.client_id,
                "CONTRACT_REVIEW_IDS": ",".join(ids),
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )  # fmt: skip

    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    answers = _answers(tmp_path / "api.log")
    for (method, path), floor in FLOORS.items():
        assert answers[method, path, 200] >= floor, answers
    assert not [answer for answer in answers if answer[2] >= 500], answers


def _answers(log: Path) -> Counter[tuple[str, str, int]]:
    """How often the API gave which status on which route."""
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    return Counter(
        (line["method"], re.sub("/[0-9A-Z]{26}", "/ID", line["path"]), line["status"])
        for line in lines
        if line["event"] == "request"
    )


async def _is_ready(url: str) -> bool:
    async with httpx.AsyncClient(trust_env=False) as http:
        try:
            return (await http.get(f"{url}/healthz")).status_code == 200
        except httpx.TransportError:
            return False
