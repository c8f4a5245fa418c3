"""The activities of the engine worker, built with their dependencies."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import httpx
from temporalio.client import Client

from activities.agent.brain_budget import BrainBudget
from activities.agent.dry_run import DryRuns
from activities.agent.look_up import LookUp
from activities.agent.model_alarm_notices import ModelAlarmNotices
from activities.agent.order_search import OrderSearch
from activities.agent.think import Think
from activities.analytics.churn import Churn
from activities.analytics.metrics import ComputeMetrics
from activities.audit.anchor import AnchorHeads
from activities.billing.usage_periods import UsagePeriods
from activities.cases.try_cases import TryCases
from activities.content.embed import Embed
from activities.content.import_site import ImportSites
from activities.content.read_articles import Articles
from activities.customers.sweep_customers import SweepCustomers
from activities.identity.left_keys import LeftKeyNotices
from activities.identity.send_mail import SendMail
from activities.inbound.data_request_notices import DataRequestNotices
from activities.inbound.poll import PollIntegrations
from activities.inbound.sweep_webhooks import SweepWebhooks
from activities.inbound.work import WorkOnWebhook
from activities.intake.normalize import Normalize
from activities.integrations.send_sender_code import SendSenderCode
from activities.learning.learn_heads import LearnHeads
from activities.playbooks.sweep_loosenings import SweepLoosenings
from activities.privacy.erase import EraseRecords
from activities.privacy.prune import Prune
from activities.privacy.retain import Retain
from activities.reviews.member_mails import MemberMails
from activities.reviews.review_notices import ReviewNotices
from activities.reviews.revise_review import ReviseReview
from activities.reviews.send_reply import SendReplies
from activities.reviews.settle_review import SettleReview
from activities.reviews.sweep_reviews import SweepReviews
from activities.runs.actions import Actions
from activities.runs.address_codes import AddressCodes
from activities.runs.execute import Execute
from activities.runs.forget_dry_runs import RemoveDryRuns
from activities.runs.persist import Persist
from activities.runs.sweep import SweepRuns
from activities.runtime.fair_normalizer import FairNormalizer
from activities.runtime.traffic import Traffic
from activities.simulation.outcome_simulator import OutcomeSimulator
from activities.simulation.past_exchange import PastExchanges
from activities.simulation.replay_page import ReplayPages
from activities.simulation.simulate import Simulate
from activities.simulation.sweep_background import SweepBackground
from activities.webhooks.failure_notices import WebhookFailureNotices
from activities.webhooks.sweep_deliveries import SweepDeliveries
from activities.widget.mail_answer import MailAnswers
from activities.widget.send_visitor_code import SendVisitorCode
from adapters.brain.choice import brains_from
from adapters.brain.classifier import Classifier
from adapters.brain.embeddings import embedder_from
from adapters.brain.identity import brain_identity
from adapters.brain.own_head_fit import OwnHeadFitter
from adapters.brain.safety_net import LearnedSafetyNet
from adapters.connectors.guarded import GuardedHosts
from adapters.connectors.registry import ConnectorRegistry
from adapters.seal import FernetSealer
from adapters.sites.site_fetcher import SiteFetcher
from adapters.sites.site_reader import WebSiteReader
from adapters.system import new_ulid, utc_now
from adapters.temporal.client import TemporalEngine
from adapters.temporal.runs import TemporalRuns
from domain.agent.lexicons import read_lexicons
from domain.agent.model_patience import ModelPatience
from domain.inbound.platform_catalogue import PLATFORMS
from domain.intake.event import Channel
from domain.intake.ports import Normalizer
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitsOfWork
from services.inbound.effects import Doer
from settings import Settings
from settings.brain import BrainSettings
from store.core.database import Database
from store.exports.payer import has_plan
from workers.outgoing_mail import build_outgoing


@dataclass(frozen=True, slots=True)
class EngineActivities:
    """The objects that contain the engine worker's activities, with their dependencies."""

    normalize: Normalize
    look_up: LookUp
    think: Think
    execute: Execute
    persist: Persist
    review: SettleReview
    revise_review: ReviseReview
    tell_of_review: ReviewNotices
    member_mails: MemberMails
    replies: SendReplies
    dry_run: DryRuns
    forget_dry_runs: RemoveDryRuns
    simulate: Simulate
    replay: ReplayPages
    traffic: Traffic
    tell_owner: WebhookFailureNotices
    send_mail: SendMail
    send_sender_code: SendSenderCode
    send_visitor_code: SendVisitorCode
    mail_answers: MailAnswers
    work_on_webhook: WorkOnWebhook
    poll: PollIntegrations
    tell_of_data_requests: DataRequestNotices
    sweep: SweepRuns
    sweep_webhooks: SweepWebhooks
    sweep_deliveries: SweepDeliveries
    sweep_reviews: SweepReviews
    sweep_background: SweepBackground
    sweep_loosenings: SweepLoosenings
    sweep_customers: SweepCustomers
    embed: Embed
    usage_periods: UsagePeriods
    prune: Prune
    metrics: ComputeMetrics
    churn: Churn
    retain: Retain
    erase: EraseRecords
    anchor: AnchorHeads
    try_cases: TryCases
    learn_heads: LearnHeads
    import_sites: ImportSites
    site_reader: WebSiteReader

    async def aclose(self) -> None:
        """End the processes that parse website pages."""
        await self.site_reader.close()

    def registered(self) -> list[Callable[..., object]]:
        return [
            self.normalize.normalize,
            self.look_up.look_up,
            self.think.think,
            self.execute.execute,
            self.persist.persist,
            self.review.settle,
            self.revise_review.revise,
            self.tell_of_review.tell,
            self.member_mails.send,
            self.replies.due,
            self.replies.send,
            self.replies.fail,
            self.dry_run.answer,
            self.forget_dry_runs.forget,
            self.simulate.think,
            self.replay.begin,
            self.replay.page,
            self.replay.fail,
            self.tell_owner.tell,
            self.send_mail.send,
            self.send_sender_code.send,
            self.send_visitor_code.send,
            self.execute.codes.send,
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
            self.sweep_background.begin_left,
            self.sweep_loosenings.sweep,
            self.sweep_customers.index,
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
            self.try_cases.begin,
            self.try_cases.try_some,
            self.try_cases.end,
            self.learn_heads.learn,
            self.import_sites.open,
            self.import_sites.read,
            self.import_sites.end,
        ]


