"""replay: commands that reprocess past events and show which outcomes differ."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Final

import typer

from commands.analytics.reports import left_running
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
    work_on_record,
)
from commands.core.listing import print_list
from commands.core.person import AsOption, acting
from commands.core.progress import progress
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.playbooks.file import draft_in, yaml_in
from domain.playbooks.playbook import PlaybookSpec
from domain.simulation.replay import (
    DEFAULT_BUDGET_MICROS,
    DEFAULT_BUDGET_S,
    Replay,
    ReplayAsked,
    ReplayExample,
)
from domain.simulation.variant import Variant
from domain.tenants.answer_decision import LATEST_DECISION
from services.simulation.replays import start_replay, stop_replay
from store.core.database import Database
from store.simulation.replays import ReplayRepository, client_of_replay

app = typer.Typer(
    help=("Replay past events with a variant of the configuration."), no_args_is_help=True
)

_DAY: Final = ["%Y-%m-%d"]
_LISTED: Final = 50
_EXAMPLES: Final = 20
_ASK_AGAIN_S: Final = 1.0
_MICROS: Final = 1_000_000

ReplayArgument = Annotated[str, typer.Argument(metavar="REPLAY_ID")]


@command(app, "start")
async def start(
    client: ClientOption,
    playbook: Annotated[
        str | None,
        typer.Option("--playbook", help=("Id of a stored playbook, which may be inactive.")),
    ] = None,
    version: Annotated[
        int | None,
        typer.Option(min=1, help="Version of --playbook; defaults to the current version."),
    ] = None,
    draft: Annotated[
        Path | None,
        typer.Option("--draft", help="File with one playbook, in the format of `playbook import`."),
    ] = None,
    threshold: Annotated[float | None, typer.Option(min=0, max=1)] = None,
    embedded: Annotated[bool, typer.Option("--embedded-brain")] = False,
    answers_from_knowledge: Annotated[
        bool | None,
        typer.Option(
            help="Allow or forbid answers from knowledge, regardless of the client's setting."
        ),
    ] = None,
    answer_decision: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=LATEST_DECISION,
            help="Version of the decision whether an answer from knowledge is sent.",
        ),
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            "--from",
            formats=_DAY,
            help="First day of the range, UTC. The default range has 30 days.",
        ),
    ] = None,
    until: Annotated[
        datetime | None,
        typer.Option("--to", formats=_DAY, help="Last day of the range (UTC); defaults to today."),
    ] = None,
    budget: Annotated[
        float, typer.Option(min=0, help="Maximum cost of language model calls, in US dollars.")
    ] = (DEFAULT_BUDGET_MICROS / _MICROS),
    budget_s: Annotated[
        int, typer.Option(help="Maximum duration of the replay, in seconds.")
    ] = DEFAULT_BUDGET_S,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Reprocess a client's past events with a variant of the configuration, and show the
    differences. Ctrl-C stops waiting, but the work continues. Use `replay show` to see the
    progress, and `replay stop` to stop the replay."""
    asked = ReplayAsked(
        variant=Variant(
            playbook_id=playbook,
            version=version,
            draft=None if draft is None else _draft(draft),
            threshold=threshold,
            embedded_brain=embedded,
            answers_from_knowledge=answers_from_knowledge,
            answer_decision=answer_decision,
        ),
        since=since and since.replace(tzinfo=UTC),
        until=until and until.replace(tzinfo=UTC) + timedelta(days=1),
        budget_micros=round(budget * _MICROS),
        budget_s=budget_s,
    )
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        async with units.of(TenantId(client)) as work:
            replay = await start_replay(work, actor, asked)
        with left_running():
            replay = await _over(units.database, TenantId(client), replay.id)
    _tell(replay, as_json)


