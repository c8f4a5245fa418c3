"""The activity that emails a client's owner about a webhook that is failing or was disabled."""

from temporalio import activity

from activities.integrations.service_mails import ServiceMails
from domain.core import names
from domain.core.ids import TenantId
from domain.core.service_name import ServiceName
from domain.integrations.service_mail import ServiceMail
from domain.webhooks.contracts import TellOwnerInput
from domain.webhooks.notice import notice_mail
from store.core.database import Database
from store.webhooks.webhook_failure_notice import webhook_failure_notice


class WebhookFailureNotices:
    """The activity that sends notices about failing webhooks. `dashboard_url` is the URL of the
    page where the owner sees and enables webhooks."""

    def __init__(
        self, database: Database, mails: ServiceMails, dashboard_url: str, service: ServiceName
    ) -> None:
        self._service = service
        self._database = database
        self._mails = mails
        self._dashboard_url = dashboard_url

    @activity.defn(name=names.TELL_OWNER)
    async def tell(self, step: TellOwnerInput) -> None:
        """Email the owner once. The email is sent twice only if the worker crashes after the mail
        server has accepted it.

        Idempotency key: the Message-ID, derived from the delivery's id. Raises MailUnreachable,
        which Temporal retries. A rejected email, or one with an unknown outcome, is logged and not
        sent again.
        """
        async with self._database.service() as connection:
            webhook = await webhook_failure_notice(
                connection, TenantId(step.client_id), step.delivery_id
            )
        if webhook is None:
            return
        mail = notice_mail(
            step.notice,
            webhook,
            delivery_id=step.delivery_id,
            dashboard_url=self._dashboard_url,
            service=self._service,
        )
        await self._mails.send_once(ServiceMail.WEBHOOK_NOTICE, mail, TenantId(step.client_id))
