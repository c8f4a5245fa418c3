"""A worker process: settings → clients → activities → Temporal, until a signal ends it."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import httpx
import structlog
import uvloop
from temporalio.client import Client
from temporalio.service import RPCError
from temporalio.worker import Interceptor, UnsandboxedWorkflowRunner, Worker
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from activities.actions import Actions
from activities.dry_run import DryRun as DryRunActivity
from activities.embed import Embed
from activities.execute import Execute
from activities.interceptor import WatchActivities
from activities.look_up import LookUp
from activities.normalize import Normalize
from activities.persist import Persist
from activities.prune import Prune
from activities.purse import Purse
from activities.review import Review
from activities.sweep import Sweep as SweepActivity
from activities.think import Think
from activities.usage_periods import UsagePeriods
from adapters.brain.choice import brains_from
from adapters.brain.classifier import Classifier
from adapters.connectors.http import open_client
from adapters.connectors.registry import ConnectorRegistry
from adapters.embeddings import embedder_from
from adapters.error_tracker import error_tracker
from adapters.logs import configure_logs
from adapters.mail import SmtpMailer
from adapters.metrics import CountActivities, Metrics, shown
from adapters.redaction import Redactor
from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from adapters.temporal import TemporalEngine, connect
from adapters.temporal_runtime import forward_logs
from adapters.temporal_setup import (
    ensure_housekeeping_schedule,
    ensure_monthly_reset_schedule,
    ensure_search_attributes,
    ensure_sweep_schedule,
)
from domain import names
from domain.contracts import SweepInput
from domain.errors import DomainError, EngineUnavailable
from domain.ports import ErrorTracker
from settings import Settings, load_settings
from store.database import Database
from store.error_report_repository import keep_in
from workflows.dry_run import DryRun
from workflows.housekeeping import Housekeeping
from workflows.monthly_reset import MonthlyReset
from workflows.process_event import ProcessEvent
from workflows.sweep import Sweep

WORKFLOWS: Final[Sequence[type]] = (ProcessEvent, DryRun, Sweep, MonthlyReset, Housekeeping)
# Pure packages and what they import: loading them anew for every run is most of the sandbox's cost.
_PASSED_THROUGH: Final = ("domain", "activities", "workflows.options", "workflows.failure")
_WORKFLOW_POLLS: Final = 20
# Below what `cli.py dev` leaves a worker to end in.
_GRACE: Final = timedelta(seconds=5)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Activities:
    """The activity objects of the engine, with all they need inside."""

    normalize: Normalize
    look_up: LookUp
    think: Think
    execute: Execute
    persist: Persist
    review: Review
    dry_run: DryRunActivity
    sweep: SweepActivity
    embed: Embed
    usage_periods: UsagePeriods
    prune: Prune

    def registered(self) -> list[Callable[..., object]]:
        return [
            self.normalize.normalize,
            self.look_up.look_up,
            self.think.think,
            self.execute.execute,
            self.persist.persist,
            self.review.settle,
            self.dry_run.rehearse,
            self.sweep.start_received,
            self.sweep.wake_decided,
            self.embed.embed,
            self.usage_periods.open_period,
            self.usage_periods.reconcile,
            self.prune.prune,
        ]


def build_activities(
    settings: Settings, database: Database, client: Client, http: httpx.AsyncClient
) -> Activities:
    """`http`: the way out to clients' integrations."""
    sealer = FernetSealer(settings.seal_key.get_secret_value())
    purse = Purse(database, brains_from(settings, Classifier.load()), utc_now)
    mailer = SmtpMailer(settings.smtp_url, settings.mail_from)
    connectors = ConnectorRegistry(sealer, http, allow_loopback=settings.allow_loopback_targets)
    embedder = embedder_from(settings)
    return Activities(
        normalize=Normalize(database, utc_now, new_ulid),
        look_up=LookUp(database, connectors, utc_now, new_ulid),
        think=Think(database, purse, embedder, utc_now, new_ulid),
        execute=Execute(database, Actions(mailer, connectors), utc_now, new_ulid),
        persist=Persist(database, utc_now, new_ulid),
        review=Review(database, utc_now),
        dry_run=DryRunActivity(database, purse, sealer, utc_now),
        sweep=SweepActivity(database, TemporalEngine(client), utc_now),
        embed=Embed(database, embedder, utc_now),
        usage_periods=UsagePeriods(database),
        prune=Prune(database, utc_now),
    )


