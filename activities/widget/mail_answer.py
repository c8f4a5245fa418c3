"""The activity that emails a late answer to a widget visitor who has not seen the answer."""

from temporalio import activity

from activities.integrations.client_mail import ClientMail, shown_name
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import OutgoingMail
from domain.integrations.mail_allowance import MailGroup
from domain.tenants.disclosure import disclosure_line
from domain.widget.answer_mail import answer_mail
from domain.widget.contracts import LateAnswer, MailAnswerInput
from store.core.database import Database
from store.tenants.automation import AutomationStops
from store.tenants.client_settings import SettingsRepository
from store.widget.answers_by_mail import AnswersByMailRepository


class MailAnswers:
    def __init__(self, database: Database, mail: ClientMail) -> None:
        self._database = database
        self._mail = mail

    @activity.defn(name=names.MAIL_ANSWER_UNSEEN)
    async def send(self, step: MailAnswerInput) -> None:
        """Email the answer on the client's behalf, once. The email is sent twice only if the worker
        crashes after the mail server has accepted it.

        Idempotency key: the Message-ID, derived from the message's id, whose number is recorded
        first. Raises MailUnreachable, which Temporal retries. A rejected email, or one with an
        unknown outcome, is logged and not sent again. The answer stays on the page.
        """
        tenant = TenantId(step.client_id)
        unseen = await self._unseen(tenant, step.answer)
        if unseen is not None:
            mail, run_id = unseen
            await self._mail.send_once(tenant, mail, MailGroup.ANSWERS, answer_of=run_id)

    async def _unseen(self, tenant: TenantId, late: LateAnswer) -> tuple[OutgoingMail, str] | None:
        """Return the email and the answered run, or None if no email is needed. While automation is
        stopped, only human agents' answers are emailed."""
        async with self._database.tenant(tenant) as connection:
            answers = AnswersByMailRepository(connection, tenant)
            run_id = await answers.automatic_run_of(late)
            if run_id is not None and await AutomationStops(connection, tenant).holds(run_id):
                return None
            answer = await answers.claim(late)
            if answer is None:
                return None
            name = await shown_name(connection, tenant)
            settings = await SettingsRepository(connection, tenant).read()
        if name is None:
            return None
        line = ""
        if run_id is not None:
            line = disclosure_line(settings.disclosure_status, settings.disclosure, answer.language)
        return answer_mail(answer, name, line), answer.run_id
