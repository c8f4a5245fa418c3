"""The processes of docker-compose.yml come up with what .env.example requires, and a user signs in.
They run without containers, on the tests' servers."""

import asyncio
import dataclasses
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import cast

import httpx
import pytest

from embedded.ports import free_port
from tests.support.core.compose_file import (
    Service,
    environment,
    example_values,
    interpolated,
    ours,
    words,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.forks import ROOT, clean_environment
from tests.support.core.processes import Process, has_ended
from tests.support.core.waiting import eventually
from tests.support.identity.sign_in import sign_up
from tests.support.servers.mail import MailServer

pytestmark = pytest.mark.slow

STARTS_WITHIN_S = 120


def variables(
    name: str, service: Service, engine: LiveEngine, mail: MailServer, folder: Path
) -> dict[str, str]:
    """Return the container's environment, with the addresses of the tests' servers."""
    given = {
        key: interpolated(str(value), example_values())
        for key, value in environment(service).items()
    }
    return given | {
        "DATABASE_URL": engine.settings.database.url,
        "TEMPORAL_ADDRESS": engine.settings.temporal.address,
        "TEMPORAL_NAMESPACE": engine.settings.temporal.namespace,
        "SMTP_URL": mail.url,
        "HOST": "127.0.0.1",
        "PORT": str(free_port()),
        "METRICS_HOST": "127.0.0.1",
        "METRICS_PORT": str(free_port()),
        "ERROR_SPOOL": str(folder / f"{name}-reports"),
    }


async def is_healthy(service: Service, env: Mapping[str, str]) -> bool:
    """Run the container's health check."""
    program = words(cast("Service", service["healthcheck"]), "test")[-1]
    program = program.replace(":8080/", f":{env['PORT']}/")
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", program],
        env=clean_environment(METRICS_PORT=env["METRICS_PORT"]),
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


async def test_an_installation_comes_up_and_a_user_signs_in(
    idle_engine: LiveEngine, mail: MailServer, tmp_path: Path
) -> None:
    serving = {name: one for name, one in ours().items() if name != "migrate"}
    env = {name: variables(name, one, idle_engine, mail, tmp_path) for name, one in serving.items()}
    with ExitStack() as held:
        started: dict[str, Process] = {}
        for name, service in serving.items():
            started[name] = Process(
                *words(service)[1:],
                log=tmp_path / f"{name}.log",
                env=clean_environment(PYTHONPATH=str(ROOT), **env[name]),
            )
            held.callback(started[name].terminate)
        for name, service in serving.items():
            await eventually(partial(is_healthy, service, env[name]), STARTS_WITHIN_S)

        url = f"http://127.0.0.1:{env['api']['PORT']}"
        async with httpx.AsyncClient(base_url=url, timeout=40) as http:
            account = await sign_up(dataclasses.replace(idle_engine, http=http), mail)
            me = await http.get("/api/dashboard/me", headers=account.headers)

        for child in started.values():
            child.terminate()
        for child in started.values():
            await eventually(partial(has_ended, child), 60)

    assert account.client_id
    assert me.status_code == 200, me.text
    assert {name: child.exit_code for name, child in started.items()} == dict.fromkeys(started, 0)
