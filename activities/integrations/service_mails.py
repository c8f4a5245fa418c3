"""Service emails: fixed texts that the service sends in its own name. Their limits are in
`domain/integrations/service_mail.py`."""

import structlog

from activities.integrations.mail_limiter import MailLimiter
from activities.runtime.heartbeat import beating
from domain.core.ids import TenantId
from domain.core.ports import Mailer, OutgoingMail
from domain.integrations.errors import MailRefused, MailUnknown
from domain.integrations.service_mail import ServiceMail

_log = structlog.get_logger(__name__)


class ServiceMails:
    def __init__(self, mailer: Mailer, limiter: MailLimiter) -> None:
        self._mailer = mailer
        self._limiter = limiter

    async def send_once(
        self, kind: ServiceMail, mail: OutgoingMail, tenant: TenantId | None = None
    ) -> bool:
        """Send one service email within an activity, and return whether the mail server accepted
        it. It counts toward the limit of `tenant`.

        An email that was rejected, exceeds a limit or has an unknown outcome is logged and must not
        be sent again. Raises MailUnreachable.
        """
        try:
            async with beating(), self._limiter.service_mail(kind, mail.to, tenant) as permit:
                await self._mailer.send(mail, permit)
        except (MailRefused, MailUnknown) as error:
            _log.warning("failed to send mail", kind=kind, mail=mail.name, error_code=error.code)
            return False
        return True
