"""Numbers for Prometheus: what is counted, and the port that shows it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    start_http_server,
)
from temporalio import activity
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from adapters.observability.loop_watch import Cause
from domain.core.errors import InvalidInput
from domain.webhooks.breaker import OwnPart
from domain.webhooks.delivery import DeliveryAttempt, DeliveryStatus
from domain.webhooks.errors import Deferred

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# An answer takes tens of milliseconds; its deadline is 30 s.
_BUCKETS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The numbers of one process. Labels hold codes and names of ours, never a tenant or a path
    as it was called: each value costs memory here and in Prometheus for good."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._requests = self._counter(
            "http_requests", "Answered requests.", "method", "route", "status"
        )
        self._durations = self._histogram(
            "http_request_duration_seconds", "From a request to its answer.", "method", "route"
        )
        self.in_flight = Gauge(
            "engine_http_requests_in_flight", "Requests without an answer.", registry=self.registry
        )
        self._outcomes = self._counter("gateway_outcomes", "Answers of the gateway.", "status")
        self._refusals = self._counter("refusals", "Answers of 4xx, and of the edge.", "code")
        self._reports = self._counter("error_reports", "Errors reported.", "code")
        self._dropped = self._counter(
            "error_reports_dropped", "Errors that the tracker did not get."
        )
        self._activities = self._counter(
            "activities", "Ended executions of activities.", "activity", "outcome"
        )
        self._activity_durations = self._histogram(
            "activity_duration_seconds", "An activity's execution.", "activity"
        )
        self._deliveries = self._counter(
            "webhook_tries", "Ended tries of deliveries.", "status", "failure"
        )
        self._delivery_durations = self._histogram(
            "webhook_duration_seconds", "From the start of a POST to its end.", "status"
        )

        self._own_parts = Gauge(
            "engine_webhook_own_failure",
            "Our own resolver or network is thought to fail: deliveries wait.",
            ("part",),
            registry=self.registry,
        )
        self._holds = self._histogram(
            "event_loop_hold_seconds", "The event loop was held, by its own work or not.", "cause"
        )

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request's end. `route`: the template; `status`: 0 if the caller got none."""
        known = method if method in _METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._durations.labels(known, route).observe(seconds)

    def gateway_answered(self, status: str) -> None:
        self._outcomes.labels(status).inc()

    def refused(self, code: str) -> None:
        self._refusals.labels(code).inc()

    def reported(self, code: str) -> None:
        self._reports.labels(code).inc()

    def report_dropped(self) -> None:
        self._dropped.inc()

    def held(self, cause: Cause, seconds: float) -> None:
        """Satisfies `adapters.observability.loop_watch.CountHolds`."""
        self._holds.labels(cause).observe(seconds)

    def activity_ended(self, name: str, outcome: str, seconds: float) -> None:
        self._activities.labels(name, outcome).inc()
        self._activity_durations.labels(name).observe(seconds)

    def tried(self, status: DeliveryStatus, attempt: DeliveryAttempt | None) -> None:
        """A try of a delivery. Satisfies `domain.webhooks.ports.WatchDeliveries`."""
        failure = attempt.failure if attempt else None
        self._deliveries.labels(status, failure or "").inc()
        if attempt is not None:
            self._delivery_durations.labels(status).observe(attempt.duration_ms / 1000)

    def part_failing(self, part: OwnPart, *, failing: bool) -> None:
        """Our own way to receivers. Satisfies `domain.webhooks.ports.WatchDeliveries`."""
        self._own_parts.labels(part).set(failing)

    def _counter(self, name: str, meaning: str, *labels: str) -> Counter:
        return Counter(f"engine_{name}", meaning, labels, registry=self.registry)

    def _histogram(self, name: str, meaning: str, *labels: str) -> Histogram:
        return Histogram(
            f"engine_{name}", meaning, labels, buckets=_BUCKETS, registry=self.registry
        )


@contextmanager
def shown(metrics: Metrics, host: str, port: int | None) -> Iterator[None]:
    """Serve the numbers at http://host:port/metrics, in a thread of its own; no port, no server.

    Raises InvalidInput if the port cannot be had.
    """
    if port is None:
        yield
        return
    try:
        server, thread = start_http_server(port, host, metrics.registry)
    except OSError as error:
        raise InvalidInput(
            f"METRICS_PORT {port} cannot be opened on {host}: {error.strerror or 'no such address'}"
        ) from error
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


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
    """Counts every execution, a repetition too."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002 - SDK's name
        counting = _Count(next)
        counting.metrics = self._metrics
        return counting
