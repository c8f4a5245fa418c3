"""Waiting work in Prometheus: queried on each scrape, and unknown if a query fails."""

import asyncio
from collections.abc import Sequence

from prometheus_client import generate_latest

from adapters.observability.metrics import Metrics
from adapters.observability.state import Number, state_shown


async def test_numbers_are_asked_for_once_and_together() -> None:
    metrics, asked = Metrics(), 0

    async def waits() -> Sequence[Number]:
        nonlocal asked
        asked += 1
        labels = {"queue": "engine", "work": "workflows"}
        return Number("open_reviews", 3), Number("task_queue_backlog", 7, labels)

    async def away() -> Sequence[Number]:
        raise RuntimeError("away")

    with state_shown(metrics, {"database": waits, "temporal": away}) as questions:
        first, _ = await asyncio.gather(
            *(asyncio.to_thread(generate_latest, metrics.registry) for _ in range(2))
        )
    await questions.close()
    after = generate_latest(metrics.registry).decode()

    shown = first.decode()
    assert "engine_open_reviews 3.0" in shown
    assert 'engine_task_queue_backlog{queue="engine",work="workflows"} 7.0' in shown
    assert 'engine_state_known{source="database"} 1.0' in shown
    assert 'engine_state_known{source="temporal"} 0.0' in shown
    # An unknown value is left out, instead of 0.
    assert "\nengine_failed_schedules" not in shown
    assert asked == 1
    assert "engine_state_known" not in after
