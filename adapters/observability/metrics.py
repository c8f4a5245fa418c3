"""Prometheus metrics of a process."""

import time
from collections.abc import Iterator
from typing import Final, Protocol

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from temporalio import activity
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from adapters.observability.loop_watch import Cause
from adapters.observability.metric_catalogue import (
    ACTIVITIES,
    ACTIVITY_DURATION,
    ERROR_REPORTS,
    ERROR_REPORTS_DROPPED,
    ERROR_REPORTS_UNSPOOLED,
    EVENT_LOOP_HOLD,
    GATEWAY_OUTCOMES,
    HTTP_REQUEST_DURATION,
    HTTP_REQUESTS,
    HTTP_REQUESTS_IN_FLIGHT,
    INBOUND_OF_NOBODY,
    INBOUND_WEBHOOKS,
    POOL_IN_USE,
    POOL_SIZE,
    POOL_WAITING,
    REFUSALS,
    WEBHOOK_DURATION,
    WEBHOOK_OWN_FAILURE,
    WEBHOOK_TRIES,
    DeclaredMetric,
)
from domain.webhooks.breaker import OwnPart
from domain.webhooks.delivery import DeliveryAttempt, DeliveryStatus
from domain.webhooks.errors import Deferred

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# Upper bounds of the histogram buckets, in seconds. They cover the usual response time, tens of
# milliseconds, up to the deadline of 30 s.
_BUCKETS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Pool(Protocol):
    """The current state of a connection pool."""

    @property
    def size(self) -> int: ...
    @property
    def in_use(self) -> int: ...
    @property
    def waiting(self) -> int: ...


class _Pools(Collector):
    """A collector that reads the state of the connection pools only when Prometheus scrapes.
    Acquiring and releasing a connection therefore has no extra cost."""

    def __init__(self) -> None:
        self.pools: dict[str, Pool] = {}

    def collect(self) -> Iterator[GaugeMetricFamily]:
        size, in_use, waiting = map(gauge_family, (POOL_SIZE, POOL_IN_USE, POOL_WAITING))
        for name, pool in self.pools.items():
            size.add_metric([name], pool.size)
            in_use.add_metric([name], pool.in_use)
            waiting.add_metric([name], pool.waiting)
        yield from (size, in_use, waiting)


def gauge_family(declared: DeclaredMetric) -> GaugeMetricFamily:
    """Return a gauge without values."""
    return GaugeMetricFamily(declared.full_name, declared.meaning, labels=declared.labels)


class Metrics:
    """The metrics of one process.

    Label values are the service's codes and names, never a tenant or a path, because each
    permanently uses memory here and in Prometheus.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._requests = self._counter(HTTP_REQUESTS)
        self._durations = self._histogram(HTTP_REQUEST_DURATION)
        self.in_flight = self._gauge(HTTP_REQUESTS_IN_FLIGHT)
        self._outcomes = self._counter(GATEWAY_OUTCOMES)
        # The counter is exported as 0 from the start. If a counter first appears with the value 1,
        # Prometheus does not detect an increase.
        self._outcomes.labels("failed")
        self._refusals = self._counter(REFUSALS)
        self._inbound = self._counter(INBOUND_WEBHOOKS)
        self._unowned = self._counter(INBOUND_OF_NOBODY)
        self._reports = self._counter(ERROR_REPORTS)
        self._dropped = self._counter(ERROR_REPORTS_DROPPED)
        self._unspooled = self._counter(ERROR_REPORTS_UNSPOOLED)
        self._activities = self._counter(ACTIVITIES)
        self._activity_durations = self._histogram(ACTIVITY_DURATION)
        self._deliveries = self._counter(WEBHOOK_TRIES)
        self._delivery_durations = self._histogram(WEBHOOK_DURATION)
        self._own_parts = self._gauge(WEBHOOK_OWN_FAILURE)
        self._holds = self._histogram(EVENT_LOOP_HOLD)
        self._pools = _Pools()
        self.registry.register(self._pools)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a finished request. `route` is the path template. `status` is 0 without a
        response."""
        known = method if method in _METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._durations.labels(known, route).observe(seconds)

    def gateway_answered(self, status: str) -> None:
        self._outcomes.labels(status).inc()

    def refused(self, code: str) -> None:
        self._refusals.labels(code).inc()

    def webhook_came(self, provider: str, was: str) -> None:
        """Count an inbound webhook as new, already known, conflicting or dropped (`was`)."""
        self._inbound.labels(provider, was).inc()

    def of_nobody(self, provider: str) -> None:
        """Count a webhook that was verified for the entire installation, but matches no client's
        account."""
        self._unowned.labels(provider).inc()

    def reported(self, code: str) -> None:
        self._reports.labels(code).inc()

    def report_dropped(self) -> None:
        self._dropped.inc()

    def report_not_spooled(self) -> None:
        self._unspooled.inc()

    def held(self, cause: Cause, seconds: float) -> None:
        """Record that the event loop was blocked, and for how long. Implements
        `adapters.observability.loop_watch.CountHolds`."""
        self._holds.labels(cause).observe(seconds)

    def activity_ended(self, name: str, outcome: str, seconds: float) -> None:
        self._activities.labels(name, outcome).inc()
        self._activity_durations.labels(name).observe(seconds)

    def tried(self, status: DeliveryStatus, attempt: DeliveryAttempt | None) -> None:
        """Count a delivery attempt. Implements `domain.webhooks.ports.WatchDeliveries`."""
        failure = attempt.failure if attempt else None
        self._deliveries.labels(status, failure or "").inc()
        if attempt is not None:
            self._delivery_durations.labels(status).observe(attempt.duration_ms / 1000)

    def part_failing(self, part: OwnPart, *, failing: bool) -> None:
        """Set the gauge for our own resolver or network: 1 while it is failing, otherwise 0.
        Implements `domain.webhooks.ports.WatchDeliveries`."""
        self._own_parts.labels(part).set(failing)

    def watch_pool(self, name: str, pool: Pool) -> None:
        """Export the usage of a connection pool as metrics."""
        self._pools.pools[name] = pool

    def _counter(self, declared: DeclaredMetric) -> Counter:
        return Counter(
            declared.full_name, declared.meaning, declared.labels, registry=self.registry
        )

    def _gauge(self, declared: DeclaredMetric) -> Gauge:
        return Gauge(declared.full_name, declared.meaning, declared.labels, registry=self.registry)

    def _histogram(self, declared: DeclaredMetric) -> Histogram:
        return Histogram(
            declared.full_name,
            declared.meaning,
            declared.labels,
            buckets=_BUCKETS,
            registry=self.registry,
        )


class _Count(ActivityInboundInterceptor):
    metrics: Metrics

    async def execute_activity(self, input: ExecuteActivityInput) -> object:  # noqa: A002 - SDK's name
        started, outcome = time.monotonic(), "failed"
        try:
            result: object = await super().execute_activity(input)
            outcome = "completed"
        except Deferred:
            outcome = "deferred"
            raise
        finally:
            name = activity.info().activity_type
            self.metrics.activity_ended(name, outcome, time.monotonic() - started)
        return result


class CountActivities(Interceptor):
    """An interceptor that counts every activity execution, including retries."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002 - SDK's name
        counting = _Count(next)
        counting.metrics = self._metrics
        return counting
