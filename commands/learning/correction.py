"""correction: human reviewers' edits to the agent's drafts, and suggestions derived from these
edits."""

from pathlib import Path
from typing import Annotated, Final

import typer
from pydantic import ValidationError

from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    fields_of,
    reading_client,
    work_on_record,
)
from commands.core.listing import print_list
from commands.core.person import operator
from commands.core.texts import content_of
from domain.agent.brain import Category
from domain.agent.intent import Intent
from domain.core.errors import InvalidInput
from domain.learning.correction import Correction, CorrectionLesson, CorrectionState
from domain.learning.word_diff import PieceKind
from services.learning.correction_reading import read_correction
from services.learning.corrections import accept_correction, dismiss_correction
from store.learning.corrections import CorrectionRepository, client_of_correction

app = typer.Typer(help="Manage corrections from edited and rejected reviews.", no_args_is_help=True)

_MAX_LISTED: Final = 1_000
_MARKS: Final = {PieceKind.EQUAL: "{}", PieceKind.DELETE: "[-{}-]", PieceKind.INSERT: "{{+{}+}}"}

IdArgument = Annotated[str, typer.Argument(metavar="CORRECTION_ID")]


@app.callback()
def corrections_group() -> None:
    """docs/learning.md explains how corrections are used."""


@command(app, "list")
async def list_corrections(
    client: ClientOption,
    state: Annotated[CorrectionState, typer.Option()] = CorrectionState.OPEN,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """List a client's corrections in the given state, oldest first."""
    async with reading_client(data, client) as (connection, tenant):
        found = await CorrectionRepository(connection, tenant).page(
            state=state, after=None, limit=_MAX_LISTED
        )
    if as_json:
        answer(True, "", corrections=[fields_of(one, "correction_id") for one in found])
        return
    print_list(
        ("correction", "kind", "class", "customer", "sent"),
        [(one.id, one.kind, one.classification, one.preview, one.sent_preview) for one in found],
    )


@command(app, "show")
async def show(
    correction_id: IdArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show one correction with its word diff and the suggestions derived from it."""
    async with database_of(data) as database:
        tenant = await database.find_client(client_of_correction, correction_id)
        async with database.reading(tenant) as connection:
            found = await read_correction(connection, tenant, correction_id)
    if as_json:
        answer(True, "", **fields_of(found, "correction_id"))
        return
    answer(
        False,
        f"Correction {found.id}, {found.kind}, {found.state}",
        review=found.review_id,
        customer=found.text,
        draft=found.draft or "-",
        sent=found.sent or "-",
        difference=_difference(found) or "-",
        case=found.offers.case.name if found.offers.case else "-",
        content=found.offers.content.kind if found.offers.content else "-",
    )


@command(app, "accept")
async def accept(
    correction_id: IdArgument,
    classification: Annotated[Category, typer.Option(help="Category of the customer's message.")],
    intent: Annotated[Intent | None, typer.Option(help="Customer's intent.")] = None,
    with_case: Annotated[
        bool, typer.Option("--case", help=("Also add the case that the correction suggests."))
    ] = False,
    with_content: Annotated[
        bool,
        typer.Option(
            "--content", help=("Also apply the content change that the correction suggests.")
        ),
    ] = False,
    lesson_file: Annotated[
        Path | None,
        typer.Option(
            help=(
                "JSON file with `case` and `content`, which replace the suggested case and "
                "content; - for standard input."
            )
        ),
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Accept a correction: add a labelled example and, if requested, a case and content."""
    given = None if lesson_file is None else _lesson(lesson_file, classification, intent)
    if given is not None and (with_case or with_content):
        raise InvalidInput("--lesson-file, or --case and --content, not both")
    async with database_of(data) as database:
        tenant = await database.find_client(client_of_correction, correction_id)
        async with database.reading(tenant) as connection:
            offered = (await read_correction(connection, tenant, correction_id)).offers
    lesson = given or CorrectionLesson(
        classification=classification,
        intent=intent,
        case=offered.case if with_case else None,
        content=offered.content if with_content else None,
    )
    async with work_on_record(data, client_of_correction, correction_id) as work:
        made = await accept_correction(work, operator(), correction_id, lesson)
    answer(
        as_json,
        "Correction accepted.",
        correction_id=correction_id,
        example_id=made.example_id,
        case_id=made.case_id,
        content_kind=made.content_kind,
        content_id=made.content_id,
    )


@command(app, "dismiss")
async def dismiss(
    correction_id: IdArgument, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Dismiss a correction. The agent learns nothing from it."""
    async with work_on_record(data, client_of_correction, correction_id) as work:
        await dismiss_correction(work, operator(), correction_id)
    answer(as_json, "Correction dismissed.", correction_id=correction_id)


def _difference(found: Correction) -> str:
    return "".join(_MARKS[piece.kind].format(piece.text) for piece in found.diff)


def _lesson(file: Path, classification: Category, intent: Intent | None) -> CorrectionLesson:
    """Return what to learn from the correction, as given in a JSON file. Raises InvalidInput with
    the path of the invalid field."""
    try:
        given = CorrectionLesson.model_validate_json(content_of(file), extra="forbid")
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "lesson"
        raise InvalidInput(f"{place}: {first['msg']}") from None
    return given.model_copy(update={"classification": classification, "intent": intent})
