"""The sender of a client's emails: how it is validated, stored and displayed."""

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
"""Maximum length of a signature, in characters."""
MAX_LOGIN: Final = 320
MAX_PASSWORD: Final = 1_000
MAX_HOST: Final = 253
_MAX_SIGNATURE_LINES: Final = 12
# This line marks the start of a signature for mail programs (RFC 3676, 4.3).
_SEPARATOR: Final = "-- "


class Security(StrEnum):
    """The TLS mode of a connection to a mail server. `tls`: TLS from the first byte. `starttls`:
    the connection must switch to TLS after the server's greeting."""

    TLS = "tls"
    STARTTLS = "starttls"


PORTS: Final = {
    465: Security.TLS,
    587: Security.STARTTLS,
    2525: Security.STARTTLS,
    25: Security.STARTTLS,
}
"""The ports for submitting mail, each with its TLS mode. The service does not connect to other
ports of a client's mail server, unless the installation allows private servers."""


@dataclass(frozen=True, slots=True)
class WantedServer:
    """A mail server as requested by the client. Without `security`, the port's usual TLS mode
    applies. Without `password`, the stored one is kept if server and user name are unchanged."""

    host: str
    port: int
    security: Security | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class WantedSender:
    """A sender as requested by the client. `server`: None selects the service's own mail server."""

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
    """A client's sender without its password. `last_error` is the error code of the last email if
    it failed, or null if the last email succeeded."""

    model_config = ConfigDict(frozen=True)

    address: str
    reply_to: str | None
    signature: str
    smtp: ShownServer | None = Field(
        description="The client's SMTP server. Null means the service's own server."
    )
    verified: bool = Field(
        description=(
            "True if the sender is verified. Until then, emails are sent from the service's "
            "address."
        )
    )
    verified_at: datetime | None
    last_error: str | None
    last_error_at: datetime | None
    updated_at: datetime


def checked_sender(wanted: WantedSender, service_address: str) -> WantedSender:
    """Return the requested sender in its stored form. Raises InvalidMailSender with the field,
    never its value.

    Clients must not use `service_address`, the service's own sender.
    """
    address = _address(wanted.address, "address")
    reply_to = None if wanted.reply_to is None else _address(wanted.reply_to, "reply_to")
    for given, name in ((address, "address"), (reply_to, "reply_to")):
        # An email to the service's own address would arrive as a new message to answer.
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
    """Raise InvalidMailSender unless the service may connect to the port. `allow_private`: allow
    any port, for self-hosted installations."""
    if port not in PORTS and not allow_private:
        raise InvalidMailSender(f"smtp.port: one of {', '.join(map(str, PORTS))}", "smtp.port")


def security_of(server: WantedServer) -> Security:
    """Return the TLS mode for connecting to the server. Raises InvalidMailSender if no mode is
    given for an unusual port, or if the given mode contradicts the port."""
    usual = PORTS.get(server.port)
    if server.security is None and usual is None:
        raise InvalidMailSender("smtp.security: tls or starttls expected", "smtp.security")
    if usual is not None and server.security not in (None, usual):
        raise InvalidMailSender(f"smtp.security: {usual} on this port", "smtp.security")
    return server.security or usual or Security.TLS


def same_way(one: MailSender, other: MailSender) -> bool:
    """Return True if both senders have the same address and server. In that case, a code emailed
    through one sender also verifies the other."""
    return (one.address, one.server) == (other.address, other.server)


def signed(text: str, signature: str) -> str:
    """Return the email's text with the signature appended, unless the text already ends with the
    signature."""
    if not signature or text.rstrip().endswith(signature):
        return text
    return f"{text.rstrip()}\n\n{_SEPARATOR}\n{signature}\n"


def seal_password(sealer: Sealer, client_id: str, password: str) -> str:
    """Encrypt the password together with the client's id, so that the password cannot be used for
    another client."""
    return sealer.seal(f"{client_id}/{password}")


def unseal_password(sealer: Sealer, client_id: str, server: SmtpServer) -> str | None:
    """Return the decrypted password, or None if the server has no password.

    Raises ValueError if the password was encrypted with another key or for another client.
    """
    if server.sealed_password is None:
        return None
    owner, _, password = sealer.unseal(server.sealed_password).partition("/")
    if owner != client_id:
        raise ValueError("another client's password")
    return password


def code_name(client_id: str, code_id: str) -> str:
    """Return the name that is hashed together with a sender code. The name ensures that another
    client's code or a sign-in code never matches."""
    return f"mail-sender/{client_id}/{code_id}"


def _address(given: str, name: str) -> str:
    try:
        return sign_in_address(given)
    except InvalidAddress:
        raise InvalidMailSender(
            f"{name}: one address expected, like contact@shop.example", name
        ) from None


def _check_login(server: WantedServer) -> None:
    for given, most, name in (
        (server.username, MAX_LOGIN, "smtp.username"),
        (server.password, MAX_PASSWORD, "smtp.password"),
    ):
        if given is not None and not (0 < len(given) <= most and given.isprintable()):
            raise InvalidMailSender(f"{name}: 1 to {most} printable characters expected", name)
    if server.password is not None and server.username is None:
        raise InvalidMailSender("smtp.username: it is missing", "smtp.username")
