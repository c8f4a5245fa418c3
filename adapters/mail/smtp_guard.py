"""SSRF protection for clients' mail servers, as for webhook URLs, when the server is stored and
again for every email."""

import socket
from typing import Final

from adapters.webhooks.dial import Dialler, vetted
from adapters.webhooks.failures import PostFailed
from adapters.webhooks.lookup import LOOKUP_S, LookUp, Names, system_look_up
from domain.core.errors import EngineUnavailable
from domain.integrations.client_sender import check_port
from domain.integrations.errors import InvalidMailSender, MailServerForbidden, MailUnreachable
from domain.webhooks.delivery import FailureKind
from domain.webhooks.errors import Deferred, InvalidWebhook
from domain.webhooks.url import checked_host

_FIELD: Final = "smtp.host"


class SmtpGuard:
    """A guard that checks clients' mail servers and connects to them, for one event loop.
    Implements `domain.integrations.ports.MailServers`."""

    def __init__(self, *, allow_private: bool, look_up: LookUp = system_look_up) -> None:
        self._allow_private = allow_private
        self._names = Names(look_up, LOOKUP_S)

    async def check(self, client_id: str, host: str, port: int) -> str:
        check_port(port, allow_private=self._allow_private)
        try:
            name = checked_host(host, bracketed=False, allow_private=self._allow_private)
            vetted(await self._found(client_id, name), allow_private=self._allow_private)
        except InvalidWebhook:
            raise InvalidMailSender("smtp.host: a public host name expected", _FIELD) from None
        except PostFailed as error:
            raise InvalidMailSender(f"smtp.host: {error.text}", _FIELD) from None
        except Deferred as error:
            raise EngineUnavailable("no look-up is free") from error
        return name

    async def connect(self, client_id: str, host: str, port: int) -> socket.socket:
        """Resolve the host, check its addresses, and connect to one of them, unaffected by later
        DNS changes. Raises MailServerForbidden, MailUnreachable."""
        try:
            addresses = vetted(
                await self._found(client_id, host), allow_private=self._allow_private
            )
            return await Dialler(allow_private=self._allow_private).connect(addresses, port)
        except PostFailed as error:
            if error.kind is FailureKind.BLOCKED_ADDRESS:
                raise MailServerForbidden(error.text) from None
            raise MailUnreachable(error.text) from None
        except (OSError, Deferred, EngineUnavailable) as error:
            raise MailUnreachable("no connection to the client's mail server") from error

    async def _found(self, client_id: str, host: str) -> list[str]:
        return [*await self._names.found(await self._names.begin(client_id, host))]
