"""Mail in a client's name: by its verified sender if it has one, else by the service's."""

from domain.core.ids import TenantId
from domain.core.ports import Clock, Mailer, MailSender, OutgoingMail
from domain.integrations.client_sender import signed
from domain.integrations.errors import ActionRefused, ActionUnknown, ActionUnreachable
from store.core.database import Database
from store.integrations.mail_senders import MailSenderRepository


class ClientMail:
    """What kept the last mail from going out is noted with the sender, for the merchant to see."""

    def __init__(self, database: Database, mailer: Mailer, now: Clock) -> None:
        self._database = database
        self._mailer = mailer
        self._now = now

    async def send(self, tenant: TenantId, mail: OutgoingMail) -> str:
        """Send one mail to a customer and return its Message-ID.

        Raises MailRefused, MailUnreachable (not sent), MailUnknown.
        """
        async with self._database.tenant(tenant) as connection:
            sender = await MailSenderRepository(connection, tenant).verified()
        if sender is None:
            return await self._mailer.send(mail)
        text = signed(mail.text, sender.signature)
        return await self.send_by(sender, mail.model_copy(update={"text": text}))

    async def send_by(self, sender: MailSender, mail: OutgoingMail) -> str:
        """The same by a sender that may not be verified yet. Raises as `send` does."""
        tenant = sender.client_id
        try:
            message_id = await self._mailer.send(mail, sender)
        except (ActionRefused, ActionUnreachable, ActionUnknown) as error:
            async with self._database.tenant(tenant) as connection:
                senders = MailSenderRepository(connection, tenant)
                await senders.note_failure(sender.address, error.code, self._now())
            raise
        async with self._database.tenant(tenant) as connection:
            await MailSenderRepository(connection, tenant).note_success(sender.address)
        return message_id
