"""Ports are bound, not probed; another process's server is never mistaken for ours."""

import itertools
import os
from pathlib import Path

import pytest

from domain.core.errors import InvalidInput
from embedded import stack as stacks
from embedded.data_folder import DataFolder, StackInfo
from embedded.instance import check_instance
from embedded.ports import PortTaken, free_port, is_free, is_loopback, listening, listens, port_of
from embedded.stack import Stack, StackPorts
from tests.support.core.temporal import TemporalServer


def test_a_port_is_taken_once() -> None:
    with listening() as first:
        assert listens(os.getpid(), port_of(first))
        with pytest.raises(PortTaken, match=f"port {port_of(first)} is in use"):
            listening(port_of(first))
    assert is_free(port_of_closed := free_port())
    assert not listens(os.getpid(), port_of_closed)


@pytest.mark.parametrize("host", ["nowhere.invalid", "192.0.2.1"])
def test_an_address_of_another_machine(host: str) -> None:
    with pytest.raises(InvalidInput, match=f"HOST {host} cannot be listened on"):
        listening(free_port(), host)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True),
        ("0.0.0.0", False), ("::", False), ("192.168.1.7", False), ("localhost.example", False),
    ],
)  # fmt: skip
def test_loopback(host: str, *, expected: bool) -> None:
    assert is_loopback(host) is expected


async def test_another_temporal_on_the_port(
    temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It responds, but belongs to another stack: ours is started again on another port."""
    taken = int(temporal.address.rpartition(":")[2])
    offered = itertools.chain([taken], iter(free_port, None))
    monkeypatch.setattr(stacks, "free_port", lambda: next(offered))
    monkeypatch.delenv("TEMPORAL_ADDRESS", raising=False)
    stack = Stack(DataFolder(tmp_path), StackPorts(), lambda _: None)
    try:
        await stack._start_temporal()

        (child,) = stack._back
        address = stack._env["TEMPORAL_ADDRESS"]
        assert address != temporal.address
        assert listens(child.pid, int(address.rpartition(":")[2]))
    finally:
        stack.stop()


async def test_another_temporal_on_the_port_that_was_asked_for(
    temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEMPORAL_ADDRESS", raising=False)
    taken = int(temporal.address.rpartition(":")[2])
    stack = Stack(DataFolder(tmp_path), StackPorts(temporal=taken), lambda _: None)
    try:
        with pytest.raises(PortTaken, match=f"port {taken} is in use"):
            await stack._start_temporal()
    finally:
        stack.stop()


async def test_nobody_at_the_address_of_the_stack() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    stack = StackInfo(env={"INSTANCE_ID": "ours"}, api_url=url, ui_url="", pids={})

    with pytest.raises(InvalidInput, match="not the API of this stack"):
        await check_instance(stack)
