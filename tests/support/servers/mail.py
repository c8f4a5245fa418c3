"""A real SMTP server on loopback that stores emails and can fail."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage

from aiosmtpd.smtp import SMTP, Envelope, Session


class MailServer:
    """An SMTP server. `reply` is the response to DATA, or None to drop the connection. Until `held`
    is set, emails are stored but not acknowledged."""

    def __init__(self) -> None:
        self.url = ""
        self.begin_anew()

    def begin_anew(self) -> None:
        """Remove all emails, and reset the last test's faults."""
        self.mails: list[EmailMessage] = []
        self.reply: str | None = "250 kept"
        self.recipient_reply = "250 ok"
        self.pause_s = 0.0
        self.refused = 0
        self.held: asyncio.Event | None = None

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _: SMTP, __: Session, envelope: Envelope, address: str, ___: list[str]
    ) -> str:
        await asyncio.sleep(self.pause_s)  # a slow server
        if self.recipient_reply.startswith("250"):
            envelope.rcpt_tos.append(address)
        else:
            self.refused += 1
        return self.recipient_reply

    async def handle_DATA(self, server: SMTP, _: Session, envelope: Envelope) -> str:  # noqa: N802
        await asyncio.sleep(self.pause_s)
        assert isinstance(envelope.content, bytes)
        mail = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.mails.append(mail)
        if self.held is not None:
            await self.held.wait()
        if self.reply is None:
            assert isinstance(server.transport, asyncio.Transport)
            server.transport.abort()
            return "421 never arrives"
        return self.reply


@asynccontextmanager
async def mail_server() -> AsyncIterator[MailServer]:
    handler = MailServer()
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(handler), "127.0.0.1", 0)
    handler.url = f"smtp://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield handler
