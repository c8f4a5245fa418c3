"""example: messages labelled with the category that a human reviewer assigned."""

from pathlib import Path
from typing import Annotated, Final

import typer

from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    fields_of,
    reading_client,
    work_on_record,
)
from commands.core.listing import print_list
from commands.core.person import operator
from domain.core.errors import InvalidInput
from domain.learning.labelled_example import MAX_EXAMPLES
from services.learning.labelled_examples import delete_example
from store.learning.labelled_examples import LabelledExampleRepository, client_of_example

app = typer.Typer(help="Manage labelled examples.", no_args_is_help=True)

_PAGE: Final = 500


@app.callback()
def examples_group() -> None:
    """docs/learning.md explains how labelled examples are used."""


@command(app, "list")
async def list_examples(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show the labelled examples, oldest first."""
    async with reading_client(data, client) as (connection, tenant):
        found = await LabelledExampleRepository(connection, tenant).page(
            after=None, limit=MAX_EXAMPLES
        )
    if as_json:
        answer(True, "", examples=[fields_of(one, "example_id") for one in found])
        return
    print_list(
        ("example", "class", "intent", "language", "text"),
        [(one.id, one.classification, one.intent or "-", one.language, one.text) for one in found],
    )


@command(app, "delete")
async def delete(
    example_id: Annotated[str, typer.Argument(metavar="EXAMPLE_ID")],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Delete one labelled example permanently."""
    async with work_on_record(data, client_of_example, example_id) as work:
        await delete_example(work, operator(), example_id)
    answer(as_json, "Example deleted.", example_id=example_id)


@command(app, "export")
async def export(
    file: Annotated[
        Path, typer.Argument(help=("Path of the file to write, which must not exist yet."))
    ],
    client: ClientOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Export the labelled examples to a file, one JSON object per line."""
    written, after = 0, None
    async with reading_client(data, client) as (connection, tenant):
        examples = LabelledExampleRepository(connection, tenant)
        try:
            with file.open("x", encoding="utf-8") as lines:
                while page := await examples.page(after=after, limit=_PAGE):
                    lines.writelines(f"{one.model_dump_json()}\n" for one in page)
                    written, after = written + len(page), page[-1].id
        except OSError as error:
            raise InvalidInput(
                f"{file}: {(error.strerror or 'cannot be written').lower()}"
            ) from None
    answer(as_json, "Examples written.", file=str(file), examples=written)
