"""suggestion: templates and knowledge entries that AI assistants suggest to a client."""

from typing import Annotated

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
    work_on,
)
from commands.core.listing import print_list
from commands.core.person import operator
from domain.content.content import KnowledgeEntry
from domain.content.suggestion import MAX_SUGGESTIONS, SuggestedEntry
from domain.core.ids import TenantId
from services.content.suggestions import accept_suggestion, refuse_suggestion
from store.content.suggestions import SuggestionRepository

app = typer.Typer(help="Manage suggestions from AI assistants.", no_args_is_help=True)


@app.callback()
def suggestions_group() -> None:
    """Suggestions from AI assistants for a client's templates and knowledge."""


@command(app, "list")
async def list_suggestions(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a client's open suggestions, oldest first."""
    async with reading_client(data, client) as (connection, tenant):
        found = await SuggestionRepository(connection, tenant).page(
            after=None, limit=MAX_SUGGESTIONS
        )
    if as_json:
        answer(True, "", suggestions=[fields_of(one, "suggestion_id") for one in found])
        return
    print_list(
        ("suggestion", "kind", "title", "reason"),
        [
            (
                one.id,
                one.proposed.kind,
                one.proposed.title
                if isinstance(one.proposed, SuggestedEntry)
                else one.proposed.name,
                one.reason,
            )
            for one in found
        ],
    )


@command(app, "accept")
async def accept(
    suggestion_id: Annotated[str, typer.Argument()],
    client: ClientOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Accept a suggestion. The agent may use its text starting with the next message."""
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        added = await accept_suggestion(work, operator(), suggestion_id)
    name = "knowledge_id" if isinstance(added, KnowledgeEntry) else "template_id"
    answer(as_json, "Suggestion accepted.", **fields_of(added, name))


@command(app, "refuse")
async def refuse(
    suggestion_id: Annotated[str, typer.Argument()],
    client: ClientOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Reject a suggestion, and delete the suggested text."""
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        await refuse_suggestion(work, operator(), suggestion_id)
    answer(as_json, "Suggestion refused.", suggestion_id=suggestion_id)
