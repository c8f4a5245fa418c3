"""template and knowledge: what a client lets the agent say."""

from typing import Annotated

import typer

from adapters.system import new_ulid, utc_now
from commands.context import DEFAULT_DATA, DataOption, JsonOption, answer, command, transaction_on
from domain.brain import Category, Language, Template
from domain.errors import InvalidInput
from domain.ids import TenantId
from store.client_repository import ClientRepository
from store.content_repository import ContentRepository

templates = typer.Typer(help="Response templates.", no_args_is_help=True)
knowledge = typer.Typer(help="Knowledge entries.", no_args_is_help=True)

LanguageOption = Annotated[Language, typer.Option(help="fr or en")]


@templates.callback()
def templates_group() -> None:
    """A client's own answers, one or more for a class of questions."""


@knowledge.callback()
def knowledge_group() -> None:
    """A client's own facts; the agent quotes them and invents none."""


@templates.command("create")
@command
async def create_template(
    client: Annotated[str, typer.Option(help="client_id")],
    name: Annotated[str, typer.Option()],
    category: Annotated[Category, typer.Option()],
    language: LanguageOption,
    body: Annotated[str, typer.Option(help="May hold {{ order_number }} and the like.")],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Add an answer for a class of questions."""
    if not body.strip():
        raise InvalidInput("a body is needed")
    template = Template(
        id=new_ulid(), name=name, category=category, language=language, body=body.strip()
    )
    async with transaction_on(data) as connection:
        await ClientRepository(connection).brand_name(client)
        await ContentRepository(connection, TenantId(client)).add_template(template, utc_now())
    answer(as_json, "Template added.", template_id=template.id)


@knowledge.command("create")
@command
async def create_knowledge(
    client: Annotated[str, typer.Option(help="client_id")],
    title: Annotated[str, typer.Option()],
    body: Annotated[str, typer.Option()],
    language: LanguageOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Add a fact that the agent may answer from."""
    if not title.strip() or not body.strip():
        raise InvalidInput("a title and a body are needed")
    entry_id = new_ulid()
    async with transaction_on(data) as connection:
        await ClientRepository(connection).brand_name(client)
        await ContentRepository(connection, TenantId(client)).add_knowledge(
            entry_id=entry_id,
            title=title.strip(),
            body=body.strip(),
            language=language,
            now=utc_now(),
        )
    answer(as_json, "Knowledge added.", knowledge_id=entry_id)
