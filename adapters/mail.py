"""Mail out, by SMTP."""

import asyncio
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage
from typing import Final
from urllib.parse import unquote, urlsplit

import aiosmtplib

from domain.core.errors import InvalidInput
from domain.core.ports import OutgoingMail
from domain.intake.customer_email import customer_key
from domain.integrations.errors import MailRefused, MailUnknown, MailUnreachable

# Over everything, below the 10 s that the activity may take.
_TIMEOUT_S: Final = 8.0


class SmtpMailer:
    """Sends by the server of SMTP_URL. One connection a mail: nothing stale can be reused."""

    def __init__(self, smtp_url: str | None, mail_from: str) -> None:
        """Raises InvalidInput for a URL or sender that cannot be used."""
        self._server = urlsplit(smtp_url) if smtp_url else None
        if self._server is not None and (
            self._server.scheme not in ("smtp", "smtps") or not self._server.hostname
        ):
            raise InvalidInput("SMTP_URL: smtp://host:port or smtps://host:port expected")
        try:
            self._sender = Address(addr_spec=mail_from)
        except (ValueError, IndexError) as error:
            raise InvalidInput(
                "MAIL_FROM: an address like support@shop.example expected"
            ) from error

    async def send(self, mail: OutgoingMail) -> None:
        """Hand one mail over. Raises MailRefused, MailUnreachable (not sent), MailUnknown."""
        if self._server is None:
            raise MailRefused("no SMTP_URL is set")
        if customer_key(mail.to) == customer_key(self._sender.addr_spec):
            # What we send to ourselves comes back as the next message to answer.
            raise MailRefused("this is our own address")
        message = self._message(mail)
        client = aiosmtplib.SMTP(
            hostname=self._server.hostname,
            port=self._server.port,
            use_tls=self._server.scheme == "smtps",
            username=unquote(self._server.username) if self._server.username else None,
            password=unquote(self._server.password) if self._server.password else None,
            timeout=_TIMEOUT_S,
        )
        deadline = asyncio.get_running_loop().time() + _TIMEOUT_S
        try:
            async with asyncio.timeout_at(deadline):
                await client.connect()
        except aiosmtplib.SMTPAuthenticationError as error:
            raise MailRefused("the mail server refused our credentials") from error
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
            raise MailUnreachable("no connection to the mail server") from error
        try:
            await self._hand_over(client, message, deadline)
        finally:
            client.close()

    async def _hand_over(
        self, client: aiosmtplib.SMTP, message: EmailMessage, deadline: float
    ) -> None:
        """MAIL, RCPT and DATA. A reply tells what became of the text; silence tells nothing."""
        try:
            async with asyncio.timeout_at(deadline):
                await client.send_message(message)
        except aiosmtplib.SMTPNotSupported as error:
            raise MailRefused("the mail server cannot write to this address") from error
        except (
            aiosmtplib.SMTPSenderRefused,
            aiosmtplib.SMTPRecipientsRefused,
            aiosmtplib.SMTPDataError,
            aiosmtplib.SMTPResponseException,
        ) as error:
            if _is_temporary(error):
                raise MailUnreachable("the mail server said: later") from error
            raise MailRefused("the mail server refused the mail") from error
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
            raise MailUnknown("the connection broke while the mail was handed over") from error

    def _message(self, mail: OutgoingMail) -> EmailMessage:
        message = EmailMessage()
        try:
            message["Message-ID"] = mail.message_id
            message["From"] = Address(mail.from_name, self._sender.username, self._sender.domain)
            message["To"] = Address(addr_spec=mail.to)
            message["Subject"] = mail.subject
            if mail.in_reply_to:
                message["In-Reply-To"] = mail.in_reply_to
            if mail.references:
                message["References"] = " ".join(mail.references)
        except (ValueError, IndexError, AttributeError, HeaderParseError) as error:
            # How the header library refuses line breaks and malformed addresses.
            raise MailRefused("the mail's headers cannot be written") from error
        # RFC 3834 and, for Exchange, its own header: tells other robots not to answer.
        message["Auto-Submitted"] = mail.auto_submitted
        message["X-Auto-Response-Suppress"] = "OOF, AutoReply"
        message.set_content(mail.text)
        return message


def _is_temporary(error: aiosmtplib.SMTPException) -> bool:
    """Whether a refusal was of the 4xx kind."""
    if isinstance(error, aiosmtplib.SMTPRecipientsRefused):
        return all(400 <= refused.code < 500 for refused in error.recipients)
    return isinstance(error, aiosmtplib.SMTPResponseException) and 400 <= error.code < 500
