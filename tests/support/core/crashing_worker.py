"""A worker that ends itself with SIGKILL at a point. The only argument names the point.

The point is `before:<activity>`, `after:<activity>` (its effects are committed, but its result is
lost), `uncommitted:inbound.work` (a webhook's effect is written, but not committed),
`uncommitted:replay.page` (the same for a page of a replay), `mail-sent` (the mail server has the
email, but the ledger has no record), `refund-begun` (the ledger has a record, but the shop was not
called) or `refund-done` (the shop has refunded, but the ledger has no record). At
`notice-prepared`, an email to a member is prepared, but not sent. At `notice-sent`, the mail server
has that email, but its row has no record. For deliveries, the webhook worker ends. At a point that
is never reached, it works until the test ends it.

Temporal detects the worker's end sooner than in production, but in the same way. The worker's
activities have shorter heartbeat timeouts, and no run is sticky to the worker.
"""

import asyncio
import dataclasses
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from typing import Final

from temporalio import activity
from temporalio.client import Client
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from activities.inbound.work import WorkOnWebhook
from activities.integrations.client_mail import ClientMail
from activities.integrations.mail_limiter import MailLimiter
from activities.integrations.service_mails import ServiceMails
from activities.reviews.member_mails import MemberMails
from activities.reviews.send_reply import SendReplies
from activities.runs.actions import Actions
from activities.runs.address_codes import AddressCodes
from activities.runs.execute import Execute
from adapters.connectors.http import open_client
from adapters.connectors.registry import ConnectorRegistry
from adapters.mail.mailer import SmtpMailer
from adapters.normalizing.pool import NormalizerPool
from adapters.observability.error_tracker import error_tracker
from adapters.observability.logs import configure_logs
from adapters.observability.metrics import Metrics
from adapters.observability.redaction import Redactor
from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from adapters.temporal.client import TemporalEngine
from adapters.temporal.connection import connect
from domain.core import names
from domain.core.ids import TenantId
from domain.core.money import Money
from domain.core.ports import ErrorTracker, MailSender, OutgoingMail, ServicePermit
from domain.inbound.platform_catalogue import PLATFORMS
from domain.integrations.integration import Integration
from domain.integrations.order import Order
from domain.integrations.ports import Shop
from domain.simulation.replay import Replay
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork, UnitsOfWork
from services.inbound.effects import Doer
from settings import Settings, load_settings
from store.core.database import PATIENCE_S, Database
from store.core.error_reports import keep_in
from store.simulation.replays import ReplayedPage, ReplayRepository
from workers import webhooks as webhook_worker
from workers.engine import build_worker
from workers.engine_activities import build_activities
from workers.outgoing_mail import build_mailer
from workflows import options

_MISSED_AFTER: Final = timedelta(seconds=3)
_ADD: Final = ReplayRepository.add


def _promise_heartbeats() -> None:
    patient = (options.OUTSIDE, options.DELIVERING, options.ERASING, options.MAILING_MEMBERS)
    reading = (options.OPENING_SITE, options.READING_SITE)
    for promised in (*patient, *reading, options.REPLAYING, options.TRYING):
        promised["heartbeat_timeout"] = _MISSED_AFTER


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class _DyingActivities(ActivityInboundInterceptor):
    point = ""

    async def execute_activity(self, input: ExecuteActivityInput) -> object:  # noqa: A002 - SDK's name
        name = activity.info().activity_type
        if self.point == f"before:{name}":
            _die()
        result = await super().execute_activity(input)
        if self.point == f"after:{name}":
            _die()
        return result


class DieAt(Interceptor):
    def __init__(self, point: str) -> None:
        self._point = point

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002 - SDK's name
        dying = _DyingActivities(next)
        dying.point = self._point
        return dying


class DyingMailer:
    """A mailer that ends this process, after it has sent an email unless `sends` is false."""

    def __init__(self, mailer: SmtpMailer, *, sends: bool = True) -> None:
        self._mailer = mailer
        self._sends = sends

    async def send(self, mail: OutgoingMail, by: MailSender | ServicePermit) -> str:
        if self._sends:
            await self._mailer.send(mail, by)
        _die()
        raise AssertionError


class DyingShop:
    """A shop whose refunds end this process, before or after they are executed."""

    def __init__(self, shop: Shop, point: str) -> None:
        self._shop = shop
        self._point = point

    async def find_order(self, number: str | None, email: str | None) -> Order | None:
        return await self._shop.find_order(number, email)

    async def refund(self, order: Order, amount: Money, key: str, *, again: bool) -> str:
        if self._point == "refund-done":
            await self._shop.refund(order, amount, key, again=again)
        _die()
        raise AssertionError


class DyingConnectors(ConnectorRegistry):
    point = ""

    def shop(self, integration: Integration) -> Shop:
        return DyingShop(super().shop(integration), self.point)


async def _add_and_die(self: ReplayRepository, replay: Replay, done: ReplayedPage) -> None:
    await _ADD(self, replay, done)
    _die()


