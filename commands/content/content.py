"""template and knowledge: the texts that the agent may use for a client."""

from pathlib import Path
from typing import Annotated

import typer

from commands.content.preview import PreviewOption, saving, try_content
from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    environment_of,
    fields_of,
    reading_client,
    work_on,
)
from commands.core.listing import print_list
from commands.core.person import operator
from commands.core.texts import FILE_HELP, required_text, text_of
from domain.agent.brain import Category, Language
from domain.agent.intent import Intent
from domain.content.content import KnowledgeChange, KnowledgeEntry, TemplateChange, TemplateEntry
from domain.content.site_import import KEPT_IMPORTS, SiteScope
from domain.content.suggestion import SuggestedEntry
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.core.plain_text import without_controls
from domain.simulation.variant import ContentVariant
from services.content.knowledge import add_knowledge, change_knowledge
from services.content.knowledge import delete_knowledge as remove_knowledge
from services.content.site_imports import start_article_import, start_site_import
from services.content.templates import NewTemplate, add_template, change_template
from services.content.templates import delete_template as remove_template
from settings import load_integrations
from store.content.content_changes import ContentChanges
from store.content.site_imports import SiteImportRepository, client_of_site_import

templates = typer.Typer(help="Manage response templates.", no_args_is_help=True)
knowledge = typer.Typer(help="Manage knowledge entries.", no_args_is_help=True)
NotForOption = Annotated[
    list[str] | None,
    typer.Option(
        "--not-for",
        help=(
            "The template is not used for messages that contain this word or phrase. Repeatable."
        ),
    ),
]
BodyFileOption = Annotated[Path | None, typer.Option("--body-file", help=FILE_HELP)]
LanguageOption = Annotated[Language, typer.Option(help="Language of the text: fr or en.")]


@templates.callback()
def templates_group() -> None:
    """A client's response templates. docs/playbooks.md lists the placeholders that a template may
    contain."""


@knowledge.callback()
def knowledge_group() -> None:
    """Facts about the client that the agent may use in answers. The agent never invents other
    facts."""


