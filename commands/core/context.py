"""Code shared by all commands: selection of the stack to work on, and output."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, ParamSpec

import typer
from psycopg import Error as PsycopgError
from pydantic import BaseModel
from rich.console import Console
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid, utc_now
from commands.core.nearby_engine import NearbyEngine
from commands.core.sentences import SENTENCES
from domain.core.errors import DomainError, InvalidInput
from domain.core.ids import TenantId
from domain.core.json_time import rfc3339
from domain.core.plain_text import without_controls
from domain.reviews.errors import EscalationClaimed
from embedded.data_folder import kept_folder, running_stack
from services.core.unit_of_work import UnitOfWork, UnitsOfWork
from store.core.database import Database, WhoseRecord
from store.tenants.clients import ClientRepository

if TYPE_CHECKING:
    from adapters.seal import FernetSealer
    from domain.cases.digest import NamesModel
    from settings import Settings

P = ParamSpec("P")

DEFAULT_DATA: Final = Path(".data")
_PLACES: Final = ("DATABASE_URL", "TEMPORAL_ADDRESS")

DataOption = Annotated[
    Path,
    typer.Option("--data", help=("Folder of the embedded stack. Ignored if DATABASE_URL is set.")),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]
ClientOption = Annotated[str, typer.Option(help="Id of the client.")]

out: Final = Console()
err: Final = Console(stderr=True)


def fail(message: str) -> typer.Exit:
    """Print an error message as one sentence, and return the exception to raise."""
    err.print(f"error: {message}", style="bold red", highlight=False, markup=False, soft_wrap=True)
    return typer.Exit(1)


def warn(message: str) -> None:
    """Print a warning about an action that has been performed."""
    err.print(f"warning: {message}", style="yellow", highlight=False, markup=False, soft_wrap=True)


def command(
    app: typer.Typer, name: str
) -> Callable[[Callable[P, Coroutine[None, None, None]]], Callable[P, None]]:
    """Return a decorator that registers an async function as a command of `app`, wrapped by
    `synchronous`."""

    def register(function: Callable[P, Coroutine[None, None, None]]) -> Callable[P, None]:
        return app.command(name)(synchronous(function))

    return register


def synchronous(function: Callable[P, Coroutine[None, None, None]]) -> Callable[P, None]:
    """Return a synchronous function that runs an async command, for use with Typer. An expected
    error is printed as one sentence, with exit code 1."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with anticipated():
            asyncio.run(function(*args, **kwargs))

    return run


@contextmanager
def anticipated() -> Iterator[None]:
    """Run the block. If it raises an expected error, print the error as one sentence and exit with
    code 1."""
    try:
        yield
    except DomainError as error:
        raise fail(describe(error)) from None
    except (SQLAlchemyError, PsycopgError, ValueError) as error:
        # The first line states the error. The remaining lines are SQL and links.
        raise fail(str(error).splitlines()[0]) from None


def describe(error: DomainError) -> str:
    """Return an error's text for users, followed by its error code if scripts may need the code."""
    if isinstance(error, InvalidInput):
        return str(error)
    if isinstance(error, EscalationClaimed):
        return (
            f"{error.claimed_by} has claimed this review; review claim --force takes over the "
            f"claim ({error.code}: {error})"
        )
    sentence = SENTENCES.get(type(error))
    return f"{sentence} ({error.code}: {error})" if sentence else f"{error.code}: {error}"


def settings_for(data: Path) -> "Settings":
    """Return the settings from the environment. Missing settings come from the embedded stack on
    `data`, unless the environment names another database or Temporal server. Raises
    InvalidInput."""
    if not any(os.environ.get(key) for key in _PLACES):
        kept_folder(data)
    running = running_stack(data) if not _is_complete() else None
    if running and all(os.environ.get(key) in (None, "", running.env[key]) for key in _PLACES):
        for key, value in running.env.items():
            os.environ[key] = os.environ.get(key) or value
    from settings import load_settings  # noqa: PLC0415 - few commands need any

    return load_settings()


def environment_of(data: Path) -> Mapping[str, str]:
    """Return the environment variables. Missing variables are taken from the embedded stack that
    runs on `data`, unless DATABASE_URL is set."""
    running = None if os.environ.get("DATABASE_URL") else running_stack(data)
    given = {name: value for name, value in os.environ.items() if value}
    return {**(running.env if running else {}), **given}


