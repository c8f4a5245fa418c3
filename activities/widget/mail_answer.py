"""Mail answer: a late answer goes to the address of a visitor who has not seen it."""

import structlog
from temporalio import activity

from activities.runtime.heartbeat import beating
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Mailer
from domain.integrations.errors import MailRefused, MailUnknown
from domain.widget.answer_mail import answer_mail
from domain.widget.contracts import MailAnswerInput
from store.core.database import Database
from store.tenants.clients import ClientRepository
from store.widget.answers_by_mail import AnswersByMailRepository

_log = structlog.get_logger(__name__)


class MailAnswers:
    def __init__(self, database: Database, mailer: Mailer) -> None:
        self._database = database
        self._mailer = mailer

    @activity.defn(name=names.MAIL_ANSWER_UNSEEN)
    async def send(self, step: MailAnswerInput) -> None:
        """Send the answer once, unless this worker dies with it handed over.

        Idempotency key: the Message-ID, made of the message's; the session notes the number before.
        Raises MailUnreachable, for Temporal to retry. A refused mail, and one of unknown fate, is
        logged and not sent again: the answer stays on the page.
        """
        tenant = TenantId(step.client_id)
        async with self._database.tenant(tenant) as connection:
            answer = await AnswersByMailRepository(connection, tenant).claim(step.answer)
            if answer is None:
                return
            brand = await ClientRepository(connection).brand_name(tenant)
        try:
            async with beating():
                await self._mailer.send(answer_mail(answer, brand))
        except (MailRefused, MailUnknown) as error:
            _log.warning("answer not mailed", message_id=answer.message_id, error_code=error.code)
