"""Metrics for the backlogs of the whole installation, read at each scrape."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from adapters.observability.metrics import Metrics
from adapters.observability.questions import Questions

# Timeout for one source, in seconds. PostgreSQL cancels a statement after 3 s.
_WITHIN_S: Final = 4.0
# Results are cached, so that additional Prometheus servers or users do not cause additional
# queries.
_KEPT_S: Final = 5.0
# Additional seconds to wait for a response from the event loop, which cannot respond while it is
# blocked.
_LOOP_WITHIN_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Number:
    """The value of a metric. `name`: a key of `GAUGES`, without the `engine_` prefix."""

    name: str
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


Look = Callable[[], Awaitable[Sequence[Number]]]

GAUGES: Final[Mapping[str, tuple[str, Sequence[str]]]] = {
    "received_runs": ("Runs that no worker has begun.", ()),
    "oldest_received_run_seconds": ("The age of the oldest of them; 0 if there is none.", ()),
    "installation_stopped": ("1 while operators have stopped everything automatic.", ()),
    "open_reviews": ("Reviews that wait for a decision.", ()),
    "pending_deliveries": ("Deliveries of webhooks that have not ended.", ()),
    "unfinished_webhooks": ("Webhooks that came in, at work or behind others.", ()),
    "oldest_unfinished_webhook_seconds": ("The age of the oldest of them; 0 if there is none.", ()),
    "task_queue_backlog": ("Tasks that no worker has taken.", ("queue", "work")),
    "task_queue_backlog_seconds": ("The age of the oldest of them.", ("queue", "work")),
    "failed_schedules": ("Runs of schedules that failed in the last 24 hours.", ()),
    "state_known": ("Whether the last look succeeded, 1 or 0.", ("source",)),
}


class _State(Collector):
    """The backlog collector. Prometheus calls it in a separate thread, and the collector reads the
    values on the event loop."""

    def __init__(self, sources: Mapping[str, Look]) -> None:
        self._loop = asyncio.get_running_loop()
        self._sources = tuple(sources)
        self.questions: Questions[Sequence[Number] | None] = Questions(
            sources, failed=None, late=None, within_s=_WITHIN_S, kept_s=_KEPT_S
        )

    def collect(self) -> Iterator[GaugeMetricFamily]:
        families = {
            name: GaugeMetricFamily(f"engine_{name}", meaning, labels=labels)
            for name, (meaning, labels) in GAUGES.items()
        }
        for number in self._numbers():
            _, labels = GAUGES[number.name]
            families[number.name].add_metric(
                [number.labels[label] for label in labels], number.value
            )
        yield from families.values()

    def _numbers(self) -> Iterator[Number]:
        answers = self._answers()
        for source in self._sources:
            numbers = answers.get(source)
            yield Number("state_known", float(numbers is not None), {"source": source})
            yield from numbers or ()

    def _answers(self) -> Mapping[str, Sequence[Number] | None]:
        try:
            asked = asyncio.run_coroutine_threadsafe(self.questions.answers(), self._loop)
            return asked.result(_WITHIN_S + _LOOP_WITHIN_S)
        except (FutureTimeout, RuntimeError):
            return {}


@contextmanager
def state_shown(
    metrics: Metrics, sources: Mapping[str, Look]
) -> Iterator[Questions[Sequence[Number] | None]]:
    """Expose the sources' values as metrics while the block runs. Yield the running checks, which
    the caller must close after the block."""
    state = _State(sources)
    metrics.registry.register(state)
    try:
        yield state.questions
    finally:
        metrics.registry.unregister(state)
