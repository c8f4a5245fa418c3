"""Mail answer: a late answer goes to the address of a visitor who has not seen it."""

from temporalio import activity

from activities.integrations.client_mail import ClientMail, shown_name
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import OutgoingMail
from domain.widget.answer_mail import answer_mail
from domain.widget.contracts import LateAnswer, MailAnswerInput
from store.core.database import Database
from store.widget.answers_by_mail import AnswersByMailRepository


class MailAnswers:
    def __init__(self, database: Database, mail: ClientMail) -> None:
        self._database = database
        self._mail = mail

    @activity.defn(name=names.MAIL_ANSWER_UNSEEN)
    async def send(self, step: MailAnswerInput) -> None:
        """Send the answer in the client's name, once unless this worker dies with it handed over.

        Idempotency key: the Message-ID, made of the message's; the session notes the number before.
        Raises MailUnreachable, for Temporal to retry. A refused mail, and one of unknown fate, is
        logged and not sent again: the answer stays on the page.
        """
        tenant = TenantId(step.client_id)
        mail = await self._unseen(tenant, step.answer)
        if mail is not None:
            await self._mail.send_once(tenant, mail)

    async def _unseen(self, tenant: TenantId, late: LateAnswer) -> OutgoingMail | None:
        async with self._database.tenant(tenant) as connection:
            answer = await AnswersByMailRepository(connection, tenant).claim(late)
            if answer is None:
                return None
            name = await shown_name(connection, tenant)
        return None if name is None else answer_mail(answer, name)
