"""mail-sender: the sender of a client's customer emails."""

import os
import secrets
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from adapters.mail.smtp_guard import SmtpGuard
from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    environment_of,
    reading_client,
    sealer_of,
    work_on,
)
from commands.core.nearby_engine import NearbyEngine
from commands.core.person import operator
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.identity.code import CODES, code_text
from domain.identity.contracts import SendMailInput
from domain.integrations.client_sender import Security, ShownSender, WantedSender, WantedServer
from domain.integrations.errors import InvalidSenderCode
from domain.integrations.mail_allowance import MailGroup
from services.integrations.mail_senders import (
    DrawnCode,
    remove_mail_sender,
    send_sender_code,
    set_mail_sender,
    verify_mail_sender,
)
from services.integrations.reported_mails import report_mails
from settings import load_mail
from store.integrations.mail_senders import MailSenderRepository

app = typer.Typer(help="Manage the sender of a client's customer emails.", no_args_is_help=True)

_PASSWORD: Final = "SMTP_PASSWORD"  # noqa: S105 - where it is read from
_LANGUAGES: Final = ("fr", "en")

LanguageOption = Annotated[
    str, typer.Option(help=("Language of the verification email: fr or en."))
]


@app.callback()
def group() -> None:
    """The service uses the sender only after it has been verified with an emailed code. See
    docs/mail.md."""


@command(app, "show")
async def show(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show the sender, whether the sender is verified, and why the last email failed."""
    async with reading_client(data, client) as (connection, tenant):
        shown = await MailSenderRepository(connection, tenant).shown()
    _tell(as_json, "This client's sender:", shown)


@command(app, "set")
async def put(
    client: ClientOption,
    address: Annotated[str, typer.Option(help="Sender address for emails to customers.")],
    reply_to: Annotated[str | None, typer.Option(help="Address for customers' replies.")] = None,
    signature: Annotated[str, typer.Option(help="Plain text appended to each email.")] = "",
    host: Annotated[
        str | None, typer.Option(help=("Host name of the client's own mail server."))
    ] = None,
    port: Annotated[int, typer.Option(help="Port of the mail server: 465, 587, 2525 or 25.")] = 465,
    security: Annotated[
        Security | None,
        typer.Option(help="Connection security; defaults to the usual mode for the port."),
    ] = None,
    username: Annotated[str | None, typer.Option()] = None,
    password: Annotated[
        bool,
        typer.Option(
            "--password",
            help=f"Read a password from the {_PASSWORD} environment variable, from standard input, "
            "or from a prompt. Without this option, the server's stored password is kept.",
        ),
    ] = False,
    language: LanguageOption = "fr",
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Replace the sender, and email a verification code to the new address."""
    drawn = _drawn(language)
    server: WantedServer | None = None
    if host is not None:
        server = WantedServer(host, port, security, username, _secret() if password else None)
    elif username is not None or password:
        raise InvalidInput("--host is missing")
    mail_settings = load_mail(environment_of(data))
    async with work_on(data) as units:
        stored = await set_mail_sender(
            units,
            operator(),
            TenantId(client),
            WantedSender(address, reply_to, signature, server),
            drawn,
            sealer=sealer_of(data),
            servers=SmtpGuard(allow_private=mail_settings.webhooks.allow_private_addresses),
            service_address=mail_settings.mail.sender,
        )
    if stored.code_id is not None:
        await _mail(data, client, stored.code_id)
    sentence = (
        "Stored. The sender is still verified."
        if stored.code_id is None
        else ("A code has been emailed.")
    )
    _tell(as_json, sentence, stored.shown)


@command(app, "code")
async def send_again(
    client: ClientOption,
    language: LanguageOption = "fr",
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Email a new code to the sender's address. The new code invalidates the previous one."""
    drawn, sealer = _drawn(language), sealer_of(data)
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        code_id = await send_sender_code(work, operator(), drawn, sealer)
    await _mail(data, client, code_id)
    answer(as_json, "A code has been emailed.", client_id=client)


@command(app, "verify")
async def verify(
    client: ClientOption,
    code: Annotated[str, typer.Argument(help="Six-digit code from the email.")],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Verify the sender with the code from the email."""
    sealer = sealer_of(data)
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        shown = await verify_mail_sender(work, operator(), code, sealer)
    if shown is None:
        raise InvalidSenderCode(
            "the code is wrong, used or expired, or there were too many attempts"
        )
    _tell(as_json, "Verified. Emails to customers now use this sender.", shown)


@command(app, "remove")
async def remove(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Remove the sender, and erase its password."""
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        await remove_mail_sender(work, operator())
    answer(as_json, "Removed. Emails now use the service's sender.", client_id=client)


@command(app, "report")
async def report(
    client: ClientOption,
    group: Annotated[
        MailGroup,
        typer.Option(
            help=("Group of the emails, which determines the limit that they count toward.")
        ),
    ],
    number: Annotated[
        int,
        typer.Option(
            min=1, max=10_000, help=("Number of emails that bounced or caused a complaint.")
        ),
    ] = 1,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Record bounces and complaints that the service's mail server received for a client's
    emails."""
    async with work_on(data) as units, units.spanning(TenantId(client)) as work:
        await report_mails(work, operator(), group, number)
    answer(
        as_json,
        ("Added to today's count of rejected emails."),
        client_id=client,
        group=group,
        number=number,
    )


async def _mail(data: Path, client: str, code_id: str) -> None:
    await NearbyEngine(environment_of(data)).mail(
        SendMailInput(kind="mail_sender", record_id=code_id, client_id=client)
    )


def _drawn(language: str) -> DrawnCode:
    if language not in _LANGUAGES:
        raise InvalidInput("--language: fr or en expected")
    return DrawnCode(code_text(secrets.randbelow(CODES)), language)


def _secret() -> str:
    """Return the password from the environment, standard input, or a hidden prompt. The password is
    never passed as an argument, because `ps` shows arguments."""
    value = os.environ.get(_PASSWORD)
    if not value and not sys.stdin.isatty():
        value = sys.stdin.readline()
    return (value or str(typer.prompt("password", hide_input=True, err=True))).strip("\r\n")


def _tell(as_json: bool, sentence: str, shown: ShownSender) -> None:
    fields = shown.model_dump(mode="json")
    if as_json:
        answer(True, "", **fields)
        return
    server = fields.pop("smtp")
    fields["smtp"] = server and f"{server['host']}:{server['port']} ({server['security']})"
    written = {name: "-" if value in (None, "") else value for name, value in fields.items()}
    answer(False, sentence, **written)
