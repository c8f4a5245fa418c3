"""template and knowledge: what a client lets the agent say."""

from typing import Annotated

import typer

from adapters.system import new_ulid, utc_now
from commands.context import DEFAULT_DATA, DataOption, JsonOption, answer, command, transaction_on
from commands.listing import print_list
from domain.brain import Category, Language, Template
from domain.content import KnowledgeEntry
from domain.errors import InvalidInput
from domain.ids import TenantId
from domain.template import KNOWN_NAMES, names, unreadable
from store.client_repository import ClientRepository
from store.content_repository import ContentRepository

templates = typer.Typer(help="Response templates.", no_args_is_help=True)
knowledge = typer.Typer(help="Knowledge entries.", no_args_is_help=True)

ClientOption = Annotated[str, typer.Option(help="client_id")]
LanguageOption = Annotated[Language, typer.Option(help="fr or en")]


@templates.callback()
def templates_group() -> None:
    """A client's own answers; docs/playbooks.md says which placeholders they may hold."""


@knowledge.callback()
def knowledge_group() -> None:
    """A client's own facts; the agent quotes them and invents none."""


@templates.command("create")
@command
async def create_template(
    client: ClientOption,
    name: Annotated[str, typer.Option()],
    category: Annotated[Category, typer.Option()],
    language: LanguageOption,
    body: Annotated[
        str, typer.Option(help="May hold {{ order_number }} and the like: docs/playbooks.md.")
    ],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Add an answer for a class of questions."""
    if not body.strip():
        raise InvalidInput("a body is needed")
    if wrong := unreadable(body):
        raise InvalidInput(f"body: cannot be read as a placeholder, as in {{{{ name }}}}: {wrong}")
    template = Template(
        id=new_ulid(), name=name, category=category, language=language, body=body.strip()
    )
    async with transaction_on(data) as connection:
        await ClientRepository(connection).brand_name(client)
        await ContentRepository(connection, TenantId(client)).add_template(template, utc_now())
    needed = sorted(names(body) - KNOWN_NAMES)
    if as_json:
        answer(True, "", template_id=template.id, needs=needed)
        return
    note = f" It needs the fields: {', '.join(needed)}." if needed else ""
    answer(False, f"Template added.{note}", template_id=template.id)


@templates.command("list")
@command
async def list_templates(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a client's templates, the oldest first."""
    async with transaction_on(data) as connection:
        await ClientRepository(connection).brand_name(client)
        found = await ContentRepository(connection, TenantId(client)).all_templates()
    if as_json:
        answer(True, "", templates=[_fields("template_id", one) for one in found])
        return
    print_list(
        ("template", "name", "class", "language", "body"),
        [(one.id, one.name, one.category.value, one.language, one.body) for one in found],
    )


@templates.command("delete")
@command
async def delete_template(
    template_id: Annotated[str, typer.Argument()],
    client: ClientOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Delete a template, for good."""
    async with transaction_on(data) as connection:
        await ContentRepository(connection, TenantId(client)).delete_template(template_id)
    answer(as_json, "Template deleted.", template_id=template_id)


@knowledge.command("create")
@command
async def create_knowledge(
    client: ClientOption,
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


@knowledge.command("list")
@command
async def list_knowledge(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a client's knowledge, the oldest first."""
    async with transaction_on(data) as connection:
        await ClientRepository(connection).brand_name(client)
        found = await ContentRepository(connection, TenantId(client)).all_knowledge()
    if as_json:
        answer(True, "", knowledge=[_fields("knowledge_id", one) for one in found])
        return
    print_list(
        ("knowledge", "title", "language", "body"),
        [(one.id, one.title, one.language, one.body) for one in found],
    )


@knowledge.command("delete")
@command
async def delete_knowledge(
    knowledge_id: Annotated[str, typer.Argument()],
    client: ClientOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Delete a knowledge entry, for good."""
    async with transaction_on(data) as connection:
        await ContentRepository(connection, TenantId(client)).delete_knowledge(knowledge_id)
    answer(as_json, "Knowledge deleted.", knowledge_id=knowledge_id)


def _fields(id_name: str, one: Template | KnowledgeEntry) -> dict[str, object]:
    fields = one.model_dump(mode="json")
    return {id_name: fields.pop("id"), **fields}
