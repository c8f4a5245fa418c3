"""The engine's worker: whatever it takes to answer an event, and the schedules around it."""

import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import httpx
from temporalio.client import Client
from temporalio.worker import Interceptor, Worker, WorkerDeploymentConfig

from activities.agent.dry_run import Rehearse
from activities.agent.look_up import LookUp
from activities.agent.purse import Purse
from activities.agent.think import Think
from activities.analytics.churn import Churn
from activities.analytics.metrics import ComputeMetrics
from activities.audit.anchor import AnchorHeads
from activities.billing.usage_periods import UsagePeriods
from activities.content.embed import Embed
from activities.identity.send_mail import SendMail
from activities.inbound.poll import PollIntegrations
from activities.inbound.sweep_webhooks import SweepWebhooks
from activities.inbound.tell_of_data_requests import TellOfDataRequests
from activities.inbound.work import WorkOnWebhook
from activities.intake.normalize import Normalize
from activities.integrations.client_mail import ClientMail
from activities.integrations.send_sender_code import SendSenderCode
from activities.privacy.erase import EraseRecords
from activities.privacy.prune import Prune
from activities.privacy.retain import Retain
from activities.reviews.settle_review import SettleReview
from activities.reviews.sweep_reviews import SweepReviews
from activities.reviews.tell_of_review import TellOfReview
from activities.runs.actions import Actions
from activities.runs.execute import Execute
from activities.runs.forget_dry_runs import ForgetRehearsals
from activities.runs.persist import Persist
from activities.runs.sweep import SweepRuns
from activities.runtime.fair_normalizer import FairNormalizer
from activities.runtime.interceptor import WatchActivities
from activities.webhooks.sweep_deliveries import SweepDeliveries
from activities.webhooks.tell_owner import TellOwner
from activities.widget.mail_answer import MailAnswers
from activities.widget.send_visitor_code import SendVisitorCode
from adapters.brain.choice import brains_from
from adapters.brain.classifier import Classifier
from adapters.brain.embeddings import embedder_from
from adapters.brain.safety_net import LearnedSafetyNet
from adapters.connectors.http import open_client
from adapters.connectors.registry import ConnectorRegistry
from adapters.normalizing.pool import NormalizerPool
from adapters.observability.metrics import CountActivities, Metrics
from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from adapters.temporal.client import TemporalEngine
from adapters.temporal.deployments import deployment_config
from adapters.temporal.runs import TemporalRuns
from adapters.temporal.runtime import workflow_runner
from domain.agent.lexicons import read_lexicons
from domain.core import names
from domain.core.ports import ErrorTracker
from domain.inbound.catalogue import PLATFORMS
from domain.intake.ports import Normalizer
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitsOfWork
from services.inbound.effects import Doer
from settings import Settings
from store.core.database import Database
from workers.outgoing_mail import build_mailer
from workers.schedules import ensure_schedules
from workflows.anchor_audit import AnchorAudit
from workflows.backfill_metrics import BackfillMetrics
from workflows.daily_metrics import DailyMetrics
from workflows.dry_run import DryRun
from workflows.erase import Erase
from workflows.forget_dry_runs import ForgetDryRuns
from workflows.housekeeping import Housekeeping
from workflows.mail_answer import MailAnswer
from workflows.monthly_reset import MonthlyReset
from workflows.process_event import ProcessEvent
from workflows.process_webhook import ProcessWebhook
from workflows.reconcile_inbound import ReconcileInbound
from workflows.retention import Retention
from workflows.send_mail import SendIdentityMail
from workflows.sweep import Sweep
from workflows.tell_reviewers import TellReviewers
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
    TellReviewers,
)
_WORKFLOW_POLLS: Final = 20
# Longer than any step may take that a caller or a customer waits for (`workflows/options.py`). What
# runs by schedule takes longer, is cut off, and goes on elsewhere where it stopped.
GRACE: Final = timedelta(seconds=45)


@dataclass(frozen=True, slots=True)
class EngineActivities:
    """The activity objects of the engine, with all they need inside."""

    normalize: Normalize
    look_up: LookUp
    think: Think
    execute: Execute
    persist: Persist
    review: SettleReview
    tell_of_review: TellOfReview
    dry_run: Rehearse
    forget_dry_runs: ForgetRehearsals
    tell_owner: TellOwner
    send_mail: SendMail
    send_sender_code: SendSenderCode
    send_visitor_code: SendVisitorCode
    mail_answers: MailAnswers
    work_on_webhook: WorkOnWebhook
    poll: PollIntegrations
    tell_of_data_requests: TellOfDataRequests
    sweep: SweepRuns
    sweep_webhooks: SweepWebhooks
    sweep_deliveries: SweepDeliveries
    sweep_reviews: SweepReviews
    embed: Embed
    usage_periods: UsagePeriods
    prune: Prune
    metrics: ComputeMetrics
    churn: Churn
    retain: Retain
    erase: EraseRecords
    anchor: AnchorHeads

    def registered(self) -> list[Callable[..., object]]:
        return [
            self.normalize.normalize,
            self.look_up.look_up,
            self.think.think,
            self.execute.execute,
            self.persist.persist,
            self.review.settle,
            self.tell_of_review.tell,
            self.dry_run.rehearse,
            self.forget_dry_runs.forget,
            self.tell_owner.tell,
            self.send_mail.send,
            self.send_sender_code.send,
            self.send_visitor_code.send,
            self.mail_answers.send,
            self.work_on_webhook.work,
            self.work_on_webhook.give_up,
            self.poll.poll,
            self.tell_of_data_requests.tell,
            self.sweep.start_received,
            self.sweep_webhooks.start_left,
            self.sweep.wake_decided,
            self.sweep_deliveries.send_left,
            self.sweep_reviews.expire_overdue,
            self.embed.embed,
            self.usage_periods.open_period,
            self.usage_periods.reconcile,
            self.prune.prune,
            self.metrics.compute,
            self.churn.predict,
            self.retain.retain,
            self.erase.close,
            self.erase.remove_workflows,
            self.erase.remove_rows,
            self.erase.certify,
            self.anchor.anchor,
        ]


