"""The engine worker. It runs the workflows and activities that answer events, and the scheduled
workflows."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from datetime import timedelta
from typing import Final

from temporalio.client import Client
from temporalio.worker import Interceptor, Worker, WorkerDeploymentConfig

from activities.runtime.interceptor import WatchActivities
from activities.runtime.traffic import NoteTraffic
from adapters.connectors.http import open_client
from adapters.normalizing.pool import NormalizerPool
from adapters.observability.metrics import CountActivities, Metrics
from adapters.system import utc_now
from adapters.temporal.deployments import deployment_config
from adapters.temporal.runtime import workflow_runner
from domain.core import names
from domain.core.ports import ErrorTracker
from settings import Settings
from store.core.database import Database
from workers.engine_activities import EngineActivities, build_activities
from workers.schedules import ensure_schedules
from workflows.anchor_audit import AnchorAudit
from workflows.backfill_metrics import BackfillMetrics
from workflows.daily_metrics import DailyMetrics
from workflows.dry_run import DryRun
from workflows.erase import Erase
from workflows.forget_dry_runs import ForgetDryRuns
from workflows.housekeeping import Housekeeping
from workflows.import_site import ImportSite
from workflows.learn_heads import LearnHeadsNightly
from workflows.mail_answer import MailAnswer
from workflows.mail_members import MailMembers
from workflows.monthly_reset import MonthlyReset
from workflows.notify_reviewers import NotifyReviewers
from workflows.process_event import ProcessEvent
from workflows.process_webhook import ProcessWebhook
from workflows.reconcile_inbound import ReconcileInbound
from workflows.replay_past import ReplayPast
from workflows.retention import Retention
from workflows.run_cases import RunCases
from workflows.send_mail import SendIdentityMail
from workflows.send_reply import SendReply
from workflows.simulate import SimulateScenario
from workflows.summaries import Summarize
from workflows.sweep import Sweep
from workflows.weekly_churn import WeeklyChurn

WORKFLOWS: Final[Sequence[type]] = (
    ProcessEvent,
    DryRun,
    Sweep,
    MonthlyReset,
    Housekeeping,
    DailyMetrics,
    BackfillMetrics,
    WeeklyChurn,
    Retention,
    Erase,
    ForgetDryRuns,
    AnchorAudit,
    SendIdentityMail,
    MailAnswer,
    ProcessWebhook,
    ReconcileInbound,
    NotifyReviewers,
    MailMembers,
    SimulateScenario,
    ReplayPast,
    RunCases,
    LearnHeadsNightly,
    SendReply,
    ImportSite,
)
# All steps of the workflow tasks share one event loop, and a step takes up to 0.1 s of processor
# time. With more tasks at once, each takes longer than its timeout, and all of them are repeated.
# Tasks that wait stay at the server, which serves the clients in rotation (fairness keys).
WORKFLOW_TASKS: Final = 8
_WORKFLOW_POLLS: Final = 4
# The grace period exceeds any step that a caller or a customer waits for (`workflows/options.py`).
# Longer scheduled work is interrupted, and another worker resumes it.
GRACE: Final = timedelta(seconds=45)


def build_worker(
    client: Client,
    activities: EngineActivities,
    *,
    sandbox: bool,
    tracker: ErrorTracker,
    interceptors: Sequence[Interceptor] = (),
    max_cached_workflows: int = 1000,
    deployment: WorkerDeploymentConfig | None = None,
) -> Worker:
    """Return the engine worker, for the Worker Deployment version `deployment`. If `sandbox` is
    true, Temporal checks that workflows are deterministic."""
    return Worker(
        client,
        task_queue=names.ENGINE_QUEUE,
        workflows=WORKFLOWS,
        activities=activities.registered(),
        workflow_runner=workflow_runner(sandbox=sandbox),
        interceptors=[
            WatchActivities(tracker, utc_now),
            Summarize(),
            NoteTraffic(activities.traffic),
            *interceptors,
        ],
        max_cached_workflows=max_cached_workflows,
        deployment_config=deployment,
        graceful_shutdown_timeout=GRACE,
        max_concurrent_workflow_tasks=WORKFLOW_TASKS,
        max_concurrent_workflow_task_polls=_WORKFLOW_POLLS,
        # After this time, another worker takes over the waiting runs of a worker that has crashed.
        # The default is 10 s.
        sticky_queue_schedule_to_start_timeout=timedelta(seconds=2),
    )


@asynccontextmanager
async def working(
    settings: Settings, client: Client, tracker: ErrorTracker, metrics: Metrics
) -> AsyncIterator[None]:
    """Create the schedules, and run the engine worker until the block ends. Raises
    EngineUnavailable."""
    database = Database(settings.database.url)
    metrics.watch_pool("work", database.use)
    http = open_client(settings.server.service)
    normalizer = NormalizerPool()
    try:
        await ensure_schedules(settings, client)
        await normalizer.start()
        activities = build_activities(settings, database, client, http, normalizer)
        async with (
            aclosing(activities),
            build_worker(
                client,
                activities,
                sandbox=settings.temporal.sandbox,
                tracker=tracker,
                interceptors=[CountActivities(metrics)],
                deployment=deployment_config(settings.temporal),
            ),
        ):
            yield
    finally:
        await normalizer.close()
        await http.aclose()
        await database.close()
