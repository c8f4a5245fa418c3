"""Clients' own mail servers: strangers' machines, by TLS only and never many at once.

A server that is silent, drips or never ends costs its own client's mails and no other's: a
client has a few places, all clients together have a share of the worker, and every send has one
deadline. What a server says is bounded by aiosmtplib: 8 KiB a line, 32 KiB an answer.
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
"""Connections of one client."""
_ALL_AT_ONCE: Final = 32
"""Of all clients: a third of what a worker does at once, so that it never is all of it."""
_PATIENCE_S: Final = 1.0
"""For a place. Temporal tries again what found none."""


class OwnServers:
    """Used by one event loop."""

    def __init__(self, sealer: Sealer, guard: SmtpGuard, tls: ssl.SSLContext) -> None:
        """`tls`: which certificates are believed; each is checked, and its name."""
        self._sealer = sealer
        self._guard = guard
        self._tls = tls
        self._all = asyncio.Semaphore(_ALL_AT_ONCE)
        self._places: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def connected(
        self, sender: MailSender, server: SmtpServer, here: str, deadline: float
    ) -> AsyncIterator[aiosmtplib.SMTP]:
        """A connection in TLS, logged in. `here`: the name that we introduce ourselves by.

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
            # ValueError: an answer of the login's that aiosmtplib cannot read.
            except (aiosmtplib.SMTPException, OSError, ValueError) as error:
                raise _explained(error) from None
            yield client

    def _password(self, sender: MailSender, server: SmtpServer) -> str | None:
        try:
            return unseal_password(self._sealer, sender.client_id, server)
        except ValueError:
            raise MailLoginRefused("the stored password cannot be read") from None

    async def _take_place(self, client_id: str, held: AsyncExitStack) -> None:
        """Its own first: a client that has its share takes no place in the line of all."""
        mine = self._places.setdefault(client_id, asyncio.Semaphore(_AT_ONCE))
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await held.enter_async_context(mine)
                await held.enter_async_context(self._all)
        except TimeoutError:
            raise MailUnreachable("the client sends as much at once as one may") from None


def _cut(client: aiosmtplib.SMTP) -> None:
    """Without a farewell, which a silent server would have us wait for."""
    if isinstance(client.transport, asyncio.WriteTransport):
        client.transport.abort()
    client.close()


async def _enter(client: aiosmtplib.SMTP, server: SmtpServer, password: str | None) -> None:
    """From the greeting to the login. Only the greeting and STARTTLS are said in the clear."""
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
    """In our words, whatever the server's were."""
    for one in (error, error.__cause__):
        if isinstance(one, ssl.SSLError):
            return MailServerUntrusted("the mail server's certificate or TLS is not accepted")
    if isinstance(error, aiosmtplib.SMTPAuthenticationError) and error.code >= 500:
        return MailLoginRefused("the mail server refused the user name and password")
    return MailUnreachable("no connection to the client's mail server")
