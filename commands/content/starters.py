"""template add-starters: a command that adds the starter templates."""

from commands.content.content import templates
from commands.content.preview import saving
from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
)
from commands.core.person import operator
from services.content.templates import add_starter_templates


@command(templates, "add-starters")
async def add_starters(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Add the starter templates for intents that have no template yet."""
    async with saving(data, client) as work:
        added = await add_starter_templates(work, operator())
    answer(as_json, "Starter templates added.", added=added)
