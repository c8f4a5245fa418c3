"""A worker process. It connects to the database and Temporal, and processes one queue until it
receives a signal to stop."""

import asyncio
import signal
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Final

import structlog
import uvloop
from temporalio.client import Client

from adapters.observability.error_tracker import error_tracker
from adapters.observability.logs import configure_logs
from adapters.observability.loop_watch import watched_loop
from adapters.observability.metrics import Metrics
from adapters.observability.probes import Probes, shown
from adapters.observability.questions import OK, Check, readiness
from adapters.observability.redaction import Redactor
from adapters.observability.start import warn_of_what_is_missing
from adapters.observability.tracing import Traces, traced, traces_of
from adapters.processes.module_loading import loading_modules
from adapters.system import utc_now
from adapters.temporal.connection import connect
from adapters.temporal.deployments import tell_if_passed_over
from adapters.temporal.health import Work, pollers, temporal_answers
from adapters.temporal.runtime import set_up
from domain.core import names
from domain.core.ports import ErrorTracker
from settings import Settings
from store.core.database import Database
from store.core.error_reports import keep_in
from store.core.pools import REPORTS

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)

Working = Callable[[Settings, Client, ErrorTracker, Metrics], AbstractAsyncContextManager[None]]
"""A context manager that runs a queue's worker while its block runs."""

_log = structlog.get_logger(__name__)


def working_on(queue: str) -> Working:
    """Return the worker for a queue. Only its modules are imported because loading the brain is
    slow and the webhook worker needs none."""
    with loading_modules():
        if queue == names.WEBHOOKS_QUEUE:
            from workers import webhooks as webhook_worker  # noqa: PLC0415 - slow to load

            return webhook_worker.working
        from workers import engine as engine_worker  # noqa: PLC0415 - slow to load

        return engine_worker.working


async def run(queue: str, settings: Settings, probes: Probes, traces: Traces | None) -> None:
    """Process the queue until SIGINT or SIGTERM, then finish the work in progress. A second signal
    ends the process at once, and other workers take over."""
    stop = _asked_to_stop()
    client = traced(await connect(settings.temporal), traces)
    working, metrics = working_on(queue), probes.metrics
    reports = Database(settings.database.url, pool_size=REPORTS)
    keep, watch = keep_in(reports), settings.watch
    ready = readiness(_checks(queue, reports, client))
    metrics.watch_pool("reports", reports.use)
    try:
        with probes.ready_when(ready):
            async with (
                error_tracker(
                    watch.dsn, watch.error_spool, keep, Redactor.of(settings), metrics
                ) as tracker,
                working(settings, client, tracker, metrics),
            ):
                _log.info("worker ready", queue=queue)
                await tell_if_passed_over(client, settings.temporal, queue=queue)
                with watched_loop(metrics):
                    await stop.wait()
                probes.draining = True
                _log.info("worker stops", queue=queue)
    finally:
        await ready.close()
        await reports.close()
    _log.info("worker stopped")


def _checks(queue: str, database: Database, client: Client) -> dict[str, Check]:
    """Return the health checks for a worker's `/readyz` endpoint."""

    async def database_serves() -> str:
        await database.ping()
        return OK

    async def temporal_serves() -> str:
        return OK if await temporal_answers(client) else "unavailable"

    async def asks_for_work() -> str:
        asking = [await pollers(client, work, utc_now(), queue=queue) for work in Work]
        us = client.service_client.config.identity
        return OK if all(us in {one.identity for one in of_work} for of_work in asking) else "none"

    return {"database": database_serves, "temporal": temporal_serves, "polling": asks_for_work}


def _asked_to_stop() -> asyncio.Event:
    """Return an event that is set by the first signal. The second signal ends the process."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()

    def first() -> None:
        stop.set()
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)

    for number in _SIGNALS:
        loop.add_signal_handler(number, first)
    return stop


def start(queue: str, settings: Settings) -> None:
    """Run a worker until a signal ends it. Raises EngineUnavailable without Temporal. Raises
    InvalidInput for rejected credentials, a used METRICS_PORT, or unavailable tracing."""
    configure_logs(settings.watch.log_level, Redactor.of(settings))
    host, port = settings.watch.metrics_host, settings.watch.metrics_port
    probes = Probes(Metrics())
    with traces_of(settings.watch, queue) as traces, shown(probes, host, port, health=True):
        probes.library = set_up(numbers=port is not None)
        if queue == names.ENGINE_QUEUE:  # Only this queue's worker sends email.
            warn_of_what_is_missing(settings)
        uvloop.run(run(queue, settings, probes, traces))
