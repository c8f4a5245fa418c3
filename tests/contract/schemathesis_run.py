"""A schemathesis run with all checks against a running API."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import httpx

from tests.support.core.deadlines import SLOW_S
from tests.support.core.forks import ROOT

_SEED = 20261121
_FIRST = ("--phases", "examples,fuzzing", "--max-examples", "4")


Answers = Counter[tuple[str, str, int]]
"""How often the API returned each status on each route; ids in paths are /ID."""


async def run_schemathesis(
    url: str,
    folder: Path,
    *options: str,
    token: str,
    config: str,
    hooks: str,
    whole: bool,
    examples: int,
    **environment: str,
) -> Answers:
    """Fail if a check failed. `whole`: run all phases, instead of a short test of each route.
    `examples`: the number per route in a complete run. `environment`: for the hooks, in capitals
    after CONTRACT_. `folder` contains the API's log, which shows that requests were really
    processed: a run in which all are rejected finds nothing."""
    async with httpx.AsyncClient(trust_env=False, timeout=SLOW_S) as http:
        # Built on first request. Schemathesis waits ten seconds for it.
        (await http.get(f"{url}/openapi.json")).raise_for_status()
    done = await asyncio.to_thread(
        subprocess.run,
        [
            str(Path(sys.executable).with_name("schemathesis")),
            "--config-file", str(Path(__file__).with_name(config)),
            "run", f"{url}/openapi.json", *options,
            "--header", f"Authorization: Bearer {token}",
            "--checks", "all",
            *(("--max-examples", str(examples)) if whole else _FIRST),
            "--seed", str(_SEED),
            "--request-timeout", "40",
            "--continue-on-failure",
            # It measures the machine: beside other tests, generation is slow.
            "--suppress-health-check=too_slow",
            "--no-color",
        ],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": str(ROOT),
            "SCHEMATHESIS_HOOKS": f"tests.contract.{hooks}",
            **{f"CONTRACT_{name.upper()}": value for name, value in environment.items()},
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=SLOW_S - 30,
    )  # fmt: skip
    log = folder / "api.log"
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:] + _failures(log)
    answers = _answers(log)
    assert not [answer for answer in answers if answer[2] >= 500], answers
    return answers


def _answers(log: Path) -> Answers:
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    return Counter(
        (line["method"], re.sub("/[0-9A-Z]{26}", "/ID", line["path"]), line["status"])
        for line in lines
        # The fixture asks /readyz until the worker polls, and gets 503 until then.
        if line["event"] == "request" and line["path"] != "/readyz"
    )


def _failures(log: Path) -> str:
    """Return what the API logged about failed requests, which their responses do not contain."""
    lines = [line for line in log.read_text().splitlines() if '"level": "error"' in line]
    return "\n".join(["", "The API's log:", *lines[-10:]])


async def is_ready(url: str, *, workers: bool = False) -> bool:
    """Return whether the API serves requests, and with `workers` also whether workers poll."""
    path = "/readyz" if workers else "/healthz"
    async with httpx.AsyncClient(trust_env=False) as http:
        try:
            return (await http.get(f"{url}{path}")).status_code == 200
        except httpx.TransportError:
            return False
