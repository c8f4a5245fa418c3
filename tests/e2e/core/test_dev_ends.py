"""cli.py dev ends, or does not start; commands that need no running stack."""

import json
import signal
import socket
import time
from pathlib import Path

import psutil
import pytest

from embedded.data_folder import DataFolder
from embedded.ports import free_port
from embedded.postgres import EmbeddedPostgres
from tests.support.core.command_line import cli, cli_json, dev_stack, ready_url
from tests.support.core.deadlines import SLOW_S

ENDS_WITHIN_S = 15


@pytest.mark.timeout(SLOW_S)
def test_ctrl_c_ends_every_process_and_keeps_the_data(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with dev_stack(data, "--no-tour", "--port", str(free_port())) as process:
        ready_url(process)
        started = psutil.Process(process.pid).children(recursive=True)
        pids = json.loads((data / "stack.json").read_text())["pids"]
        assert set(pids) == {"temporal", "mail", "worker", "webhook-worker", "api"}
        client = cli_json(
            "client", "create", "--brand", "B", "--owner-email", "b@b.example", "--data", str(data)
        )

        asked = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(ENDS_WITHIN_S)

        assert time.monotonic() - asked < ENDS_WITHIN_S
        assert process.returncode == 0
    assert [child for child in started if child.is_running()] == []
    assert _postgres_of(data) == []

    # The command starts the database left by the stack. (test_webhooks.py covers a second start on
    # a folder.)
    key = cli_json(
        "key", "create", "--client", client["client_id"], "--label", "x", "--data", str(data)
    )
    assert key["key"].startswith("ak_")


def test_commands_work_without_a_running_stack(tmp_path: Path) -> None:
    """The embedded database is started for the duration of the command."""
    data = tmp_path / "data"
    with EmbeddedPostgres(DataFolder(data).postgres):
        pass  # a stack existed there

    client = cli_json(
        "client", "create", "--brand", "B", "--owner-email", "b@b.example", "--data", str(data)
    )

    assert client["client_id"]
    assert _postgres_of(data) == []


def test_port_in_use_is_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = cli("dev", "--no-tour", "--port", str(port), "--data", str(tmp_path / "data"))

    assert done.returncode == 1
    assert f"port {port} is in use" in done.stderr
    assert "Traceback" not in done.stderr


def test_unwritable_folder_is_one_sentence(tmp_path: Path) -> None:
    """A file in the folder's place, which is unwritable even for root."""
    (tmp_path / "file").write_text("")

    done = cli("dev", "--no-tour", "--data", str(tmp_path / "file" / "data"))

    assert done.returncode == 1
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def _postgres_of(data: Path) -> list[int]:
    """Return the processes that still serve this folder's database."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if str(data) in " ".join(process.info["cmdline"] or [])
    ]
