"""METRICS_PORT of a worker, whatever the state of its event loop."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import pytest

from adapters.observability import probes as probes_module
from adapters.observability.metrics import Metrics
from adapters.observability.probes import Probes, shown
from adapters.observability.questions import readiness
from embedded.ports import free_port


@dataclass(frozen=True)
class Shown:
    probes: Probes
    url: str

    def get(self, path: str) -> httpx.Response:
        return httpx.get(f"{self.url}{path}", trust_env=False, timeout=10)


@contextmanager
def serving(*, health: bool = True) -> Iterator[Shown]:
    probes, port = Probes(Metrics()), free_port()
    with shown(probes, "127.0.0.1", port, health=health):
        yield Shown(probes, f"http://127.0.0.1:{port}")


async def test_readiness_names_what_is_missing() -> None:
    async def fine() -> str:
        return "ok"

    async def broken() -> str:
        raise RuntimeError("away")

    with serving() as it:
        starting = await asyncio.to_thread(it.get, "/readyz")
        with it.probes.ready_when(readiness({"database": fine, "temporal": broken})):
            missing = await asyncio.to_thread(it.get, "/readyz")
        with it.probes.ready_when(readiness({"database": fine})):
            ready = await asyncio.to_thread(it.get, "/readyz")
            it.probes.draining = True
            draining = await asyncio.to_thread(it.get, "/readyz")
            alive = await asyncio.to_thread(it.get, "/healthz")

    assert (starting.status_code, starting.json()["status"]) == (503, "starting")
    assert missing.status_code == 503
    assert missing.json()["checks"] == {"database": "ok", "temporal": "unavailable"}
    assert (ready.status_code, ready.json()["status"]) == (200, "ready")
    assert (draining.status_code, draining.json()["status"]) == (503, "draining")
    assert (alive.status_code, alive.json()["status"]) == (200, "ok")


async def test_a_loop_that_is_held_is_not_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its metrics are still available."""
    monkeypatch.setattr(probes_module, "_LOOP_TURNS_WITHIN_S", 0.05)
    paths = ("/healthz", "/readyz", "/metrics")
    with serving() as it, it.probes.ready_when(readiness({})), ThreadPoolExecutor() as threads:
        # The loop stays blocked until all requests have been answered.
        held, ready, numbers = threads.map(it.get, paths)

    assert (held.status_code, held.json()) == (503, {"status": "held"})
    assert (ready.status_code, ready.json()["status"]) == (503, "held")
    assert b"engine_event_loop_hold_seconds" in numbers.content


async def test_a_library_that_does_not_answer_hides_nothing_of_ours() -> None:
    with serving(health=False) as it:
        it.probes.library = f"http://127.0.0.1:{free_port()}/metrics"
        numbers = await asyncio.to_thread(it.get, "/metrics")
        other = await asyncio.to_thread(it.get, "/readyz")

    assert numbers.status_code == 200
    assert b"process_open_fds" in numbers.content
    assert other.status_code == 404
