"""case: messages with their expected outcomes, and test runs of all saved cases."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    fields_of,
    out,
    reading_client,
    work_on,
)
from commands.core.listing import print_list
from commands.core.person import AsOption, acting
from commands.core.texts import content_of
from domain.cases.case import CaseOrigin, CaseSpec, SavedCase
from domain.cases.case_documents import (
    MAX_CASE_FILE_BYTES,
    case_in,
    case_yaml_in,
    parse_cases,
    write_cases,
)
from domain.cases.case_run import CaseResult
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.playbooks.file import parse_playbooks
from domain.playbooks.playbook import PlaybookSpec
from domain.simulation.variant import Variant
from services.cases.case_runs import start_case_run
from services.cases.cases_from_runs import add_case_of_run
from services.cases.saved_cases import add_case, change_case, delete_case, import_cases
from store.cases.case_runs import CaseRunRepository, client_of_case_run
from store.cases.saved_cases import SavedCaseRepository, client_of
from store.runs.traces import client_of_run

app = typer.Typer(help="Manage saved cases and run them.", no_args_is_help=True)

CaseFile = Annotated[
    Path,
    typer.Argument(
        help=("YAML file in the format described in docs/simulator.md; - for standard input.")
    ),
]
CaseArgument = Annotated[str, typer.Argument(metavar="CASE_ID")]


@command(app, "list")
async def list_all(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a client's cases, oldest first."""
    async with reading_client(data, client) as (connection, tenant):
        cases = await SavedCaseRepository(connection, tenant).all()
    if as_json:
        answer(True, "", cases=[fields_of(case, "case_id") for case in cases])
        return
    print_list(
        ("case", "name", "messages", "must pass", "from"),
        [
            (
                case.id,
                case.name,
                str(len(case.scenario.messages)),
                "yes" if case.must else "no",
                case.origin.value,
            )
            for case in cases
        ],
    )


@command(app, "show")
async def show(
    case_id: CaseArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show one case in the format of a case file."""
    async with database_of(data) as database:
        tenant = await database.find_client(client_of, case_id)
        async with database.reading(tenant) as connection:
            case = await SavedCaseRepository(connection, tenant).read(case_id)
    if as_json:
        answer(True, "", client_id=tenant, **fields_of(case, "case_id"))
        return
    answer(False, case.name, client_id=tenant, case_id=case.id, origin=case.origin)
    typer.echo(f"\n{write_cases([case])}", nl=False)


@command(app, "create")
async def create(
    file: CaseFile,
    client: ClientOption,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Save the case from a file. The file must contain a single case, not a list."""
    spec = _case_of(file)
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        async with units.of(TenantId(client)) as work:
            case = await add_case(work, actor, spec, origin=CaseOrigin.HAND)
    _say(as_json, "Case saved.", case)


@command(app, "change")
async def change(
    case_id: CaseArgument,
    file: CaseFile,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Replace a case with the case from a file. Results of the previous version are no longer
    valid."""
    spec = _case_of(file)
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        tenant = await units.database.find_client(client_of, case_id)
        async with units.of(tenant) as work:
            case = await change_case(work, actor, case_id, spec)
    _say(as_json, "Case changed.", case)


@command(app, "delete")
async def delete(
    case_id: CaseArgument,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Delete a case and its results permanently."""
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        tenant = await units.database.find_client(client_of, case_id)
        async with units.of(tenant) as work:
            await delete_case(work, actor, case_id)
    answer(as_json, "Case deleted.", case_id=case_id)


@command(app, "from-run")
async def from_run(
    run_id: Annotated[str, typer.Argument(metavar="RUN_ID")],
    name: Annotated[
        str | None, typer.Option(help="Name of the case; defaults to the start of the message.")
    ] = None,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Save a run as a case, with personal data replaced by sample values."""
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        tenant = await units.database.find_client(client_of_run, run_id)
        async with units.of(tenant) as work:
            case = await add_case_of_run(work, actor, run_id, name=name)
    _say(as_json, "Case saved.", case)


@command(app, "run")
async def run_all(
    client: ClientOption,
    playbook: Annotated[
        str | None,
        typer.Option("--playbook", help=("Id of the playbook to use for every event type.")),
    ] = None,
    draft: Annotated[
        Path | None,
        typer.Option("--draft", help="Use the playbook in this file instead of --playbook."),
    ] = None,
    threshold: Annotated[float | None, typer.Option(min=0, max=1)] = None,
    embedded: Annotated[bool, typer.Option("--embedded-brain")] = False,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Start a run of all cases on a worker. Use `case results` to see the outcome."""
    variant = Variant(
        playbook_id=playbook,
        draft=None if draft is None else _draft_of(draft),
        threshold=threshold,
        embedded_brain=embedded,
    )
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        async with units.of(TenantId(client)) as work:
            started = await start_case_run(work, actor, variant)
    answer(
        as_json,
        f"Running {started.total} cases.",
        case_run_id=started.id,
        total=started.total,
        state=started.state,
    )


@command(app, "results")
async def results(
    case_run_id: Annotated[str, typer.Argument(metavar="CASE_RUN_ID")],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show the outcome of each case in one run."""
    async with database_of(data) as database:
        tenant = await database.find_client(client_of_case_run, case_run_id)
        async with database.reading(tenant) as connection:
            runs = CaseRunRepository(connection, tenant)
            run, found = await runs.read(case_run_id), await runs.results(case_run_id)
    if as_json:
        shown = [one.model_dump(mode="json") for one in found]
        answer(True, "", **fields_of(run, "case_run_id"), results=shown)
        return
    out.print(f"{run.state}: {run.done} of {run.total} tried, {run.passed} passed")
    print_list(("case", "name", "passed", "tries", "otherwise"), map(_cells, found))


@command(app, "import")
async def bring_in(
    file: CaseFile,
    client: ClientOption,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the changes without applying them.")
    ] = False,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Import the client's cases from a file. Cases are matched by name. Either all cases are
    imported or none. Existing cases that are missing from the file stay unchanged."""
    specs = parse_cases(content_of(file, MAX_CASE_FILE_BYTES))
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        async with units.of(TenantId(client), dry_run=dry_run) as work:
            done = await import_cases(work, actor, specs)
    if as_json:
        cases = [{"outcome": one.outcome.value, "name": one.case.name} for one in done]
        answer(True, "", cases=cases, dry_run=dry_run)
        return
    for one in done:
        out.print(f"{one.outcome}: {escape(one.case.name)}", highlight=False)
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
    """Export the client's cases to a file for `case import`."""
    async with reading_client(data, client) as (connection, tenant):
        text = write_cases(await SavedCaseRepository(connection, tenant).all())
    typer.echo(text, file=file, nl=False)


def _case_of(file: Path) -> CaseSpec:
    return case_in(case_yaml_in(content_of(file, MAX_CASE_FILE_BYTES)))


def _draft_of(file: Path) -> PlaybookSpec:
    specs = parse_playbooks(content_of(file))
    if len(specs) != 1:
        raise InvalidInput("--draft: a file with one playbook expected")
    return specs[0]


def _say(as_json: bool, sentence: str, case: SavedCase) -> None:
    answer(as_json, sentence, case_id=case.id, name=case.name)


def _cells(result: CaseResult) -> tuple[str, ...]:
    missed = "; ".join(f"{one.part}: {one.expected}, not {one.got}" for one in result.unmet)
    passed = "yes" if result.passed else "no"
    return (result.case_id, result.name, passed, f"{result.passes}/{result.tries}", missed)
