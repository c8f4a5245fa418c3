"""Tell owner: the mail about a webhook that fails or was disabled."""

import structlog
from temporalio import activity

from activities.runtime.heartbeat import beating
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Mailer
from domain.core.service_name import ServiceName
from domain.integrations.errors import MailRefused, MailUnknown
from domain.webhooks.contracts import TellOwnerInput
from domain.webhooks.notice import notice_mail
from store.core.database import Database
from store.webhooks.troubled_webhook import troubled_webhook

_log = structlog.get_logger(__name__)


class TellOwner:
    """`dashboard_url`: where the owner sees and enables webhooks."""

    def __init__(
        self, database: Database, mailer: Mailer, dashboard_url: str, service: ServiceName
    ) -> None:
        self._service = service
        self._database = database
        self._mailer = mailer
        self._dashboard_url = dashboard_url

    @activity.defn(name=names.TELL_OWNER)
    async def tell(self, step: TellOwnerInput) -> None:
        """Write to the owner, once unless this worker dies with the mail handed over.

        Idempotency key: the Message-ID, made of the delivery's. Raises MailUnreachable, for
        Temporal to retry. A refused mail, and one of unknown fate, is logged and not sent again.
        """
        async with self._database.service() as connection:
            webhook = await troubled_webhook(connection, TenantId(step.client_id), step.delivery_id)
        if webhook is None:
            return
        mail = notice_mail(
            step.notice,
            webhook,
            delivery_id=step.delivery_id,
            dashboard_url=self._dashboard_url,
            service=self._service,
        )
        try:
            async with beating():
                await self._mailer.send(mail)
        except (MailRefused, MailUnknown) as error:
            _log.warning("owner not told of a webhook", notice=step.notice, error_code=error.code)