def build_worker(
    client: Client,
    activities: Activities,
    *,
    sandbox: bool,
    tracker: ErrorTracker,
    interceptors: Sequence[Interceptor] = (),
    max_cached_workflows: int = 1000,
) -> Worker:
    """The engine's worker. `sandbox`: Temporal's check that workflows stay deterministic."""
    restrictions = SandboxRestrictions.default.with_passthrough_modules(*_PASSED_THROUGH)
    return Worker(
        client,
        task_queue=names.ENGINE_QUEUE,
        workflows=WORKFLOWS,
        activities=activities.registered(),
        workflow_runner=SandboxedWorkflowRunner(restrictions=restrictions)
        if sandbox
        else UnsandboxedWorkflowRunner(),
        interceptors=[WatchActivities(tracker, utc_now), *interceptors],
        max_cached_workflows=max_cached_workflows,
        graceful_shutdown_timeout=_GRACE,
        # More than the default 5: at 16 callers it took a quarter off the slowest answers.
        max_concurrent_workflow_task_polls=_WORKFLOW_POLLS,
        # A dead worker's parked runs go to another one after this instead of 10 s.
        sticky_queue_schedule_to_start_timeout=timedelta(seconds=2),
    )


async def run(settings: Settings, metrics: Metrics) -> None:
    """Work until SIGINT or SIGTERM; what has begun is finished first."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        client = await connect(settings.temporal_address, settings.temporal_namespace)
    except RuntimeError as error:  # what the SDK raises while nobody listens
        raise EngineUnavailable(f"no Temporal answers at {settings.temporal_address}") from error
    database = Database(settings.database_url)
    sweep = SweepInput(
        older_than_s=settings.sweep_after_s,
        review_expiry_s=settings.review_expiry_hours * 3600,
        remote_brain=settings.thinks_remotely,
        embedding_model=settings.embedding_model or "",
    )
    try:
        await ensure_search_attributes(client)
        await ensure_sweep_schedule(client, sweep, settings.sweep_interval_s)
        await ensure_monthly_reset_schedule(client)
        await ensure_housekeeping_schedule(client)
    except RPCError as error:
        raise EngineUnavailable(
            f"namespace {settings.temporal_namespace}: {error.status.name.lower()}"
        ) from error
    http = open_client()
    activities = build_activities(settings, database, client, http)
    dsn = settings.sentry_dsn.get_secret_value() if settings.sentry_dsn else None
    reports = Database(settings.database_url, pool_size=1)
    keep = keep_in(reports, new_ulid)
    try:
        async with (
            error_tracker(dsn, keep, Redactor.of(settings), metrics) as tracker,
            build_worker(
                client,
                activities,
                sandbox=settings.workflow_sandbox,
                tracker=tracker,
                interceptors=[CountActivities(metrics)],
            ),
        ):
            _log.info("worker ready", queue=names.ENGINE_QUEUE)
            await stop.wait()
    finally:
        await http.aclose()
        await reports.close()
        await database.close()
    _log.info("worker stopped")


def start(settings: Settings) -> None:
    """Run until a signal. Raises EngineUnavailable if Temporal cannot be reached, InvalidInput if
    METRICS_PORT is taken."""
    configure_logs(settings.log_level, Redactor.of(settings))
    forward_logs()
    metrics = Metrics()
    with shown(metrics, settings.host, settings.metrics_port):
        uvloop.run(run(settings, metrics))


def main() -> None:
    parser = argparse.ArgumentParser(description="A worker of the support engine.")
    parser.add_argument("--queue", choices=[names.ENGINE_QUEUE], default=names.ENGINE_QUEUE)
    parser.parse_args()
    try:
        settings = load_settings()
        start(settings)
    except DomainError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