def _patience(settings: BrainSettings) -> ModelPatience:
    return {
        Channel.EMAIL: timedelta(hours=settings.retry_hours_email),
        Channel.HELPDESK: timedelta(hours=settings.retry_hours_helpdesk),
    }


def build_activities(
    settings: Settings,
    database: Database,
    client: Client,
    http: httpx.AsyncClient,
    normalizer: Normalizer,
) -> EngineActivities:
    """Return the engine worker's activities. `http` is the HTTP client for calls to clients'
    integrations."""
    read_lexicons()
    sealer = FernetSealer(settings.seal.key.get_secret_value())
    service, pages = settings.server.service, settings.server.dashboard
    classifier = Classifier.load()
    brain_budget = BrainBudget(database, brains := brains_from(settings.brain, classifier), utc_now)
    heads = None if brains.model else OwnHeadFitter(classifier)
    traffic, net = Traffic(time.monotonic), LearnedSafetyNet.load()
    mails = build_outgoing(settings, database, sealer)
    connectors = ConnectorRegistry(
        sealer, http, allow_loopback=settings.integrations.allow_loopback_targets
    )
    embedder = embedder_from(settings.embedding)
    fair = FairNormalizer(normalizer, pays=lambda tenant: has_plan(database, tenant, utc_now()))
    engine, identity = TemporalEngine(client), brain_identity(settings.brain, settings.embedding)
    codes = AddressCodes(database, sealer, utc_now, service_mails=mails.service, mails=engine)
    units = UnitsOfWork(database, engine, utc_now, new_ulid)
    actions = Actions(mails.client, connectors)
    answers = {
        "answers_per_hour": settings.threads.answers_per_hour,
        "answers_without_person": settings.threads.answers_without_person,
    }
    notices = (
        LeftKeyNotices(units, mails.service, dashboard_url=pages, service=service).send,
        ModelAlarmNotices(units, mails.service, dashboard_url=pages, service=service).send,
    )
    simulator = OutcomeSimulator(
        database, brain_budget, embedder, utc_now,
        normalizer=fair, connectors=connectors, net=net, sealer=sealer, **answers,
    )  # fmt: skip
    # Both count a client's lookups together.
    orders = OrderSearch(database, connectors)
    think = Think(
        database, brain_budget, embedder, utc_now, new_ulid,
        net=net, sealer=sealer, patience=_patience(settings.brain),
        orders=orders, **answers,
    )  # fmt: skip
    sites = _site_reader(settings, http)
    return EngineActivities(
        normalize=Normalize(
            database,
            utc_now,
            new_ulid,
            normalizer=fair,
            thread_lasts=settings.threads.lasts,
            net=net,
            sealer=sealer,
        ),
        look_up=LookUp(database, orders, utc_now, new_ulid),
        think=think,
        execute=Execute(database, actions, utc_now, new_ulid, codes=codes, sealer=sealer),
        persist=Persist(database, utc_now, new_ulid),
        review=SettleReview(database, utc_now, new_ulid),
        revise_review=ReviseReview(database, think),
        tell_of_review=ReviewNotices(database, connectors, utc_now, new_ulid, dashboard_url=pages),
        member_mails=MemberMails(
            units,
            mails.service,
            sealer,
            origin=settings.server.origin,
            dashboard_url=pages,
            service=service,
        ),
        replies=SendReplies(units, actions, utc_now, new_ulid),
        dry_run=DryRuns(
            database,
            brain_budget,
            embedder,
            sealer,
            utc_now,
            normalizer=fair,
            net=net,
            thread_lasts=settings.threads.lasts,
        ),
        simulate=Simulate(
            database, simulator, sealer, utc_now, traffic, has_model=brains.model is not None
        ),
        replay=ReplayPages(
            database,
            simulator,
            PastExchanges(database, fair, answers_per_hour=settings.threads.answers_per_hour),
            utc_now,
            traffic,
            has_model=brains.model is not None,
            question_micros=brains.reserve_micros,
        ),
        traffic=traffic,
        forget_dry_runs=RemoveDryRuns(TemporalRuns(client), utc_now),
        tell_owner=WebhookFailureNotices(database, mails.service, pages, service),
        send_mail=SendMail(
            database,
            mails.service,
            sealer,
            utc_now,
            sign_up=f"{settings.server.origin}/app/sign-up",
            invitations=f"{settings.server.origin}/app/invitations",
            service=service,
        ),
        send_sender_code=SendSenderCode(
            database, mails.client, mails.limiter, sealer, utc_now, service=service
        ),
        send_visitor_code=SendVisitorCode(
            database, mails.service, sealer, utc_now, service=service
        ),
        mail_answers=MailAnswers(database, mails.client),
        work_on_webhook=WorkOnWebhook(
            units,
            Doer(
                Actor.system("inbound"),
                sealer,
                utc_now,
                settings.threads.lasts,
                service_address=settings.mail.sender,
            ),
            platforms=PLATFORMS,
            erasures=engine,
        ),
        poll=PollIntegrations(units, connectors, engine, utc_now, platforms=PLATFORMS),
        tell_of_data_requests=DataRequestNotices(
            database, mails.service, utc_now, dashboard_url=pages, service=service
        ),
        sweep=SweepRuns(database, engine, utc_now),
        sweep_webhooks=SweepWebhooks(database, engine, utc_now),
        sweep_deliveries=SweepDeliveries(database, engine, utc_now, random.random),
        sweep_reviews=SweepReviews(database, utc_now, new_ulid),
        sweep_background=SweepBackground(database, engine, utc_now),
        sweep_loosenings=SweepLoosenings(
            units, mails.service, lambda: identity, notices, dashboard_url=pages, service=service
        ),
        sweep_customers=SweepCustomers(database, new_ulid),
        embed=Embed(database, embedder, utc_now),
        usage_periods=UsagePeriods(database),
        prune=Prune(database, utc_now),
        metrics=ComputeMetrics(database, utc_now),
        churn=Churn(database, utc_now, new_ulid),
        retain=Retain(database, utc_now),
        erase=EraseRecords(database, TemporalRuns(client), sealer, utc_now),
        anchor=AnchorHeads(database),
        try_cases=TryCases(
            database,
            simulator,
            utc_now,
            traffic,
            identity=identity,
            is_remote=settings.brain.is_remote,
        ),
        learn_heads=LearnHeads(database, heads, utc_now, new_ulid),
        import_sites=ImportSites(units, sites, Articles(database, connectors, utc_now), utc_now),
        site_reader=sites,
    )


def _site_reader(settings: Settings, http: httpx.AsyncClient) -> WebSiteReader:
    agent = settings.server.service.slug
    fetcher = SiteFetcher(
        GuardedHosts(user_agent=agent),
        http,
        allow_loopback=settings.integrations.allow_loopback_targets,
    )
    return WebSiteReader(fetcher, agent=agent)