def build_activities(
    settings: Settings,
    database: Database,
    client: Client,
    http: httpx.AsyncClient,
    normalizer: Normalizer,
) -> EngineActivities:
    """`http`: the way out to clients' integrations."""
    read_lexicons()
    sealer = FernetSealer(settings.seal.key.get_secret_value())
    purse = Purse(database, brains_from(settings.brain, Classifier.load()), utc_now)
    net = LearnedSafetyNet.load()
    mailer = build_mailer(settings, sealer)
    client_mail = ClientMail(database, mailer, utc_now)
    connectors = ConnectorRegistry(
        sealer, http, allow_loopback=settings.integrations.allow_loopback_targets
    )
    embedder = embedder_from(settings.embedding)
    fair = FairNormalizer(normalizer)
    engine = TemporalEngine(client)
    return EngineActivities(
        normalize=Normalize(
            database,
            utc_now,
            new_ulid,
            normalizer=fair,
            thread_lasts=settings.threads.lasts,
            net=net,
        ),
        look_up=LookUp(database, connectors, utc_now, new_ulid),
        think=Think(
            database,
            purse,
            embedder,
            utc_now,
            new_ulid,
            net=net,
            answers_per_hour=settings.threads.answers_per_hour,
        ),
        execute=Execute(database, Actions(client_mail, connectors), utc_now, new_ulid),
        persist=Persist(database, utc_now, new_ulid),
        review=SettleReview(database, utc_now),
        tell_of_review=TellOfReview(
            database, connectors, utc_now, new_ulid, dashboard_url=settings.server.dashboard_url
        ),
        dry_run=Rehearse(
            database,
            purse,
            embedder,
            sealer,
            utc_now,
            normalizer=fair,
            net=net,
            thread_lasts=settings.threads.lasts,
        ),
        forget_dry_runs=ForgetRehearsals(TemporalRuns(client), utc_now),
        tell_owner=TellOwner(database, mailer, settings.server.dashboard_url),
        send_mail=SendMail(
            database,
            mailer,
            sealer,
            utc_now,
            sign_in=f"{settings.server.origin}/app/sign-in",
            accounts_an_hour=settings.limits.accounts_an_hour,
        ),
        send_sender_code=SendSenderCode(database, client_mail, sealer, utc_now),
        send_visitor_code=SendVisitorCode(database, client_mail, sealer, utc_now),
        mail_answers=MailAnswers(database, client_mail),
        work_on_webhook=WorkOnWebhook(
            UnitsOfWork(database, engine, utc_now, new_ulid),
            Doer(Actor.system("inbound"), sealer, utc_now, settings.threads.lasts),
            platforms=PLATFORMS,
            erasures=engine,
        ),
        poll=PollIntegrations(
            UnitsOfWork(database, engine, utc_now, new_ulid),
            connectors,
            engine,
            utc_now,
            platforms=PLATFORMS,
        ),
        tell_of_data_requests=TellOfDataRequests(
            database, mailer, utc_now, dashboard_url=settings.server.dashboard_url
        ),
        sweep=SweepRuns(database, engine, utc_now),
        sweep_webhooks=SweepWebhooks(database, engine, utc_now),
        sweep_deliveries=SweepDeliveries(database, engine, utc_now, random.random),
        sweep_reviews=SweepReviews(database, utc_now),
        embed=Embed(database, embedder, utc_now),
        usage_periods=UsagePeriods(database),
        prune=Prune(database, utc_now),
        metrics=ComputeMetrics(database, utc_now),
        churn=Churn(database, utc_now, new_ulid),
        retain=Retain(database, utc_now),
        erase=EraseRecords(database, TemporalRuns(client), sealer, utc_now),
        anchor=AnchorHeads(database),
    )


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
    """The engine's worker. `sandbox`: Temporal's check that workflows stay deterministic.
    `deployment`: the build it is."""
    return Worker(
        client,
        task_queue=names.ENGINE_QUEUE,
        workflows=WORKFLOWS,
        activities=activities.registered(),
        workflow_runner=workflow_runner(sandbox=sandbox),
        interceptors=[WatchActivities(tracker, utc_now), *interceptors],
        max_cached_workflows=max_cached_workflows,
        deployment_config=deployment,
        graceful_shutdown_timeout=GRACE,
        # More than the default 5: at 16 callers it took a quarter off the slowest answers.
        max_concurrent_workflow_task_polls=_WORKFLOW_POLLS,
        # A dead worker's parked runs go to another one after this instead of 10 s.
        sticky_queue_schedule_to_start_timeout=timedelta(seconds=2),
    )


@asynccontextmanager
async def working(
    settings: Settings, client: Client, tracker: ErrorTracker, metrics: Metrics
) -> AsyncIterator[None]:
    """The worker at work, its schedules in place. Raises EngineUnavailable."""
    database = Database(settings.database.url)
    metrics.watch_pool("work", database.use)
    http = open_client()
    normalizer = NormalizerPool()
    try:
        await ensure_schedules(settings, client)
        await normalizer.start()
        async with build_worker(
            client,
            build_activities(settings, database, client, http, normalizer),
            sandbox=settings.temporal.sandbox,
            tracker=tracker,
            interceptors=[CountActivities(metrics)],
            deployment=deployment_config(settings.temporal),
        ):
            yield
    finally:
        await normalizer.close()
        await http.aclose()
        await database.close()