@command(templates, "create")
async def create_template(
    client: ClientOption,
    name: Annotated[str, typer.Option()],
    category: Annotated[Category, typer.Option()],
    language: LanguageOption,
    body: Annotated[
        str | None,
        typer.Option(
            help="Text with placeholders such as {{ order_number }}: see docs/playbooks.md."
        ),
    ] = None,
    body_file: BodyFileOption = None,
    intent: Annotated[
        Intent | None,
        typer.Option(help="Intent that the template may answer without review; defaults to none."),
    ] = None,
    not_for: NotForOption = None,
    preview: PreviewOption = False,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Add a response template for one category of questions."""
    text = required_text(body, body_file, "--body")
    new = NewTemplate(name, category, language, text, intent=intent, not_for=tuple(not_for or ()))
    if preview:
        await try_content(data, client, ContentVariant(added=new.suggested), as_json)
        return
    async with saving(data, client) as work:
        made = await add_template(work, operator(), new)
    _tell(made, "Template added.", as_json)


@command(templates, "update")
async def update_template(
    template_id: Annotated[str, typer.Argument()],
    client: ClientOption,
    name: Annotated[str | None, typer.Option()] = None,
    category: Annotated[Category | None, typer.Option()] = None,
    language: Annotated[
        Language | None, typer.Option(help=("Language of the text: fr or en."))
    ] = None,
    body: Annotated[str | None, typer.Option()] = None,
    body_file: BodyFileOption = None,
    intent: Annotated[
        Intent | None, typer.Option(help=("Intent that the template may answer without review."))
    ] = None,
    no_intent: Annotated[
        bool, typer.Option("--no-intent", help=("Clear the template's intent."))
    ] = False,
    not_for: NotForOption = None,
    active: Annotated[
        bool | None,
        typer.Option("--on/--off", help=("Whether the agent may use the template.")),
    ] = None,
    preview: PreviewOption = False,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Change the given fields of a template."""
    change = TemplateChange(
        name=name,
        category=category,
        language=language,
        body=text_of(body, body_file, "--body"),
        intent="none" if no_intent else intent,
        not_for=tuple(not_for) if not_for else None,
        is_active=active,
    )
    _require_some(change)
    if preview:
        await try_content(data, client, ContentVariant(id=template_id, template=change), as_json)
        return
    async with saving(data, client) as work:
        changed = await change_template(work, operator(), template_id, change)
    _tell(changed, "Template changed.", as_json)


@command(templates, "list")
async def list_templates(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a client's active and inactive templates, oldest first."""
    async with reading_client(data, client) as (connection, tenant):
        found = await ContentChanges(connection, tenant).all(TemplateEntry)
    if as_json:
        answer(True, "", templates=[fields_of(one, "template_id") for one in found])
        return
    print_list(
        ("template", "name", "class", "intent", "language", "state", "body"),
        [
            (
                one.id,
                one.name,
                one.category.value,
                one.intent.value if one.intent else "",
                one.language,
                f"{'on' if one.is_active else 'off'}{', starter' if one.is_starter else ''}",
                one.body,
            )
            for one in found
        ],
    )


@command(templates, "show")
async def show_template(
    template_id: Annotated[str, typer.Argument()],
    client: ClientOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show one template with its full text."""
    async with reading_client(data, client) as (connection, tenant):
        found = await ContentChanges(connection, tenant).read(TemplateEntry, template_id)
    _show(found.name, fields_of(found, "template_id"), as_json)


@command(templates, "delete")
async def delete_template(
    template_id: Annotated[str, typer.Argument()],
    client: ClientOption,
    preview: PreviewOption = False,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Delete a template permanently."""
    if preview:
        await try_content(data, client, ContentVariant(id=template_id, deleted="template"), as_json)
        return
    async with saving(data, client) as work:
        await remove_template(work, operator(), template_id)
    answer(as_json, "Template deleted.", template_id=template_id)


@command(knowledge, "create")
async def create_knowledge(
    client: ClientOption,
    title: Annotated[str, typer.Option()],
    language: LanguageOption,
    body: Annotated[str | None, typer.Option()] = None,
    body_file: BodyFileOption = None,
    preview: PreviewOption = False,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Add a fact that the agent may use in answers."""
    text = required_text(body, body_file, "--body")
    if preview:
        await try_content(
            data,
            client,
            ContentVariant(added=SuggestedEntry(title=title, body=text, language=language)),
            as_json,
        )
        return
    async with saving(data, client) as work:
        made = await add_knowledge(work, operator(), title=title, body=text, language=language)
    answer(as_json, "Knowledge added.", knowledge_id=made.id)


@command(knowledge, "update")
async def update_knowledge(
    knowledge_id: Annotated[str, typer.Argument()],
    client: ClientOption,
    title: Annotated[str | None, typer.Option()] = None,
    body: Annotated[str | None, typer.Option()] = None,
    body_file: BodyFileOption = None,
    language: Annotated[
        Language | None, typer.Option(help=("Language of the text: fr or en."))
    ] = None,
    preview: PreviewOption = False,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Change the given fields of a knowledge entry."""
    text = text_of(body, body_file, "--body")
    change = KnowledgeChange(title=title, body=text, language=language)
    _require_some(change)
    if preview:
        await try_content(data, client, ContentVariant(id=knowledge_id, knowledge=change), as_json)
        return
    async with saving(data, client) as work:
        await change_knowledge(work, operator(), knowledge_id, change)
    answer(as_json, "Knowledge changed.", knowledge_id=knowledge_id)


@command(knowledge, "list")
async def list_knowledge(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a client's knowledge entries, oldest first."""
    async with reading_client(data, client) as (connection, tenant):
        found = await ContentChanges(connection, tenant).all(KnowledgeEntry)
    if as_json:
        answer(True, "", knowledge=[fields_of(one, "knowledge_id") for one in found])
        return
    print_list(
        ("knowledge", "title", "language", "body"),
        [(one.id, one.title, one.language, one.body) for one in found],
    )


@command(knowledge, "show")
async def show_knowledge(
    knowledge_id: Annotated[str, typer.Argument()],
    client: ClientOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show one knowledge entry with its full text."""
    async with reading_client(data, client) as (connection, tenant):
        found = await ContentChanges(connection, tenant).read(KnowledgeEntry, knowledge_id)
    _show(found.title, fields_of(found, "knowledge_id"), as_json)


@command(knowledge, "delete")
async def delete_knowledge(
    knowledge_id: Annotated[str, typer.Argument()],
    client: ClientOption,
    preview: PreviewOption = False,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Delete a knowledge entry permanently."""
    if preview:
        await try_content(
            data, client, ContentVariant(id=knowledge_id, deleted="knowledge"), as_json
        )
        return
    async with saving(data, client) as work:
        await remove_knowledge(work, operator(), knowledge_id)
    answer(as_json, "Knowledge deleted.", knowledge_id=knowledge_id)


@command(knowledge, "import-site")
async def import_site(
    url: Annotated[str, typer.Argument(metavar="URL")],
    client: ClientOption,
    page: Annotated[bool, typer.Option("--page", help="Read only this page.")] = False,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Import the pages of a website. Each page becomes a suggestion, which a member accepts or
    rejects."""
    allowed = load_integrations(environment_of(data)).allow_loopback_targets
    scope = SiteScope.PAGE if page else SiteScope.SITE
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        started = await start_site_import(work, operator(), url, scope, allow_loopback=allowed)
    answer(as_json, "Import started.", site_import_id=started.id, url=started.url)


@command(knowledge, "import-integration")
async def import_integration(
    integration_id: Annotated[str, typer.Argument(metavar="INTEGRATION_ID")],
    client: ClientOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Import the public articles of a connected help center: Zendesk, Intercom or Freshdesk. Each
    article becomes a suggestion."""
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        started = await start_article_import(work, operator(), integration_id)
    answer(as_json, "Import started.", site_import_id=started.id, url=started.url)


@command(knowledge, "site-imports")
async def list_site_imports(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a client's imports of knowledge, newest first."""
    async with reading_client(data, client) as (connection, tenant):
        found = await SiteImportRepository(connection, tenant).page(before=None, limit=KEPT_IMPORTS)
    if as_json:
        answer(True, "", imports=[fields_of(one, "site_import_id") for one in found])
        return
    print_list(
        ("import", "address", "state", "pages", "suggestions", "error"),
        [
            (one.id, one.url, one.state, f"{one.done}/{one.pages}", str(one.suggested),
             one.error_code or "")
            for one in found
        ],
    )  # fmt: skip


@command(knowledge, "site-import")
async def show_site_import(
    site_import_id: Annotated[str, typer.Argument(metavar="SITE_IMPORT_ID")],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show the pages of one import."""
    async with database_of(data) as database:
        tenant = await database.find_client(client_of_site_import, site_import_id)
        async with database.reading(tenant) as connection:
            imports = SiteImportRepository(connection, tenant)
            site = await imports.read(site_import_id)
            pages = await imports.pages(site_import_id)
    if as_json:
        shown = [one.model_dump(mode="json") for one in pages]
        answer(True, "", **fields_of(site, "site_import_id"), found=shown)
        return
    print_list(
        ("page", "state", "note", "title"),
        [(one.url, one.state, one.note or "", one.title) for one in pages],
    )


def _show(title: str, fields: dict[str, object], as_json: bool) -> None:
    """Print a record's fields, then its full text."""
    body = str(fields.pop("body"))
    if as_json:
        answer(True, "", **fields, body=body)
        return
    answer(False, title, **fields)
    typer.echo(f"\n{without_controls(body)}")


def _require_some(change: TemplateChange | KnowledgeChange) -> None:
    if not change.model_dump(exclude_none=True):
        raise InvalidInput("nothing to change: see --help")


def _tell(made: TemplateEntry, sentence: str, as_json: bool) -> None:
    if as_json:
        answer(True, "", template_id=made.id, needs=made.needs)
        return
    note = f" It needs the fields: {', '.join(made.needs)}." if made.needs else ""
    answer(False, f"{sentence}{note}", template_id=made.id)