class DyingDoor(UnitsOfWork):
    """The transaction with a webhook's effect ends with this process, before its commit."""

    @asynccontextmanager
    async def of(
        self,
        tenant: TenantId,
        *,
        patience_s: float = PATIENCE_S,
        dry_run: bool = False,
        keeps_plans: bool = False,
    ) -> AsyncIterator[UnitOfWork]:
        opened = super().of(tenant, patience_s=patience_s, dry_run=dry_run, keeps_plans=keeps_plans)
        async with opened as work:
            yield work
            _die()


def _dying_work(settings: Settings, client: Client, database: Database) -> WorkOnWebhook:
    engine, sealer = TemporalEngine(client), FernetSealer(settings.seal.key.get_secret_value())
    return WorkOnWebhook(
        DyingDoor(database, engine, utc_now, new_ulid),
        Doer(
            Actor.system("inbound"),
            sealer,
            utc_now,
            settings.threads.lasts,
            service_address=settings.mail.sender,
        ),
        platforms=PLATFORMS,
        erasures=engine,
    )


def _dying(
    point: str, settings: Settings, client: Client, database: Database
) -> tuple[Execute, SendReplies]:
    sealer = FernetSealer(settings.seal.key.get_secret_value())
    connectors = DyingConnectors(sealer, open_client(), allow_loopback=True)
    connectors.point = point
    mailer = build_mailer(settings, sealer)
    limiter = MailLimiter(database, sealer, utc_now)
    handed_over = DyingMailer(mailer) if point == "mail-sent" else mailer
    mail = ClientMail(database, handed_over, limiter, utc_now, service=settings.server.service)
    codes = AddressCodes(
        database,
        sealer,
        utc_now,
        service_mails=ServiceMails(mailer, limiter),
        mails=TemporalEngine(client),
    )
    actions = Actions(mail, connectors)
    units = UnitsOfWork(database, TemporalEngine(client), utc_now, new_ulid)
    return (
        Execute(database, actions, utc_now, new_ulid, codes=codes, sealer=sealer),
        SendReplies(units, actions, utc_now, new_ulid),
    )


def _dying_notices(
    point: str, settings: Settings, client: Client, database: Database
) -> MemberMails:
    sealer = FernetSealer(settings.seal.key.get_secret_value())
    mailer = DyingMailer(build_mailer(settings, sealer), sends=point == "notice-sent")
    return MemberMails(
        UnitsOfWork(database, TemporalEngine(client), utc_now, new_ulid),
        ServiceMails(mailer, MailLimiter(database, sealer, utc_now)),
        sealer,
        origin=settings.server.origin,
        dashboard_url=settings.server.dashboard,
        service=settings.server.service,
    )


async def main(point: str) -> None:
    settings = load_settings()
    configure_logs(settings.watch.log_level)
    client = await connect(settings.temporal)
    database = Database(settings.database.url)
    activities = build_activities(settings, database, client, open_client(), NormalizerPool())
    if point == f"uncommitted:{names.WORK_ON_WEBHOOK}":
        work = _dying_work(settings, client, database)
        activities = dataclasses.replace(activities, work_on_webhook=work)
    elif point == f"uncommitted:{names.REPLAY_PAGE}":
        ReplayRepository.add = _add_and_die  # type: ignore[method-assign]
    elif point in ("notice-prepared", "notice-sent"):
        notices = _dying_notices(point, settings, client, database)
        activities = dataclasses.replace(activities, member_mails=notices)
    elif ":" not in point:
        execute, replies = _dying(point, settings, client, database)
        activities = dataclasses.replace(activities, execute=execute, replies=replies)
    async with (
        _tracker(settings, database, Metrics()) as tracker,
        build_worker(
            client,
            activities,
            sandbox=True,
            tracker=tracker,
            interceptors=[DieAt(point)],
            max_cached_workflows=0,
        ),
    ):
        await asyncio.Event().wait()


def _tracker(
    settings: Settings, database: Database, metrics: Metrics
) -> AbstractAsyncContextManager[ErrorTracker]:
    keep, spool = keep_in(database), settings.watch.error_spool
    return error_tracker(None, spool, keep, Redactor(), metrics)


async def deliver(point: str) -> None:
    settings = load_settings()
    configure_logs(settings.watch.log_level)
    client = await connect(settings.temporal)
    database, metrics = Database(settings.database.url), Metrics()
    sender = webhook_worker.build_sender(settings.webhooks)
    activities = webhook_worker.build_activities(settings, database, sender, metrics)
    async with (
        _tracker(settings, database, metrics) as tracker,
        webhook_worker.at_work(
            client,
            activities,
            sandbox=True,
            tracker=tracker,
            interceptors=[DieAt(point)],
            max_cached_workflows=0,
        ),
    ):
        await asyncio.Event().wait()


if __name__ == "__main__":
    _promise_heartbeats()
    asyncio.run((deliver if sys.argv[1].endswith(names.DELIVER) else main)(sys.argv[1]))
