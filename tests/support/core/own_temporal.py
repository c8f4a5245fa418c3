"""A Temporal server for one test, which may stop, kill and restart it with its file."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from embedded.process import Child
from embedded.temporal_server import temporal_command
from tests.support.core.temporal import temporal_answers
from tests.support.core.waiting import eventually


@asynccontextmanager
async def own_temporal(folder: Path, port: int, **dynamic_config: int) -> AsyncIterator[Child]:
    """Create the server. A file in the folder stores its state. `dynamic_config`: the keys have
    `__` instead of a dot."""
    command = temporal_command(database=folder / "temporal.db", port=port, ui_port=None)
    for name, value in dynamic_config.items():
        command += ["--dynamic-config-value", f"{name.replace('__', '.')}={value}"]
    child = Child("temporal", command, log=folder / "temporal.log")
    try:
        await eventually(lambda: temporal_answers(f"127.0.0.1:{port}"))
        yield child
    finally:
        child.send(signal.SIGCONT)  # a stopped process cannot end
        child.terminate()
        child.wait(5)