def sealer_of(data: Path) -> "FernetSealer":
    """Return a sealer with the workers' encryption keys, so that the workers can decrypt what a
    command encrypts. Raises InvalidInput if no valid keys are configured."""
    keys = environment_of(data).get("SEAL_KEY")
    if not keys and not os.environ.get("DATABASE_URL"):
        keys = kept_folder(data).seal_key()
    if not keys:
        raise InvalidInput("not configured: SEAL_KEY is not set")
    # The module is imported here because few commands need cryptography.
    from adapters.seal import FernetSealer  # noqa: PLC0415 - slow to load

    try:
        return FernetSealer(keys)
    except ValueError:
        raise InvalidInput("not configured: SEAL_KEY contains no Fernet keys") from None


def _is_complete() -> bool:
    return all(os.environ.get(key) for key in (*_PLACES, "SEAL_KEY"))


def model_of(data: Path) -> "NamesModel":
    """Return a function that returns the brain's identity by the command's settings. It raises
    InvalidInput.

    The settings must match the workers' because case results are valid for one brain only.
    """

    def name() -> str:
        # The module is imported here because few commands need the brain's identity.
        from adapters.brain.identity import brain_identity  # noqa: PLC0415 - slow to load
        from settings import load_brain  # noqa: PLC0415 - slow to load

        settings = load_brain(environment_of(data))
        return brain_identity(settings.brain, settings.embedding)

    return name


@asynccontextmanager
async def database_of(data: Path) -> AsyncIterator[Database]:
    """Yield the database at DATABASE_URL, or the embedded one in `data`, started for the block if
    necessary. Raises InvalidInput if there is none."""
    async with AsyncExitStack() as held:
        url = os.environ.get("DATABASE_URL")
        if not url and (running := running_stack(data)):
            url = running.env["DATABASE_URL"]
        if not url:
            # The module is imported here because server installations do not include the embedded
            # packages. In a server installation, `migrate` migrates the database.
            from embedded.postgres import EmbeddedPostgres  # noqa: PLC0415 - slow to load
            from store.core.migrate import migrate  # noqa: PLC0415 - slow to load

            server = held.enter_context(EmbeddedPostgres(kept_folder(data).postgres))
            migrate(server.owner_url)
            url = server.url
        database = Database(url, pool_size=1)
        held.push_async_callback(database.close)
        yield database


@asynccontextmanager
async def reading_client(
    data: Path, client: str
) -> AsyncIterator[tuple[AsyncConnection, TenantId]]:
    """Yield a read-only connection and the client's id. Raises ClientNotFound if the client does
    not exist."""
    async with database_of(data) as database, database.reading_across() as connection:
        await ClientRepository(connection).brand_name(client)
        yield connection, TenantId(client)


@asynccontextmanager
async def work_on(data: Path) -> AsyncIterator[UnitsOfWork]:
    """Yield a factory for units of work on the database of `data`. Their workflows start on the
    Temporal server at TEMPORAL_ADDRESS, or in the embedded stack running on `data`."""
    async with database_of(data) as database:
        yield UnitsOfWork(database, NearbyEngine(environment_of(data)), utc_now, new_ulid)


def answer(as_json: bool, sentence: str, /, **fields: object) -> None:
    """Print a command's result: as one JSON object for programs, or as a sentence and fields for
    users. Lines are never truncated, because some secrets cannot be shown again."""
    if as_json:
        typer.echo(json.dumps(fields, ensure_ascii=False, default=_as_json))
        return
    out.print(sentence, highlight=False, markup=False, soft_wrap=True)
    width = max(map(len, fields), default=0)
    for name, value in fields.items():
        # Some values are untrusted. Their control characters must not reach the terminal.
        line = f"  {name:<{width}}  {without_controls(_as_text(value))}"
        out.print(line, highlight=False, markup=False, soft_wrap=True)


def _as_text(value: object) -> str:
    """Convert a value to text for users: a list of strings without brackets, and other lists and
    objects as JSON."""
    if isinstance(value, datetime):
        return rfc3339(value, "seconds")
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=_as_json)
    return str(value)


def _as_json(value: object) -> str:
    """Convert a value to text for JSON output. Times end with `Z` instead of an offset, as in API
    responses and exports."""
    return rfc3339(value) if isinstance(value, datetime) else str(value)


def fields_of(record: BaseModel, id_name: str) -> dict[str, object]:
    """Return a record's fields for JSON output. The record's id is named `id_name`."""
    fields = record.model_dump(mode="json")
    return {id_name: fields.pop("id"), **fields}


@asynccontextmanager
async def work_on_record(
    data: Path, whose: WhoseRecord, record_id: str
) -> AsyncIterator[UnitOfWork]:
    """Yield a unit of work for the client of the record, found by `whose`. Raises the errors of
    `whose`."""
    async with work_on(data) as units:
        tenant = await units.database.find_client(whose, record_id)
        async with units.of(tenant) as work:
            yield work
