"""Two concurrent stacks never mix; one that other machines can reach grants no developer
privileges."""

import os
import signal
from contextlib import ExitStack
from pathlib import Path

import httpx
import psutil
import pytest

from commands.core.dev import check_host, liberties_of
from domain.core.errors import InvalidInput
from embedded.data_folder import StackInfo, running_stack
from embedded.ports import listening, port_of
from tests.support.core.command_line import cli, cli_json, dev_stack, ready_url
from tests.support.core.engine import GATEWAY
from tests.support.tenants.shop import ORDER_QUESTION


def made_client(data: Path) -> tuple[str, str]:
    """Create a client in this folder's stack, and its key."""
    folder = ("--data", str(data))
    client = cli_json("client", "create", "--brand", "B", "--owner-email", "b@b.example", *folder)
    client_id = client["client_id"]
    key = cli_json("key", "create", "--client", client_id, "--label", "k", *folder)
    cli_json("playbook", "create", "--client", client_id, "--name", "P", *folder)
    return client_id, key["key"]


def asked(url: str, client_id: str, key: str) -> int:
    return httpx.post(
        f"{url}{GATEWAY}",
        json={"client_id": client_id, "message": ORDER_QUESTION},
        headers={"authorization": f"Bearer {key}"},
        timeout=40,
        trust_env=False,
    ).status_code


def open_to_others(data: Path) -> list[Path]:
    """Return what other users of this machine can access, except PostgreSQL's own folder."""
    ours = [path for path in data.rglob("*") if "postgres" not in path.relative_to(data).parts]
    assert {"temporal.db", "logs", "stack.json"} < {path.name for path in ours}
    return [path for path in ours if path.lstat().st_mode & 0o077]


def running(data: Path) -> StackInfo:
    found = running_stack(data)
    assert found is not None
    return found


@pytest.mark.slow
def test_two_stacks_started_at_once(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    with ExitStack() as held:
        # Whatever the shell's umask, files are private from their creation.
        held.callback(os.umask, os.umask(0))
        processes = [held.enter_context(dev_stack(data, "--no-tour")) for data in folders]
        urls = [ready_url(process) for process in processes]
        assert len(set(urls)) == 2
        for data, url in zip(folders, urls, strict=True):
            ready = httpx.get(f"{url}/readyz", timeout=10, trust_env=False).json()
            assert (ready["status"], ready["instance"]) == ("ready", running(data).instance)
            assert url == running(data).api_url
            assert open_to_others(data) == []
        one, two = (made_client(data) for data in folders)
        assert (asked(urls[0], *one), asked(urls[1], *two)) == (200, 200)
        assert (asked(urls[1], *one), asked(urls[0], *two)) == (401, 401)

        processes[0].send_signal(signal.SIGKILL)
        processes[0].wait(10)

        assert asked(urls[1], *two) == 200
        # Its database continued without it; the next command stops it, and finds all its data.
        assert one[0] in cli("client", "list", "--data", str(folders[0])).stdout
    assert [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if str(tmp_path) in " ".join(process.info["cmdline"] or [])
    ] == []


@pytest.mark.slow
def test_liberties_on_a_network(tmp_path: Path) -> None:
    data = tmp_path / "data"
    done = cli("dev", "--data", str(data), HOST="0.0.0.0")

    assert done.returncode == 1
    assert "HOST=0.0.0.0 accepts connections from other machines" in done.stderr
    assert "the demo shop, with its key shown" in done.stderr
    assert not data.exists(), "nothing was started"


@pytest.mark.slow
def test_a_network_that_was_agreed_to(tmp_path: Path) -> None:
    """It starts, up to the port that is already in use."""
    with listening(host="0.0.0.0") as other:
        port = port_of(other)
        folder = ("--data", str(tmp_path / "d"))
        done = cli("dev", "--open-to-network", *folder, HOST="0.0.0.0", PORT=str(port))

    assert f"port {port} is in use" in done.stderr, done.stderr


OFF = {"WEBHOOK_ALLOW_PRIVATE_ADDRESSES": "0", "ALLOW_LOOPBACK_TARGETS": "false"}


@pytest.mark.parametrize(
    ("env", "tour", "found"),
    [
        (OFF, False, 0),
        (OFF, True, 1),
        ({**OFF, "ALLOW_LOOPBACK_TARGETS": "true"}, False, 1),
        ({**OFF, "WEBHOOK_ALLOW_PRIVATE_ADDRESSES": ""}, False, 1),
        ({}, True, 3),
    ],
)
def test_liberties(env: dict[str, str], *, tour: bool, found: int) -> None:
    liberties = liberties_of(env, tour=tour)

    assert len(liberties) == found
    check_host("127.0.0.1", liberties)
    if found:
        with pytest.raises(InvalidInput, match="accepts connections from other machines"):
            check_host("192.168.1.7", liberties)
    else:
        check_host("192.168.1.7", liberties)
