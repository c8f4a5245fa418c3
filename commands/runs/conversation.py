"""conversation: commands to write in conversations with customers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import typer

from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    work_on,
)
from commands.core.person import AsOption, acting
from commands.core.texts import FILE_HELP, required_text
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from services.reviews.notes import add_note
from services.reviews.replies import undo_reply, write_reply
from store.core.database import WhoseRecord
from store.reviews.replies import client_of_reply
from store.runs.conversation_lists import client_of_conversation

app = typer.Typer(help="Write in conversations with customers.", no_args_is_help=True)

IdArgument = Annotated[str, typer.Argument(metavar="CONVERSATION_ID")]
TextFileOption = Annotated[Path | None, typer.Option(help=FILE_HELP)]


@command(app, "reply")
async def reply(
    conversation_id: IdArgument,
    text: Annotated[str | None, typer.Option(help="Text to send to the customer.")] = None,
    text_file: TextFileOption = None,
    message: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help=(
                "Event id of the customer's latest message that you have read. The reply is "
                "rejected if there is a later message."
            ),
        ),
    ] = None,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Reply to the customer, by the channel of the latest message. The reply is sent after ten
    seconds; until then, `conversation undo` deletes it. Open reviews of the conversation are closed
    when it is sent."""
    words = required_text(text, text_file, "--text")
    async with _at_work(client_of_conversation, conversation_id, person, data) as (work, actor):
        written = await write_reply(work, actor, conversation_id, words, seen_event=message)
    answer(
        as_json,
        f"Reply written. Until it is sent: cli.py conversation undo {written.id}",
        reply_id=written.id,
        conversation_id=conversation_id,
        state=written.state.value,
        send_at=written.send_at,
    )


@command(app, "undo")
async def undo(
    reply_id: Annotated[str, typer.Argument(metavar="REPLY_ID")],
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Undo a reply before it is sent."""
    async with _at_work(client_of_reply, reply_id, person, data) as (work, actor):
        undone = await undo_reply(work, actor, reply_id)
    answer(
        as_json,
        "Reply undone.",
        reply_id=reply_id,
        conversation_id=undone.conversation_id,
        text=undone.body,
    )


@command(app, "note")
async def note(
    conversation_id: IdArgument,
    text: Annotated[str | None, typer.Option(help="Text of the note.")] = None,
    text_file: TextFileOption = None,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Add an internal note, which the customer and the agent never see."""
    words = required_text(text, text_file, "--text")
    async with _at_work(client_of_conversation, conversation_id, person, data) as (work, actor):
        added = await add_note(work, actor, conversation_id, words)
    answer(as_json, "Note added.", note_id=added.id, conversation_id=conversation_id)


@asynccontextmanager
async def _at_work(
    client_of: WhoseRecord, record_id: str, person: str | None, data: Path
) -> AsyncIterator[tuple[UnitOfWork, Actor]]:
    """Yield a unit of work on the record's client, and the actor that acts for the given person.
    Raises the error of `client_of` for a record that does not exist."""
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        tenant = await units.database.find_client(client_of, record_id)
        async with units.of(tenant) as work:
            yield work, actor
