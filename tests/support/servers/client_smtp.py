"""A merchant's SMTP servers on loopback: a server with TLS and a login, and faulty servers."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final
from warnings import catch_warnings

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword, Session

from domain.core.ports import SmtpServer
from tests.support.servers.mail import MailServer

USERNAME: Final = "contact@shop.example"
PASSWORD: Final = "CANARY0smtp0password"

Script = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class ClientSmtp(MailServer):
    """A merchant's SMTP server. `logins` counts successful ones. `names` are the names of both
    sides in TLS."""

    def __init__(self) -> None:
        super().__init__()
        self.port = 0
        self.logins: list[bytes] = []
        self.asked_for: list[str | None] = []
        self.password = PASSWORD

    def login(self, _: SMTP, __: Session, ___: object, ____: str, given: object) -> AuthResult:
        assert isinstance(given, LoginPassword)
        self.logins.append(given.login)
        return AuthResult(success=given.password == self.password.encode(), handled=False)


@asynccontextmanager
async def client_smtp(context: ssl.SSLContext, *, starttls: bool) -> AsyncIterator[ClientSmtp]:
    """Run a server that accepts emails from USERNAME with PASSWORD, only over TLS."""
    handler = ClientSmtp()

    def remembered(_: ssl.SSLObject, name: str | None, __: ssl.SSLContext) -> None:
        handler.asked_for.append(name)

    context.sni_callback = remembered

    def one() -> SMTP:
        with catch_warnings(action="ignore"):  # it does not detect that it is within TLS
            return SMTP(
                handler,
                tls_context=context if starttls else None,
                require_starttls=starttls,
                auth_required=True,
                auth_require_tls=starttls,
                authenticator=handler.login,
            )

    server = await asyncio.get_running_loop().create_server(
        one, "127.0.0.1", 0, ssl=None if starttls else context
    )
    handler.port = server.sockets[0].getsockname()[1]
    async with server:
        yield handler


@asynccontextmanager
async def scripted(script: Script, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """Return the port of a server that runs `script` for each connection. The connections end with
    the block."""
    running: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        running.add(task)
        with suppress(OSError, asyncio.CancelledError):
            await script(reader, writer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]
        for task in running:
            task.cancel()


def at(port: int, *, starttls: bool = False, host: str = "localhost") -> SmtpServer:
    """Return a sender without a login."""
    return SmtpServer(host=host, port=port, starttls=starttls)


async def says(writer: asyncio.StreamWriter, *lines: str) -> None:
    writer.write("".join(f"{line}\r\n" for line in lines).encode())
    await writer.drain()
