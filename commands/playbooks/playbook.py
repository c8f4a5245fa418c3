"""playbook: the events that the agent handles, the confidence threshold, and the actions that the
agent may take."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from adapters.system import new_ulid
from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    model_of,
    out,
    work_on,
)
from commands.core.listing import print_list
from commands.core.person import AsOption, acting
from commands.core.texts import content_of
from commands.learning import playbook_reports
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.playbooks.errors import PlaybookNotFound
from domain.playbooks.file import parse_playbooks, write_playbooks
from domain.playbooks.merge import ImportOutcome, PlaybookChange, compare
from domain.playbooks.playbook import (
    DEFAULT_THRESHOLD,
    PlaybookEntry,
    PlaybookSpec,
    check_name,
    check_pattern,
)
from services.playbooks.playbooks import (
    create_playbook,
    delete_playbook,
    import_playbooks,
    switch_playbook,
)
from services.playbooks.publish_gate import Publication
from store.core.database import Database
from store.playbooks.playbooks import PlaybookRepository, client_of
from store.tenants.clients import ClientRepository

app = typer.Typer(help="Manage playbooks.", no_args_is_help=True)
app.add_typer(playbook_reports.app)
OverrideOption = Annotated[
    str | None,
    typer.Option(
        metavar="REASON",
        help="Reason for going live even though cases have not passed. See docs/simulator.md.",
    ),
]


@command(app, "create")
async def create(
    client: ClientOption,
    name: Annotated[str, typer.Option()],
    event_type: Annotated[
        str,
        typer.Option(
            help="Event type that the playbook handles: exact.type, prefix.* or * for all."
        ),
    ] = "*",
    threshold: Annotated[
        float,
        typer.Option(help=("Confidence below which a run is held for human review, from 0 to 1.")),
    ] = (DEFAULT_THRESHOLD),
    override: OverrideOption = None,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Create a playbook whose only allowed action is to send answers. The playbook is active
    immediately."""
    if not 0 <= threshold <= 1:
        raise InvalidInput("threshold: a number from 0 to 1")
    publication = Publication.of(model_of(data), override)
    spec = PlaybookSpec(
        name=check_name(name), event_type=check_pattern(event_type), threshold=threshold
    )
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        # Elsewhere, only authentication creates a TenantId. Here, the operator of this machine is
        # trusted to choose the client.
        async with units.of(TenantId(client)) as work:
            entry = await create_playbook(work, actor, spec, publication)
    answer(as_json, f"Playbook {name} is active.", playbook_id=entry.playbook.id, version=1)


@command(app, "import")
async def bring_in(
    file: Annotated[
        Path,
        typer.Argument(help=("YAML file, described in docs/playbooks.md; - for standard input.")),
    ],
    client: ClientOption,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the changes without applying them.")
    ] = False,
    override: OverrideOption = None,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Import the client's playbooks from a file. Playbooks are matched by name. Either all
    playbooks are imported or none. Existing playbooks that are missing from the file stay
    unchanged."""
    specs, publication = parse_playbooks(content_of(file)), Publication.of(model_of(data), override)
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        if dry_run:
            done = compare(await _entries(units.database, client), specs, new_ulid)
        else:
            async with units.of(TenantId(client)) as work:
                done = await import_playbooks(work, actor, specs, publication)
    if as_json:
        answer(True, "", playbooks=[_report(one, dry_run) for one in done], dry_run=dry_run)
        return
    for change in done:
        entry = change.entry
        state = f"version {entry.playbook.version}, {'on' if entry.is_active else 'off'}"
        what = f" ({', '.join(change.fields)})" if change.fields else ""
        out.print(
            f"{change.outcome}: {escape(entry.playbook.name)}, {state}{what}", highlight=False
        )
    if dry_run:
        out.print("Nothing was changed.")


@command(app, "export")
async def export(
    client: ClientOption,
    file: Annotated[
        typer.FileTextWrite | None,
        typer.Option("--out", encoding="utf-8", help="File to write; defaults to standard output."),
    ] = None,
    data: DataOption = DEFAULT_DATA,
) -> None:
    """Export the client's playbooks to a file for `playbook import`."""
    async with database_of(data) as database:
        text = write_playbooks([entry.spec for entry in await _entries(database, client)])
    typer.echo(text, file=file, nl=False)


