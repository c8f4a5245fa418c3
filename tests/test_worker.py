"""Checks at the start of worker processes."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from adapters.seal import new_seal_key
from domain.core.errors import InvalidInput
from embedded.ports import free_port
from tests.support.core.command_line import cli, run
from tests.support.core.engine import settings_of
from tests.support.core.forks import ROOT, clean_environment
from tests.support.core.processes import process
from tests.support.core.waiting import eventually
from workers.webhooks import build_sender, canary_of

_UNUSED: Final = (
    "api", "commands", "fastapi", "jinja2", "mcp", "sentry_sdk", "starlette",
    "typer", "uvicorn",
)  # fmt: skip


@pytest.mark.parametrize("queue", ["engine", "webhooks"])
def test_a_worker_loads_nothing_of_the_api(queue: str) -> None:
    program = (
        "import sys\n"
        "from workers import process\n"
        f"process.working_on({queue!r})\n"
        f"found = {{*{_UNUSED}}} & {{*sys.modules}}\n"
        "sys.exit(str(found) if found else 0)\n"
    )
    tried = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert tried.returncode == 0, tried.stderr[-2000:]


def test_the_webhook_worker_loads_neither_brain_nor_mail() -> None:
    program = (
        "import sys\n"
        "from workers import process\n"
        "process.working_on('webhooks')\n"
        "heavy = {'numpy', 'aiosmtplib', 'pydantic_ai', 'fastapi'} & set(sys.modules)\n"
        "brains = [name for name in sys.modules if name.startswith('adapters.brain')]\n"
        "sys.exit(str([heavy, brains]) if heavy or brains else 0)\n"
    )
    tried = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert tried.returncode == 0, tried.stderr[-2000:]


@pytest.mark.parametrize(
    ("queue", "smtp", "warned"),
    [("engine", "", True), ("engine", "smtp://127.0.0.1:1", False), ("webhooks", "", False)],
)
def test_a_missing_mail_server_is_told(queue: str, smtp: str, *, warned: bool) -> None:
    done = run(
        str(ROOT / "worker.py"),
        "--queue",
        queue,
        env=clean_environment(
            DATABASE_URL="postgresql://u:p@127.0.0.1:1/d",
            TEMPORAL_ADDRESS="127.0.0.1:1",
            SEAL_KEY=new_seal_key(),
            SMTP_URL=smtp,
        ),
    )

    assert "no Temporal answers" in done.stderr
    assert ("no mail server" in done.stderr) is warned
    for gap in ("no public address", "no session keys"):
        assert (gap in done.stderr) is (queue == "engine")


async def test_a_missing_mail_server_is_told_by_the_api(tmp_path: Path) -> None:
    settings = settings_of("postgresql://u:p@127.0.0.1:1/d", "127.0.0.1:1")
    port = str(free_port())
    with process(
        "api", "cli.py", "serve", "--port", port, settings=settings, folder=tmp_path
    ) as api:

        async def told() -> bool:
            return "no mail server" in api.log.read_text()

        await eventually(told)


def test_a_queue_that_nobody_works_on_is_refused() -> None:
    tried = cli("worker", "--queue", "mail")

    assert tried.returncode == 1
    assert "engine or webhooks" in tried.stderr


def test_a_file_without_certificates_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "authority.pem"
    file.write_text("no certificate")
    settings = settings_of("postgresql://nowhere/none", "nowhere:1")
    # It was one when the settings were read.
    changed = settings.webhooks.model_copy(update={"ca_file": file})

    with pytest.raises(InvalidInput, match="WEBHOOK_CA_FILE"):
        build_sender(changed)


@pytest.mark.parametrize(
    ("dashboard", "given", "canary"),
    [
        ("https://app.shop.example/dashboard", None, "app.shop.example"),
        ("http://app.shop.example:8080", None, "app.shop.example"),
        ("https://app.shop.example", "canary.example", "canary.example"),
        # Neither needs a resolver.
        ("http://127.0.0.1:8080/dashboard", None, None),
        ("http://localhost:8080/dashboard", None, None),
        ("https://93.184.216.34/dashboard", None, None),
    ],
)
def test_canary_is_a_name_of_the_internet(
    dashboard: str, given: str | None, canary: str | None
) -> None:
    more = {"webhook_canary_host": given} if given else {}
    settings = settings_of(
        "postgresql://nobody@localhost/none", "localhost:1", dashboard_url=dashboard, **more
    )
    assert canary_of(settings) == canary
