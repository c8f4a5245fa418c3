"""audit: commands that show and verify the audit log, and export its checkpoints."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Final

import typer
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    err,
)
from commands.core.listing import print_list
from domain.audit.chain import Anchor, AnchorDigest, ChainLink, Fault, FaultKind
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId, parse_ulid
from domain.core.json_time import rfc3339
from domain.core.plain_text import without_controls
from services.audit.anchors import anchors_of_day
from services.audit.verification import VerifiedChain, verify_chains
from store.audit.audit_log import AuditLog, EntryFilter
from store.audit.chains import ChainRepository
from store.core.database import Database

app = typer.Typer(
    help="Show and verify the audit log, and export its checkpoints.", no_args_is_help=True
)

_SENTENCES: Final = {
    FaultKind.MISSING: "{which} missing",
    FaultKind.CHANGED: "{which} changed",
    FaultKind.UNLINKED: "{which} not linked to the previous entry",
    FaultKind.INSERTED: "{which} not part of the log, but inserted",
    FaultKind.CUT: "{which} cut off",
    FaultKind.HEAD: "{which} different from the head of the log",
    FaultKind.REPLACED: "{which} different from the checkpoint",
}


class KeptAnchor(BaseModel):
    """One audit checkpoint, as stored in a file."""

    model_config = ConfigDict(frozen=True, strict=True)

    client_id: str
    seq: Annotated[int, Field(ge=1, lt=1 << 63)]
    hash: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class KeptAnchors(BaseModel):
    """A file of audit checkpoints, in the format printed by `audit anchors --json`."""

    anchors: tuple[KeptAnchor, ...]


@command(app, "verify")
async def verify(
    client: Annotated[
        str | None, typer.Option(help="Id of the client whose log to verify; defaults to all logs.")
    ] = None,
    anchors: Annotated[
        Path | None,
        typer.Option(help="File written by `audit anchors --json`.", dir_okay=False),
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Verify that no audit entry was changed, removed or inserted, and that the log was not
    truncated. The exit code is 1 if the verification fails."""
    kept = {} if anchors is None else _read(anchors)
    found: list[VerifiedChain] = []
    async with database_of(data) as database:
        async for chain in verify_chains(database, _chain_of(client) if client else None, kept):
            found.append(chain)
            if not as_json:
                for fault in chain.faults:
                    err.print(_description(fault), style="bold red", highlight=False, markup=False)
    faults = [fault for chain in found for fault in chain.faults]
    entries = sum(chain.entries for chain in found)
    if client is not None and not entries and not faults:
        raise InvalidInput("this client has no audit log")
    if as_json:
        answer(True, "", logs=len(found), entries=entries, faults=[*map(_fields, faults)])
    else:
        sound = "No entry was changed, removed or inserted."
        sentence = "The log was changed after it was written." if faults else sound
        answer(False, sentence, logs=len(found), entries=entries, faults=len(faults))
    if faults:
        raise typer.Exit(1)


def _description(fault: Fault) -> str:
    many = fault.last > fault.first
    which = f"entries {fault.first} to {fault.last}" if many else f"entry {fault.first}"
    entry = f" ({fault.id})" if fault.id else ""
    sentence = _SENTENCES[fault.kind].format(which=f"{which}{entry} {'are' if many else 'is'}")
    return without_controls(f"{fault.client_id}: {sentence}")


def _fields(fault: Fault) -> dict[str, object]:
    return {
        "client_id": fault.client_id,
        "kind": fault.kind.value,
        "first": fault.first,
        "last": fault.last,
        "id": fault.id,
    }


def _chain_of(client: str) -> TenantId:
    """Return the client's id. An erased client is accepted because its audit log is kept after the
    erasure."""
    return TenantId(parse_ulid(client) or client)


def _read(file: Path) -> dict[str, list[Anchor]]:
    """Return the checkpoints in a file, keyed by client id. Raises InvalidInput if the file is not
    valid."""
    try:
        read = KeptAnchors.model_validate_json(file.read_bytes())
    except OSError:
        raise InvalidInput(f"{file} cannot be read") from None
    except ValidationError:
        raise InvalidInput(f"{file} is not a file written by audit anchors --json") from None
    kept: dict[str, list[Anchor]] = {}
    for one in read.anchors:
        anchor = Anchor(one.client_id, one.seq, bytes.fromhex(one.hash))
        kept.setdefault(one.client_id, []).append(anchor)
    return kept


@command(app, "list")
async def list_latest(
    client: ClientOption,
    what: Annotated[
        str | None, typer.Option(help="Show only entries of this kind, such as 'key created'.")
    ] = None,
    actor: Annotated[
        str | None, typer.Option(help=("Show only actions by this user or key."))
    ] = None,
    before: Annotated[
        int | None, typer.Option(help="Show only entries before this position in the log.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of rows.")] = 50,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show a client's audit entries, newest first. Pass `all` instead of a client id to show the
    entries of the entire installation."""
    which = EntryFilter(what=what, actor=actor)
    async with database_of(data) as database, database.reading_across() as connection:
        log = AuditLog(connection, _chain_of(client))
        found = await log.page(limit=limit, before=before, which=which)
    if as_json:
        answer(True, "", entries=[_entry(link) for link in found])
        return
    print_list(
        ("entry", "at", "who", "from", "what", "of"),
        [
            (
                str(link.entry.seq),
                rfc3339(link.entry.at, "seconds"),
                link.entry.actor + (f" by {link.entry.login}" if link.entry.login else ""),
                link.entry.network or "",
                link.entry.what,
                " ".join(f"{name}={value}" for name, value in link.entry.ids.items()),
            )
            for link in found
        ],
    )


def _entry(link: ChainLink) -> dict[str, object]:
    entry = link.entry
    return {
        "seq": entry.seq,
        "id": entry.id,
        "at": entry.at,
        "actor_kind": entry.actor_kind,
        "actor": entry.actor,
        "login": entry.login,
        "network": entry.network,
        "what": entry.what,
        "ids": entry.ids,
        "hash": link.hash.hex(),
    }


@command(app, "anchors")
async def show_anchors(
    day: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"], help="Day to show; defaults to the latest day with checkpoints."
        ),
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show the checkpoints of all audit logs for a day. Save the JSON output outside the
    installation, for later use with `audit verify --anchors`."""
    async with database_of(data) as database:
        meant = await _latest_day(database) if day is None else day.replace(tzinfo=UTC).date()
        if meant is None:
            raise InvalidInput("nothing is anchored yet: that is done each night at 00:20 UTC")
        found = [one async for page in anchors_of_day(database, meant) for one in page]
    digest = AnchorDigest(found)
    if not as_json:
        facts = {"day": meant, "anchors": digest.number, "digest": digest.text}
        answer(False, "The log has the same digest in its line `audit log anchored`.", **facts)
        return
    kept = [KeptAnchor(client_id=one.client_id, seq=one.seq, hash=one.hash.hex()) for one in found]
    answer(
        True,
        "",
        day=meant,
        digest=digest.text,
        anchors=[one.model_dump() for one in kept],
    )


async def _latest_day(database: Database) -> date | None:
    async with database.reading_across() as connection:
        return await ChainRepository(connection).latest_day()
