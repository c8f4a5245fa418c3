"""The webhook worker. It sends webhooks to merchants' URLs, in a separate process from the engine
worker."""

import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from temporalio.client import Client
from temporalio.worker import Interceptor, Worker, WorkerDeploymentConfig

from activities.runtime.interceptor import WatchActivities
from activities.webhooks.deliver import Deliver
from activities.webhooks.delivery_limiter import DeliveryLimiter
from activities.webhooks.network_self_check import NetworkSelfCheck
from adapters.observability.metrics import CountActivities, Metrics
from adapters.seal import FernetSealer
from adapters.system import utc_now
from adapters.temporal.deployments import deployment_config
from adapters.temporal.runtime import workflow_runner
from adapters.webhooks import HttpWebhookSender
from domain.core import names
from domain.core.errors import InvalidInput
from domain.core.ports import ErrorTracker
from domain.webhooks.errors import InvalidWebhook
from domain.webhooks.ports import WatchDeliveries, WebhookSender
from domain.webhooks.url import check_url
from settings import Settings
from settings.service import WebhookSettings
from store.core.database import Database
from store.webhooks.places import PER_ENDPOINT, PER_TENANT, SharedPlaces
from workflows.deliver_webhook import DeliverWebhook
from workflows.send_webhooks import SendWebhooks
from workflows.summaries import Summarize

WORKFLOWS: Final[Sequence[type]] = (DeliverWebhook, SendWebhooks)
# Maximum number of concurrent activities. A receiver may occupy a slot for 10 s. For each tenant,
# at most 8 deliveries are sent concurrently, and 24 more may wait for a permit.
_SLOTS: Final = 500
_POLLS: Final = 20
# The grace period is longer than it takes to send a POST and store its result. On shutdown,
# deliveries that are waiting for a permit are deferred immediately.
GRACE: Final = timedelta(seconds=15)


@dataclass(frozen=True, slots=True)
class WebhookActivities:
    """The objects that contain the webhook worker's activity, with their dependencies."""

    deliver: Deliver
    delivery_limiter: DeliveryLimiter
    places: SharedPlaces
    network: NetworkSelfCheck

    def registered(self) -> list[Callable[..., object]]:
        return [self.deliver.deliver]


def build_sender(settings: WebhookSettings) -> HttpWebhookSender:
    """Return the webhook sender. Raises InvalidInput if WEBHOOK_CA_FILE contains no
    certificates."""
    try:
        return HttpWebhookSender(
            allow_private=settings.allow_private_addresses, ca_file=settings.ca_file
        )
    except OSError as error:
        raise InvalidInput("WEBHOOK_CA_FILE: certificates (PEM) expected") from error


def build_activities(
    settings: Settings, database: Database, sender: WebhookSender, watch: WatchDeliveries
) -> WebhookActivities:
    """Create the activities of the webhook worker, with their limits and the network self-check."""
    places = SharedPlaces(settings.database.url)
    delivery_limiter = DeliveryLimiter(places, per_endpoint=PER_ENDPOINT, per_tenant=PER_TENANT)
    canary = canary_of(settings)
    network = NetworkSelfCheck(None if canary is None else partial(sender.finds, canary), watch)
    sealer = FernetSealer(settings.seal.key.get_secret_value())
    deliver = Deliver(
        database,
        sealer,
        sender,
        delivery_limiter,
        network,
        watch=watch,
        now=utc_now,
        randomness=random.random,
        service=settings.server.service,
    )
    return WebhookActivities(deliver, delivery_limiter, places, network)


def canary_of(settings: Settings) -> str | None:
    """Return the host name for the network self-check, which distinguishes failures of our resolver
    from failures of a receiver.

    This is WEBHOOK_CANARY_HOST, else the dashboard's host, or None if that is not a public name.
    """
    if settings.webhooks.canary_host is not None:
        return settings.webhooks.canary_host
    url = settings.server.dashboard.replace("http://", "https://", 1)
    try:
        host = str(urlsplit(check_url(url, False)).hostname)
        ip_address(host)
    except InvalidWebhook:
        return None
    except ValueError:
        return host
    return None


@asynccontextmanager
async def _outside_ready(activities: WebhookActivities) -> AsyncIterator[None]:
    """Keep the activities' resources open until the block ends. They must outlive the worker
    because a delivery counts toward the limits until its POST ends."""
    await activities.network.begin()
    try:
        yield
    finally:
        await activities.places.close()


@asynccontextmanager
async def at_work(
    client: Client,
    activities: WebhookActivities,
    *,
    sandbox: bool,
    tracker: ErrorTracker,
    interceptors: Sequence[Interceptor] = (),
    max_cached_workflows: int = 1000,
    deployment: WorkerDeploymentConfig | None = None,
) -> AsyncIterator[None]:
    """Run the webhook worker, for the Worker Deployment version `deployment`, until the block ends.
    If `sandbox` is true, Temporal checks that workflows are deterministic."""
    async with (
        _outside_ready(activities),
        Worker(
            client,
            task_queue=names.WEBHOOKS_QUEUE,
            workflows=WORKFLOWS,
            activities=activities.registered(),
            workflow_runner=workflow_runner(sandbox=sandbox),
            interceptors=[WatchActivities(tracker, utc_now), Summarize(), *interceptors],
            max_cached_workflows=max_cached_workflows,
            max_concurrent_activities=_SLOTS,
            max_concurrent_activity_task_polls=_POLLS,
            max_concurrent_workflow_task_polls=_POLLS,
            deployment_config=deployment,
            graceful_shutdown_timeout=GRACE,
            sticky_queue_schedule_to_start_timeout=timedelta(seconds=2),
        ),
    ):
        try:
            yield
        finally:
            activities.delivery_limiter.close()


@asynccontextmanager
async def working(
    settings: Settings, client: Client, tracker: ErrorTracker, metrics: Metrics
) -> AsyncIterator[None]:
    """Run the webhook worker until the block ends. The worker does not load a mailer or a brain,
    because it does not use them."""
    database = Database(settings.database.url)
    metrics.watch_pool("work", database.use)
    sender = build_sender(settings.webhooks)
    try:
        async with at_work(
            client,
            build_activities(settings, database, sender, metrics),
            sandbox=settings.temporal.sandbox,
            tracker=tracker,
            interceptors=[CountActivities(metrics)],
            deployment=deployment_config(settings.temporal),
        ):
            yield
    finally:
        await database.close()
