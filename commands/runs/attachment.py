"""Attachments for operators: the line for an attachment in a run or review, and the command that
saves an attachment as a file."""

import os
from pathlib import Path
from typing import Annotated

import typer

from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    database_of,
    synchronous,
)
from domain.core.errors import InvalidInput
from domain.core.ids import parse_ulid
from domain.intake.attachment import Attachment, AttachmentState
from domain.intake.errors import AttachmentNotFound
from store.intake.attachments import AttachmentRepository, client_of_attachment


def attachment_line(attachment: Attachment) -> str:
    """Return the line that describes an attachment: its name, type and size, then its id. For a
    rejected attachment, the line ends with the reason for the rejection instead of the id."""
    what = f"{attachment.name}, {attachment.media_type or 'unknown type'}, {attachment.size} bytes"
    if attachment.state is AttachmentState.REFUSED:
        return f"{what}, rejected: {attachment.reason}"
    return f"{what}, {attachment.id}"


@synchronous
async def attachment(
    attachment_id: Annotated[
        str, typer.Argument(help="Id of the attachment, as shown by `run show`.")
    ],
    to: Annotated[
        Path, typer.Option("--to", help=("Path of the file to write, which must not exist yet."))
    ],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Save a customer's attachment as a file."""
    wanted = parse_ulid(attachment_id) or attachment_id
    async with database_of(data) as database, database.reading_across() as connection:
        tenant = await client_of_attachment(connection, wanted)
        repository = AttachmentRepository(connection, tenant)
        found = await repository.read(wanted)
        if found.state is AttachmentState.REFUSED:
            raise AttachmentNotFound(wanted)
        try:
            # O_EXCL prevents the command from overwriting an existing file. Only the current user
            # can read the new file.
            handle = os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise InvalidInput(f"{to}: {(error.strerror or 'cannot be written').lower()}") from None
        with os.fdopen(handle, "wb") as file:
            async for chunk in repository.chunks(wanted):
                file.write(chunk)
    answer(
        as_json,
        "Attachment written.",
        attachment_id=found.id,
        file=str(to),
        media_type=found.media_type or "",
        size=found.size,
    )
