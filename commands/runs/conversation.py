"""conversation: commands that list, read, answer and triage conversations with customers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.markup import escape

from adapters.system import utc_now
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
    work_on,
)
from commands.core.listing import print_list
from commands.core.person import AsOption, acting, operator
from commands.core.texts import FILE_HELP, content_of, required_text
from domain.core.attached_file import AttachedFile
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId, parse_ulid
from domain.core.json_time import rfc3339
from domain.intake.attachment import MAX_REPLY_BYTES
from domain.intake.attachment_type import inspect
from domain.runs.triage import ConversationStatus, TriageChange
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from services.reviews.notes import add_note
from services.reviews.replies import undo_reply, write_reply
from services.reviews.reply_files import upload_file
from services.reviews.triage import update_conversation, update_conversations
from services.reviews.waiting import read_waiting
from store.core.database import WhoseRecord
from store.reviews.replies import client_of_reply
from store.runs.conversation_lists import (
    ConversationLists,
    Talk,
    TalkFilter,
    client_of_conversation,
)
from store.runs.conversation_reading import ConversationReader
from store.runs.internal_notes import InternalNoteRepository
from store.runs.triage import TriageRepository
from store.tenants.clients import ClientRepository

app = typer.Typer(
    help="Read, answer and triage conversations with customers.", no_args_is_help=True
)

_LISTED: Final = ("conversation", "status", "assignee", "last message", "customer")
_SHOWN: Final = 100

IdArgument = Annotated[str, typer.Argument(metavar="CONVERSATION_ID")]
StatusOption = Annotated[ConversationStatus | None, typer.Option(help="New status.")]
UntilOption = Annotated[
    datetime | None,
    typer.Option(help="Time at which a snoozed conversation reopens, UTC."),
]
AssigneeOption = Annotated[
    str | None, typer.Option(help="Id of a member; empty to remove the assignee.")
]
TextFileOption = Annotated[Path | None, typer.Option(help=FILE_HELP)]


@command(app, "list")
async def list_some(
    client: ClientOption,
    status: Annotated[
        ConversationStatus | None, typer.Option(help="Show only conversations with this status.")
    ] = None,
    assignee: Annotated[
        str | None,
        typer.Option(
            help=(
                "Show only conversations assigned to this member; empty for unassigned "
                "conversations."
            )
        ),
    ] = None,
    tag: Annotated[str | None, typer.Option(help="Show only conversations with this tag.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of rows.")] = 50,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show a client's conversations, latest message first. With a filter, only the latest 2,000
    conversations are searched."""
    tenant = TenantId(parse_ulid(client) or client)
    wanted = TalkFilter(status=status, assignee=assignee, tag=tag)
    async with database_of(data) as database, database.reading(tenant) as connection:
        await ClientRepository(connection).brand_name(tenant)
        found, _ = await ConversationLists(connection, tenant).page(
            wanted, after=None, limit=limit, now=utc_now()
        )
    if as_json:
        answer(True, "", conversations=[fields_of(talk, "conversation_id") for talk in found])
        return
    cells = (
        (talk.id, talk.status, talk.assignee or "", rfc3339(talk.last_message_at), _who(talk))
        for talk in found
    )
    print_list(_LISTED, cells, ids=1)


