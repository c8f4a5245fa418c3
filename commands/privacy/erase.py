"""erase: commands that permanently erase a client or one customer, and show erasure
certificates."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    err,
    fields_of,
    out,
    sealer_of,
    settings_for,
    synchronous,
    work_on,
)
from commands.core.listing import print_list
from commands.core.person import AsOption, acting
from commands.core.progress import progress
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId, parse_ulid
from domain.core.json_time import rfc3339
from domain.intake.customer_email import customer_key
from domain.privacy.contracts import EraseInput
from domain.privacy.erasure import Certificate, session_of, session_subject, subject_digests
from embedded.data_folder import DataFolder
from embedded.kept_mails import forget
from services.privacy.erasures import brand_to_erase, order_erasure
from store.core.database import Database
from store.privacy.certificates import Certificates

app = typer.Typer(
    help="Permanently erase a client or one customer.",
    invoke_without_command=True,
    no_args_is_help=True,
)

_LOOK_EVERY_S: Final = 0.5

CustomerOption = Annotated[
    str | None,
    typer.Option(
        "--customer",
        help="Email address of the customer to erase; defaults to the entire client.",
    ),
]


SessionOption = Annotated[
    str | None,
    typer.Option(
        "--session",
        help="Session id of a widget visitor to erase, for visitors who gave no email address.",
    ),
]


@app.callback()
@synchronous
async def erase(
    context: typer.Context,
    client: Annotated[str | None, typer.Option(help="Id of the client.")] = None,
    customer: CustomerOption = None,
    session: SessionOption = None,
    person: AsOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Skip the confirmation prompt.")] = False,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Erase one of a client's customers, or the entire client, and print the certificate. A worker
    performs the erasure. If this command is interrupted, the erasure continues. Run the command
    again to resume waiting."""
    if context.invoked_subcommand is not None:
        return
    if client is None:
        raise InvalidInput("client: the id of the client is required")
    client_id, key = TenantId(parse_ulid(client) or client), _subject_of(customer, session)
    if key is not None and customer_key(person) == key:
        raise InvalidInput(
            "as: the certificate must not name the customer; pass the operator's own name"
        )
    # The module is imported here because Temporal's client takes half a second to load. The
    # commands that show certificates do not need the client.
    from adapters.temporal.connection import connect  # noqa: PLC0415
    from adapters.temporal.runs import erased  # noqa: PLC0415

    settings, sealer = settings_for(data), sealer_of(data)
    async with work_on(data) as units:
        async with units.database.reading_across() as connection:
            brand = await brand_to_erase(connection, client_id)
        if not yes:
            _confirm(brand, client_id, customer or session)
        actor = await acting(units.database, person)
        async with units.spanning(client_id) as work:
            wanted = await order_erasure(work, actor, sealer, key)
        temporal = await connect(settings.temporal, lazy=True)
        done = asyncio.ensure_future(erased(temporal, wanted))
        await _followed(done, units.database, wanted)
        async with units.database.reading_across() as connection:
            certificate = await Certificates(connection).read(done.result())
    forgotten = _forget_mails(data, key)
    if forgotten:
        err.print(f"Also deleted {forgotten} emails from the embedded mail server.")
    _print(certificate, as_json)


