"""`cli.py serve` as a process, with an HTTP client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from embedded.ports import free_port
from tests.support.core.engine import LiveEngine
from tests.support.core.processes import Process, process
from tests.support.core.waiting import eventually


@asynccontextmanager
async def serving(
    engine: LiveEngine, folder: Path, **env: str
) -> AsyncIterator[tuple[Process, httpx.AsyncClient]]:
    """Start the API, and wait until it responds."""
    port = free_port()
    with process(
        "api", "cli.py", "serve", "--port", str(port),
        settings=engine.settings, folder=folder, **env,
    ) as api:  # fmt: skip
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=40) as http:
            await eventually(lambda: serves(http))
            yield api, http


async def serves(http: httpx.AsyncClient) -> bool:
    try:
        return (await http.get("/healthz")).status_code == 200
    except httpx.TransportError:
        return False