@command(app, "show")
async def show(
    conversation_id: IdArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a conversation: its status, its latest messages and its internal notes."""
    now = utc_now()
    async with database_of(data) as database:
        tenant = await database.find_client(client_of_conversation, conversation_id)
        async with database.reading(tenant) as connection:
            triage = await TriageRepository(connection, tenant).read(conversation_id, now)
            reader = ConversationReader(connection, tenant)
            messages = (await reader.messages(conversation_id, before=None, limit=_SHOWN))[::-1]
            notes = await InternalNoteRepository(connection, tenant).listed(
                conversation_id, since=None, limit=_SHOWN
            )
            waits = await read_waiting(connection, tenant, operator(), [conversation_id], now)
            waiting = waits.get(conversation_id)
    if as_json:
        answer(
            True,
            "",
            conversation_id=conversation_id,
            **triage.model_dump(mode="json"),
            messages=[one.model_dump(mode="json") for one in messages],
            notes=[one.model_dump(mode="json") for one in notes],
            due=None if waiting is None else rfc3339(waiting.due),
            is_overdue=None if waiting is None else waiting.is_overdue,
        )
        return
    out.print(f"{conversation_id} {triage.status} {escape(', '.join(triage.tags))}")
    if waiting is not None:
        out.print(f"answer due {rfc3339(waiting.due)}{', overdue' if waiting.is_overdue else ''}")
    said = [(one.created_at, one.author, one.body) for one in messages]
    written = [(one.created_at, f"note of {one.author}", one.body) for one in notes]
    for at, who, body in sorted([*said, *written]):
        out.print(f"{rfc3339(at)} {escape(who)}: {escape(body)}")


@command(app, "update")
async def update(
    conversation_id: IdArgument,
    status: StatusOption = None,
    until: UntilOption = None,
    assignee: AssigneeOption = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(
            help="Tag; repeatable. The given tags replace all tags; an empty value removes them."
        ),
    ] = None,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Change the status, assignee or tags. The customer's next message reopens a closed or snoozed
    conversation."""
    tags = None if not tag else tuple(one for one in tag if one)
    change = replace(_change(status, until, assignee), tags=tags)
    if change == TriageChange():
        raise InvalidInput("--status, --assignee or --tag: at least one")
    async with _at_work(client_of_conversation, conversation_id, person, data) as (work, actor):
        triage = await update_conversation(work, actor, conversation_id, change)
    answer(
        as_json,
        f"Conversation {triage.status}.",
        conversation_id=conversation_id,
        **triage.model_dump(mode="json"),
    )


@command(app, "update-several")
async def update_several(
    conversation_ids: Annotated[list[str], typer.Argument(metavar="CONVERSATION_ID...")],
    status: StatusOption = None,
    until: UntilOption = None,
    assignee: AssigneeOption = None,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Change the status or assignee of several conversations of one client, at most 100. If the
    change fails for one conversation, no conversation changes."""
    change = _change(status, until, assignee)
    if change == TriageChange():
        raise InvalidInput("--status or --assignee: at least one")
    chosen = [parse_ulid(one) or one for one in conversation_ids]
    async with _at_work(client_of_conversation, chosen[0], person, data) as (work, actor):
        changed = await update_conversations(work, actor, chosen, change)
    answer(
        as_json,
        f"Conversations changed: {len(changed)}.",
        conversations=[
            {"conversation_id": one, **triage.model_dump(mode="json")}
            for one, triage in changed.items()
        ],
    )


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
    file: Annotated[
        list[Path] | None, typer.Option(help="Image or PDF to attach. Repeatable.")
    ] = None,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Reply to the customer, in the channel of the latest message. The reply is sent after ten
    seconds. Until then, `conversation undo` deletes the reply. Sending closes the conversation's
    open reviews."""
    words = required_text(text, text_file, "--text")
    # Turns, as in `services/intake/file_inspector.py`, are not needed because a command has its own
    # process and serves one client.
    found = inspect(
        [AttachedFile(one.name, "", content_of(one, MAX_REPLY_BYTES)) for one in file or ()]
    )
    async with _at_work(client_of_conversation, conversation_id, person, data) as (work, actor):
        uploaded = [await upload_file(work, actor, conversation_id, one) for one in found]
        written = await write_reply(
            work,
            actor,
            conversation_id,
            words,
            seen_event=message,
            file_ids=[one.id for one in uploaded],
        )
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
    """Add an internal note. The customer and the agent never see it."""
    words = required_text(text, text_file, "--text")
    async with _at_work(client_of_conversation, conversation_id, person, data) as (work, actor):
        added = await add_note(work, actor, conversation_id, words)
    answer(as_json, "Note added.", note_id=added.id, conversation_id=conversation_id)


def _change(
    status: ConversationStatus | None, until: datetime | None, assignee: str | None
) -> TriageChange:
    snoozed_until = None if until is None else until.replace(tzinfo=UTC)
    return TriageChange(status=status, snoozed_until=snoozed_until, assignee=assignee)


def _who(talk: Talk) -> str:
    return talk.customer_email or "unknown"


@asynccontextmanager
async def _at_work(
    client_of: WhoseRecord, record_id: str, person: str | None, data: Path
) -> AsyncIterator[tuple[UnitOfWork, Actor]]:
    """Yield a unit of work for the record's client, and the actor for the given user. Raises the
    error of `client_of` if the record does not exist."""
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        tenant = await units.database.find_client(client_of, record_id)
        async with units.of(tenant) as work:
            yield work, actor
