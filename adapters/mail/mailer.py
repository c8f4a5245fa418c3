"""Send outgoing emails over SMTP."""

import asyncio
from email.headerregistry import Address
from email.message import EmailMessage
from typing import Final
from urllib.parse import unquote, urlsplit

import aiosmtplib

from adapters.mail.message import written
from adapters.mail.own_servers import OwnServers
from domain.core.errors import InvalidInput
from domain.core.ports import MailSender, OutgoingMail, ServicePermit
from domain.intake.customer_email import customer_key
from domain.integrations.errors import MailRefused, MailUnknown, MailUnreachable

# Timeout for sending one email, in seconds. It is below the activity's timeout of 10 s.
_TIMEOUT_S: Final = 8.0


class SmtpMailer:
    """A mailer that sends through the client's own mail server, else through the server in
    SMTP_URL.

    Each email uses a new connection, which cannot be stale. Errors omit the server's replies
    because Temporal stores errors and replies are untrusted.
    """

    def __init__(self, smtp_url: str | None, mail_from: str, own: OwnServers) -> None:
        """Create the mailer. `own` are connections to clients' servers. Raises InvalidInput for an
        invalid URL or sender address."""
        self._server = urlsplit(smtp_url) if smtp_url else None
        if self._server is not None and (
            self._server.scheme not in ("smtp", "smtps") or not self._server.hostname
        ):
            raise InvalidInput("SMTP_URL: smtp://host:port or smtps://host:port expected")
        try:
            self._service = Address(addr_spec=mail_from)
        except (ValueError, IndexError) as error:
            raise InvalidInput(
                "MAIL_FROM: an address like support@shop.example expected"
            ) from error
        self._own = own

    async def send(self, mail: OutgoingMail, by: MailSender | ServicePermit) -> str:
        self._check_way(mail, by)
        deadline = asyncio.get_running_loop().time() + _TIMEOUT_S
        if isinstance(by, ServicePermit):
            message = written(mail, self._service, None)
            await self._send_by_service(message, deadline)
        elif by.server is None:
            message = written(mail, _address(by), by.reply_to)
            await self._send_by_service(message, deadline)
        else:
            message = written(mail, _address(by), by.reply_to)
            here = self._service.domain
            async with self._own.connected(by, by.server, here, deadline) as client:
                await _hand_over(client, message, deadline)
        return str(message["Message-ID"])

    def _check_way(self, mail: OutgoingMail, by: MailSender | ServicePermit) -> None:
        """Raise MailRefused if the sender is not allowed to send to this address."""
        to = customer_key(mail.to)
        if to is None:
            raise MailRefused("this is no mail address")
        # An email to our own address would arrive as a new message to answer.
        ours = {customer_key(self._service.addr_spec)}
        if isinstance(by, ServicePermit):
            if to != customer_key(by.to):
                raise MailRefused("the permit is for another address")
        elif by.verified:
            ours |= {customer_key(by.address), customer_key(by.reply_to)}
        elif to != customer_key(by.address):
            raise MailRefused("this sender is not verified")
        if to in ours:
            raise MailRefused("this is our own address")

    async def _send_by_service(self, message: EmailMessage, deadline: float) -> None:
        if self._server is None:
            raise MailRefused("no SMTP_URL is set")
        client = aiosmtplib.SMTP(
            hostname=self._server.hostname,
            port=self._server.port,
            use_tls=self._server.scheme == "smtps",
            username=unquote(self._server.username) if self._server.username else None,
            password=unquote(self._server.password) if self._server.password else None,
            timeout=_TIMEOUT_S,
        )
        try:
            async with asyncio.timeout_at(deadline):
                await client.connect()
        except aiosmtplib.SMTPAuthenticationError as error:
            raise MailRefused("the mail server refused our credentials") from error
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
            raise MailUnreachable("no connection to the mail server") from error
        try:
            await _hand_over(client, message, deadline)
        finally:
            client.close()


def _address(sender: MailSender) -> Address:
    try:
        return Address(addr_spec=sender.address)
    except (ValueError, IndexError):
        raise MailRefused("the sender's address cannot be written") from None


async def _hand_over(client: aiosmtplib.SMTP, message: EmailMessage, deadline: float) -> None:
    """Send the message with MAIL, RCPT and DATA. Raises MailUnreachable for a temporary rejection,
    MailRefused for a permanent one, and MailUnknown without a reply."""
    try:
        async with asyncio.timeout_at(deadline):
            await client.send_message(message)
    except aiosmtplib.SMTPNotSupported:
        raise MailRefused("the mail server cannot write to this address") from None
    except (
        aiosmtplib.SMTPSenderRefused,
        aiosmtplib.SMTPRecipientsRefused,
        aiosmtplib.SMTPDataError,
        aiosmtplib.SMTPResponseException,
    ) as error:
        if _is_temporary(error):
            raise MailUnreachable("the mail server said: later", by_server=True) from None
        raise MailRefused("the mail server refused the mail", by_server=True) from None
    except (aiosmtplib.SMTPException, OSError, TimeoutError):
        raise MailUnknown("the connection broke while the mail was handed over") from None


def _is_temporary(error: aiosmtplib.SMTPException) -> bool:
    """Return whether a rejection has a 4xx code."""
    if isinstance(error, aiosmtplib.SMTPRecipientsRefused):
        return all(400 <= refused.code < 500 for refused in error.recipients)
    return isinstance(error, aiosmtplib.SMTPResponseException) and 400 <= error.code < 500