@command(app, "list")
async def list_latest(
    client: Annotated[
        str | None, typer.Option(help="Id of the client; defaults to all clients.")
    ] = None,
    customer: CustomerOption = None,
    session: SessionOption = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of rows.")] = 20,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show the latest erasure certificates, newest first. If an email address is given, show only
    that customer's certificates."""
    key = _subject_of(customer, session)
    client_id = client and (parse_ulid(client) or client)
    if key is not None and client_id is None:
        raise InvalidInput("client: the id of the customer's client is required")
    digests = subject_digests(sealer_of(data), client_id, key) if client_id and key else ()
    async with database_of(data) as database, database.reading_across() as connection:
        found = await Certificates(connection).latest(
            client_id=client_id, subject_digests=digests, limit=limit
        )
    if as_json:
        answer(True, "", erasures=[_as_dict(one) for one in found])
        return
    out.print(f"{len(found)} erasures")
    print_list(("erasure", "client", "what", "ended"), map(_cells, found), ids=2)


@command(app, "show")
async def show(
    erasure_id: Annotated[str, typer.Argument()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show an erasure certificate."""
    async with database_of(data) as database, database.reading_across() as connection:
        found = await Certificates(connection).read(parse_ulid(erasure_id) or erasure_id)
    _print(found, as_json)


def _subject_of(customer: str | None, session: str | None) -> str | None:
    """Return the customer to erase, or None to erase the entire client. Raises InvalidInput if the
    options conflict or are invalid."""
    if session is not None:
        if customer is not None or not session:
            raise InvalidInput(
                "session: cannot be combined with customer, and must identify one visitor"
            )
        return session_subject(session)
    key = customer_key(customer)
    if customer is not None and (key is None or "@" not in key or session_of(key) is not None):
        raise InvalidInput("customer: an email address expected")
    return key


def _confirm(brand: str | None, client_id: str, customer: str | None) -> None:
    """Ask the user to type the name of the client or customer. Raises InvalidInput if the input
    differs from the name."""
    if customer is None:
        what, word = f"all of {brand or client_id}", brand or client_id
    else:
        what, word = f"one customer of {brand or client_id}", customer
    err.print(f"This permanently erases {what}.", markup=False, highlight=False)
    # Typer's own prompt would write to standard output, which must contain only the result.
    err.print(f"Type {word} to continue:", end=" ", markup=False, highlight=False, soft_wrap=True)
    if sys.stdin.readline().strip() != word.strip():
        raise InvalidInput("nothing was erased, because the name does not match")


def _forget_mails(data: Path, subject: str | None) -> int:
    """Delete the customer's emails from the embedded mail server, and return the number of deleted
    emails. For an entire client, all emails are deleted, because the server does not separate
    clients."""
    if subject is not None and session_of(subject) is not None:
        return 0  # A visitor without an email address has not received any email.
    if not data.exists():
        return 0  # This installation does not run the embedded mail server.
    return forget(DataFolder(data).mail, subject)


async def _followed(done: "asyncio.Future[str]", database: Database, wanted: EraseInput) -> None:
    """Show the number of erased records until the erasure ends or the user interrupts the
    command."""
    try:
        with progress("Erasing", None) as bar:
            while not (await asyncio.wait({done}, timeout=_LOOK_EVERY_S))[0]:
                async with database.reading_across() as connection:
                    now = await Certificates(connection).find(wanted.erasure_id)
                bar.reach(0 if now is None else now.total)
            done.result()
    except asyncio.CancelledError:
        err.print("The erasure continues. Run the same command again to resume waiting.")
        raise typer.Exit(130) from None
    finally:
        done.cancel()


def _cells(one: Certificate) -> tuple[str, ...]:
    ended = "under way" if one.finished_at is None else f"{one.finished_at:%Y-%m-%d}"
    return one.id, one.client_id, one.scope.value, ended


def _print(certificate: Certificate, as_json: bool) -> None:
    if as_json:
        answer(True, "", **_as_dict(certificate))
        return
    standing = certificate.standing
    facts = {
        "client_id": certificate.client_id,
        "what": "the whole client" if certificate.scope == "tenant" else "one customer",
        "requested by": certificate.requested_by,
        "started": rfc3339(certificate.started_at, "seconds"),
        "ended": "under way"
        if certificate.finished_at is None
        else rfc3339(certificate.finished_at, "seconds"),
    }
    answer(False, f"Certificate of erasure {certificate.id}", **facts)
    if certificate.removed:
        counts = {name: str(count) for name, count in sorted(certificate.removed.items())}
        answer(False, f"Removed: {certificate.total}", **counts)
    else:
        answer(False, "Removed: 0. Nothing was found.")
    if standing is not None:
        used = {f"tickets in {month}": count for month, count in standing.tickets.items()}
        facts_of_account = {**used, "unused credits": standing.credits_balance}
        answer(
            False, ("Usage until the erasure, in case it must still be billed:"), **facts_of_account
        )
    answer(False, "Kept:", **dict(certificate.kept))


def _as_dict(certificate: Certificate) -> dict[str, object]:
    shown = {"total": certificate.total, "kept": dict(certificate.kept)}
    return {**fields_of(certificate, "erasure_id"), **shown}