@command(app, "list")
async def list_replays(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a client's replays, newest first."""
    async with reading_client(data, client) as (connection, tenant):
        found = await ReplayRepository(connection, tenant).page(before=None, limit=_LISTED)
    if as_json:
        answer(True, "", replays=[fields_of(one, "replay_id") for one in found])
        return
    print_list(("replay", "state", "seen", "of", "changed", "US dollars"), map(_cells, found))


@command(app, "show")
async def show(
    replay_id: ReplayArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show the progress of a replay, its results, and the first events with a different outcome."""
    async with database_of(data) as database:
        tenant = await database.find_client(client_of_replay, replay_id)
        async with database.reading(tenant) as connection:
            replays = ReplayRepository(connection, tenant)
            replay = await replays.read(replay_id)
            found = await replays.examples(replay_id, kind=None, after=None, limit=_EXAMPLES)
    if as_json:
        shown = [one.model_dump(mode="json") for one in found]
        answer(True, "", **fields_of(replay, "replay_id"), examples=shown)
        return
    _tell(replay, as_json)
    print_list(("event", "differs", "then", "now"), map(_example, found))


@command(app, "stop")
async def stop(
    replay_id: ReplayArgument,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Stop a replay. Results computed up to this point are kept."""
    async with database_of(data) as database:
        actor = await acting(database, person)
    async with work_on_record(data, client_of_replay, replay_id) as work:
        replay = await stop_replay(work, actor, replay_id)
    _tell(replay, as_json)


async def _over(database: Database, tenant: TenantId, replay_id: str) -> Replay:
    """Wait until the replay ends, and return the replay."""
    replay = await _read(database, tenant, replay_id)
    while replay.finished_at is None and not replay.total:
        await asyncio.sleep(_ASK_AGAIN_S)
        replay = await _read(database, tenant, replay_id)
    with progress("Processing events", replay.total) as bar:
        while replay.finished_at is None:
            bar.reach(replay.seen)
            await asyncio.sleep(_ASK_AGAIN_S)
            replay = await _read(database, tenant, replay_id)
        bar.reach(replay.seen)
    return replay


async def _read(database: Database, tenant: TenantId, replay_id: str) -> Replay:
    async with database.reading(tenant) as connection:
        return await ReplayRepository(connection, tenant).read(replay_id)


def _draft(path: Path) -> PlaybookSpec:
    """Return the playbook in a YAML file. Raises InvalidInput if the file cannot be read, and
    InvalidPlaybook if the playbook is not valid."""
    try:
        return draft_in(yaml_in(path.read_bytes())).spec
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error


def _tell(replay: Replay, as_json: bool) -> None:
    if as_json:
        answer(True, "", **fields_of(replay, "replay_id"))
        return
    why = f" ({replay.stopped_because})" if replay.stopped_because else ""
    answer(
        False,
        f"{replay.state}{why}: {replay.examined} of {replay.total} events processed, "
        f"{replay.changed} have a different outcome.",
        replay_id=replay.id,
        cost_usd=replay.cost_micros / _MICROS,
        worked_s=replay.worked_ms / 1_000,
    )
    tally = replay.tally
    _table(("then", "now", "events"), ((c.before, c.after, str(c.events)) for c in tally.ends))
    _table(
        ("class", "events", "closed then", "now"),
        (
            (c.classification, str(c.events), str(c.closed_before), str(c.closed_after))
            for c in tally.classes
        ),
    )
    _table(
        ("refunded", "then", "now"),
        ((one.currency, str(one.before), str(one.after)) for one in tally.money),
    )
    _table(("not processed", "events"), ((w, str(n)) for w, n in tally.skipped.items()))


def _table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    if found := list(rows):
        out.print()
        print_list(columns, found)


def _cells(replay: Replay) -> tuple[str, ...]:
    return (
        replay.id,
        replay.state,
        str(replay.seen),
        str(replay.total),
        str(replay.changed),
        f"{replay.cost_micros / _MICROS:.2f}",
    )


def _example(example: ReplayExample) -> tuple[str, ...]:
    return (example.event_id, example.kind, example.before.end, example.after.end)
