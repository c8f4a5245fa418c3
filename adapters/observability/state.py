"""Metrics for the installation's backlogs, read at each scrape."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from adapters.observability.metric_catalogue import INSTALLATION_METRICS
from adapters.observability.metrics import Metrics, gauge_family
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
    """The value of a metric. `name` is the name in `INSTALLATION_METRICS`."""

    name: str
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


Look = Callable[[], Awaitable[Sequence[Number]]]

_GAUGES: Final = {declared.name: declared for declared in INSTALLATION_METRICS}


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
        families = {name: gauge_family(declared) for name, declared in _GAUGES.items()}
        for number in self._numbers():
            labels = _GAUGES[number.name].labels
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
