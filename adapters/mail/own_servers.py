"""Connections to clients' own mail servers. The servers are untrusted, so connections require TLS
and their number is limited.

A slow server delays only its client's emails (`adapters/mail/mail_places.py`). A single deadline
applies to all steps of sending an email. aiosmtplib limits a reply to 8 KiB per line and 32 KiB in
total.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import aiosmtplib

from adapters.mail.mail_places import MailPlace, MailPlaces
from adapters.mail.smtp_guard import SmtpGuard
from domain.core.ports import MailSender, Sealer, SmtpServer
from domain.integrations.client_sender import unseal_password
from domain.integrations.errors import (
    MailLoginRefused,
    MailServersBusy,
    MailServerUntrusted,
    MailUnreachable,
)


class OwnServers:
    """A limited number of connections to clients' mail servers. An instance belongs to one event
    loop."""

    def __init__(
        self,
        sealer: Sealer,
        guard: SmtpGuard,
        tls: ssl.SSLContext,
        places: MailPlaces | None = None,
    ) -> None:
        """Create the connection limits. `tls` contains the trusted certificates, for checking each
        server's certificate and name."""
        self._sealer = sealer
        self._guard = guard
        self._tls = tls
        self._places = places or MailPlaces()

    @asynccontextmanager
    async def connected(
        self, sender: MailSender, server: SmtpServer, here: str, deadline: float
    ) -> AsyncIterator[aiosmtplib.SMTP]:
        """Yield a TLS connection to a client's mail server, authenticated if there is a user name.
        `here` is our name for EHLO. `deadline` is on the event loop's clock.

        Raises MailUnreachable (MailServersBusy, MailServerUntrusted), MailServerForbidden,
        MailLoginRefused.
        """
        password, now = self._password(sender, server), asyncio.get_running_loop().time
        place: MailPlace | None = None
        async with AsyncExitStack() as held:
            try:
                async with asyncio.timeout_at(deadline) as attempt:
                    place = await held.enter_async_context(self._places.place(sender.client_id))
                    with self._places.entering(place, lambda: attempt.reschedule(0)):
                        client = await self._entered(held, sender.client_id, server, here, password)
            # ValueError means that the reply to the login was invalid.
            except (aiosmtplib.SMTPException, OSError, ValueError) as error:
                if place is not None and place.is_lost:
                    raise MailServersBusy from None
                raise _explained(error) from None
            try:
                yield client
            finally:
                if now() >= deadline:
                    self._places.note_slow(sender.client_id)
            if place.is_prompt:
                self._places.note_prompt(sender.client_id)

    async def _entered(
        self,
        held: AsyncExitStack,
        client_id: str,
        server: SmtpServer,
        here: str,
        password: str | None,
    ) -> aiosmtplib.SMTP:
        """Return a connection that is authenticated if the server has a user name. The connection
        is closed with `held`."""
        sock = await self._guard.connect(client_id, server.host, server.port)
        client = aiosmtplib.SMTP(
            hostname=server.host,
            sock=sock,
            use_tls=not server.starttls,
            start_tls=False,
            tls_context=self._tls,
            local_hostname=here,
            timeout=None,
        )
        held.callback(_cut, client)
        await _enter(client, server, password)
        return client

    def _password(self, sender: MailSender, server: SmtpServer) -> str | None:
        try:
            return unseal_password(self._sealer, sender.client_id, server)
        except ValueError:
            raise MailLoginRefused("the stored password cannot be read") from None


def _cut(client: aiosmtplib.SMTP) -> None:
    """Close the connection without QUIT, because QUIT would wait for an unresponsive server."""
    if isinstance(client.transport, asyncio.WriteTransport):
        client.transport.abort()
    client.close()


async def _enter(client: aiosmtplib.SMTP, server: SmtpServer, password: str | None) -> None:
    """Connect and authenticate. Only the greeting and STARTTLS are unencrypted."""
    await client.connect()
    if server.starttls:
        await client.ehlo()
        if not client.supports_extension("starttls"):
            raise MailServerUntrusted("the mail server offers no TLS")
        await client.starttls()
    if server.username is None or password is None:
        return
    await client.ehlo()
    if not client.supported_auth_methods:
        raise MailLoginRefused("the mail server offers no login")
    await client.login(server.username, password)


def _explained(error: Exception) -> MailUnreachable | MailLoginRefused:
    """Convert the error to one of our own types, without the server's text."""
    for one in (error, error.__cause__):
        if isinstance(one, ssl.SSLError):
            return MailServerUntrusted("the mail server's certificate or TLS is not accepted")
    if isinstance(error, aiosmtplib.SMTPAuthenticationError) and error.code >= 500:
        return MailLoginRefused("the mail server refused the user name and password")
    return MailUnreachable("no connection to the client's mail server")
