"""The sender that a client's mails go out under: as it is asked for, checked and shown."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.core.plain_text import clean_text
from domain.core.ports import MailSender, Sealer, SmtpServer
from domain.identity.address import sign_in_address
from domain.identity.errors import InvalidAddress
from domain.integrations.errors import InvalidMailSender

CODE_LIFETIME: Final = timedelta(minutes=30)
CODES_A_DAY: Final = 5
MAX_SIGNATURE: Final = 1_000
"""Characters."""
MAX_LOGIN: Final = 320
MAX_PASSWORD: Final = 1_000
MAX_HOST: Final = 253
_MAX_SIGNATURE_LINES: Final = 12
# RFC 3676, 4.3: the line that mail programs cut a signature off at.
_SEPARATOR: Final = "-- "


class Security(StrEnum):
    """`tls` from the first byte; `starttls` after a greeting, and never without."""

    TLS = "tls"
    STARTTLS = "starttls"


PORTS: Final = {
    465: Security.TLS,
    587: Security.STARTTLS,
    2525: Security.STARTTLS,
    25: Security.STARTTLS,
}
"""The ports of mail submission, each with its way into TLS. No other port is dialled."""


@dataclass(frozen=True, slots=True)
class WantedServer:
    """`security`: None for the port's own. `password`: None keeps the one that is stored for the
    same server and user name."""

    host: str
    port: int
    security: Security | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class WantedSender:
    """`server`: None for the service's own."""

    address: str
    reply_to: str | None = None
    signature: str = ""
    server: WantedServer | None = None


class ShownServer(BaseModel):
    """A client's own mail server, without its password."""

    model_config = ConfigDict(frozen=True)

    host: str
    port: int
    security: Security
    username: str | None


class ShownSender(BaseModel):
    """A sender as people are shown it. `last_error`: why the last mail was not taken, a code; null
    once one was."""

    model_config = ConfigDict(frozen=True)

    address: str
    reply_to: str | None
    signature: str
    smtp: ShownServer | None = Field(description="Null: the service's own server.")
    verified: bool = Field(description="Until it is, mails go out under the service's sender.")
    verified_at: datetime | None
    last_error: str | None
    last_error_at: datetime | None
    updated_at: datetime


def checked_sender(wanted: WantedSender, service_address: str) -> WantedSender:
    """The same in the spelling that is stored. Raises InvalidMailSender, which names the field and
    holds nothing of its value.

    `service_address`: the service's own sender, which no client may take.
    """
    address = _address(wanted.address, "address")
    reply_to = None if wanted.reply_to is None else _address(wanted.reply_to, "reply_to")
    for given, name in ((address, "address"), (reply_to, "reply_to")):
        # A mail to it would come back as the next one to answer.
        if given == service_address.lower():
            raise InvalidMailSender(f"{name}: this address is the service's own", name)
    signature = clean_text(wanted.signature, MAX_SIGNATURE + 1)
    if len(signature) > MAX_SIGNATURE or signature.count("\n") >= _MAX_SIGNATURE_LINES:
        raise InvalidMailSender(
            f"signature: at most {MAX_SIGNATURE} characters on {_MAX_SIGNATURE_LINES} lines",
            "signature",
        )
    if wanted.server is not None:
        _check_login(wanted.server)
    return replace(wanted, address=address, reply_to=reply_to, signature=signature)


def check_port(port: int, *, allow_private: bool) -> None:
    """Raises InvalidMailSender. `allow_private`: an installation of one's own, whose servers may
    listen anywhere."""
    if port not in PORTS and not allow_private:
        raise InvalidMailSender(f"smtp.port: one of {', '.join(map(str, PORTS))}", "smtp.port")


def security_of(server: WantedServer) -> Security:
    """How TLS begins. Raises InvalidMailSender where the port does not say."""
    usual = PORTS.get(server.port)
    if server.security is None and usual is None:
        raise InvalidMailSender("smtp.security: tls or starttls expected", "smtp.security")
    if usual is not None and server.security not in (None, usual):
        raise InvalidMailSender(f"smtp.security: {usual} on this port", "smtp.security")
    return server.security or usual or Security.TLS


def same_way(one: MailSender, other: MailSender) -> bool:
    """Whether a code that came by one of them proves the other as well."""
    return (one.address, one.server) == (other.address, other.server)


def signed(text: str, signature: str) -> str:
    """The text of a mail with the signature below it, once."""
    if not signature or text.rstrip().endswith(signature):
        return text
    return f"{text.rstrip()}\n\n{_SEPARATOR}\n{signature}\n"


def seal_password(sealer: Sealer, client_id: str, password: str) -> str:
    """Sealed together with whose it is, so that it cannot be moved to another client."""
    return sealer.seal(f"{client_id}/{password}")


def unseal_password(sealer: Sealer, client_id: str, server: SmtpServer) -> str | None:
    """None for a server without one. Raises ValueError for another key's or another client's."""
    if server.sealed_password is None:
        return None
    owner, _, password = sealer.unseal(server.sealed_password).partition("/")
    if owner != client_id:
        raise ValueError("another client's password")
    return password


def code_name(client_id: str, code_id: str) -> str:
    """What a code is digested with: one of another client, or of signing in, is not this one."""
    return f"mail-sender/{client_id}/{code_id}"


def _address(given: str, name: str) -> str:
    try:
        return sign_in_address(given)
    except InvalidAddress:
        raise InvalidMailSender(
            f"{name}: one address expected, like contact@shop.example", name
        ) from None


def _check_login(server: WantedServer) -> None:
    """Raises InvalidMailSender."""
    for given, most, name in (
        (server.username, MAX_LOGIN, "smtp.username"),
        (server.password, MAX_PASSWORD, "smtp.password"),
    ):
        if given is not None and not (0 < len(given) <= most and given.isprintable()):
            raise InvalidMailSender(f"{name}: 1 to {most} printable characters expected", name)
    if server.password is not None and server.username is None:
        raise InvalidMailSender("smtp.username: it is missing", "smtp.username")
