"""A worker that ends itself with SIGKILL at a named point, its one argument.

The point is `before:<activity>`, `after:<activity>` (its effects are committed, its result is
lost) or `mail-sent` (the mail server has the mail, the ledger does not know).
"""

import asyncio
import os
import signal
import sys

from temporalio import activity
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from activities.execute import Execute
from adapters.error_tracker import QueuedTracker
from adapters.logs import configure_logs
from adapters.mail import SmtpMailer
from adapters.metrics import Metrics
from adapters.system import new_ulid, utc_now
from adapters.temporal import connect
from domain.ports import OutgoingMail
from settings import Settings
from store.database import Database
from store.error_report_repository import keep_in
from worker import build_activities, build_worker


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


class DyingMailer(SmtpMailer):
    async def send(self, mail: OutgoingMail) -> None:
        await super().send(mail)
        _die()


async def main(point: str) -> None:
    settings = Settings()
    configure_logs(settings.log_level)
    client = await connect(settings.temporal_address, settings.temporal_namespace)
    database = Database(settings.database_url)
    activities = build_activities(settings, database, client)
    if point == "mail-sent":
        mailer = DyingMailer(settings.smtp_url, settings.mail_from)
        actions = Actions(mailer, connectors(settings))
        object.__setattr__(activities, "execute", Execute(database, actions, utc_now, new_ulid))
    tracker = QueuedTracker(keep_in(database, new_ulid), Metrics())
    async with build_worker(
        client, activities, sandbox=True, tracker=tracker, interceptors=[DieAt(point)]
    ):
        await tracker.write()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
