"""Connections to clients' own mail servers. The servers are untrusted: they are used only over TLS
and with few concurrent connections.

A slow or unresponsive server delays only the emails of its client. Each client has a few connection
slots. All clients together can use only a part of the worker's concurrency. One deadline covers the
whole sending of an email. aiosmtplib limits a server's reply to 8 KiB per line and 32 KiB in total.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final
from weakref import WeakValueDictionary

import aiosmtplib

from adapters.mail.smtp_guard import SmtpGuard
from domain.core.ports import MailSender, Sealer, SmtpServer
from domain.integrations.client_sender import unseal_password
from domain.integrations.errors import MailLoginRefused, MailServerUntrusted, MailUnreachable

_AT_ONCE: Final = 4
"""Maximum number of concurrent connections per client."""
_ALL_AT_ONCE: Final = 32
"""Maximum number of concurrent connections for all clients: a third of a worker's concurrency, so
that other work continues."""
_PATIENCE_S: Final = 1.0
"""Maximum wait for a connection slot, in seconds. If an email gets no slot, Temporal retries it."""


class OwnServers:
    """A limited number of connections to clients' mail servers. An instance belongs to one event
    loop."""

    def __init__(self, sealer: Sealer, guard: SmtpGuard, tls: ssl.SSLContext) -> None:
        """Create the connection limits. `tls`: the trusted certificates. Each server's certificate
        and name are checked."""
        self._sealer = sealer
        self._guard = guard
        self._tls = tls
        self._all = asyncio.Semaphore(_ALL_AT_ONCE)
        self._places: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def connected(
        self, sender: MailSender, server: SmtpServer, here: str, deadline: float
    ) -> AsyncIterator[aiosmtplib.SMTP]:
        """Yield a TLS connection to a client's mail server, authenticated if the server has a user
        name. `here`: our host name for EHLO. `deadline`: a time on the event loop's clock.

        Raises MailUnreachable, MailServerUntrusted, MailServerForbidden, MailLoginRefused.
        """
        password = self._password(sender, server)
        async with AsyncExitStack() as held:
            try:
                async with asyncio.timeout_at(deadline):
                    await self._take_place(sender.client_id, held)
                    sock = await self._guard.connect(sender.client_id, server.host, server.port)
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
            # ValueError means that the reply to the login was invalid.
            except (aiosmtplib.SMTPException, OSError, ValueError) as error:
                raise _explained(error) from None
            yield client

    def _password(self, sender: MailSender, server: SmtpServer) -> str | None:
        try:
            return unseal_password(self._sealer, sender.client_id, server)
        except ValueError:
            raise MailLoginRefused("the stored password cannot be read") from None

    async def _take_place(self, client_id: str, held: AsyncExitStack) -> None:
        """Acquire one of the client's slots before a shared slot, so that a client at its limit
        does not occupy a shared slot. Raises MailUnreachable if no slot becomes free in time."""
        mine = self._places.setdefault(client_id, asyncio.Semaphore(_AT_ONCE))
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await held.enter_async_context(mine)
                await held.enter_async_context(self._all)
        except TimeoutError:
            raise MailUnreachable("the client sends as much at once as one may") from None


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