@command(app, "list")
async def list_all(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a client's playbooks, oldest first."""
    async with database_of(data) as database:
        entries = await _entries(database, client)
    if as_json:
        answer(True, "", playbooks=[_fields(entry) for entry in entries])
        return
    print_list(
        ("playbook", "name", "version", "events", "from", "state"),
        [_row(entry) for entry in entries],
    )


@command(app, "show")
async def show(
    playbook_id: Annotated[str, typer.Argument()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show one playbook with its state, in the format of a playbook file."""
    async with database_of(data) as database, database.reading_across() as connection:
        tenant = await client_of(connection, playbook_id)
        entries = await PlaybookRepository(connection, tenant).all()
    found = next((entry for entry in entries if entry.playbook.id == playbook_id), None)
    if found is None:
        raise PlaybookNotFound(playbook_id)
    text = write_playbooks([found.spec])
    if as_json:
        answer(True, "", client_id=tenant, **_fields(found), file=text)
        return
    answer(False, found.playbook.name, client_id=tenant, **_fields(found))
    typer.echo(f"\n{text}", nl=False)


@command(app, "activate")
async def activate(
    playbook_id: Annotated[str, typer.Argument()],
    override: OverrideOption = None,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Activate a playbook."""
    publication = Publication.of(model_of(data), override)
    await _switch(playbook_id, publication, person, data, as_json, active=True)


@command(app, "deactivate")
async def deactivate(
    playbook_id: Annotated[str, typer.Argument()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Deactivate a playbook. Later events that it would have matched go to another matching
    playbook. If no other playbook matches, their outcome is no_playbook."""
    await _switch(playbook_id, Publication(model_of(data)), None, data, as_json, active=False)


@command(app, "delete")
async def delete(
    playbook_id: Annotated[str, typer.Argument()],
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Delete a playbook. Later events that it would have matched go to another matching playbook.
    If no other playbook matches, their outcome is no_playbook. Past runs of the playbook can still
    be explained."""
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        tenant = await units.database.find_client(client_of, playbook_id)
        async with units.of(tenant) as work:
            await delete_playbook(work, actor, playbook_id)
    answer(as_json, "Playbook deleted.", playbook_id=playbook_id)


async def _switch(
    playbook_id: str,
    publication: Publication,
    person: str | None,
    data: DataOption,
    as_json: bool,
    *,
    active: bool,
) -> None:
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        tenant = await units.database.find_client(client_of, playbook_id)
        async with units.of(tenant) as work:
            await switch_playbook(work, actor, playbook_id, publication, active=active)
    answer(
        as_json,
        f"Playbook is {'active' if active else 'inactive'}.",
        playbook_id=playbook_id,
        is_active=active,
    )


async def _entries(database: Database, client: str) -> tuple[PlaybookEntry, ...]:
    async with database.reading_across() as connection:
        await ClientRepository(connection).brand_name(client)
        return await PlaybookRepository(connection, TenantId(client)).all()


def _report(change: PlaybookChange, dry_run: bool) -> dict[str, object]:
    fields = {"outcome": change.outcome.value, "changed": change.fields, **_fields(change.entry)}
    # The id does not exist, because a dry run creates no playbooks.
    missing = dry_run and change.outcome is ImportOutcome.CREATED
    return {**fields, "playbook_id": None} if missing else fields


def _row(entry: PlaybookEntry) -> tuple[str, ...]:
    playbook = entry.playbook
    return (
        playbook.id,
        playbook.name,
        str(playbook.version),
        playbook.event_type,
        f"{playbook.threshold:g}",
        "on" if entry.is_active else "off",
    )


def _fields(entry: PlaybookEntry) -> dict[str, object]:
    return {
        "playbook_id": entry.playbook.id,
        "name": entry.playbook.name,
        "version": entry.playbook.version,
        "event_type": entry.playbook.event_type,
        "threshold": entry.playbook.threshold,
        "is_active": entry.is_active,
    }
