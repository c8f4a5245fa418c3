"""Management of a client's templates, which are predefined answers that the agent fills in for each
customer."""

from dataclasses import dataclass

from domain.agent.brain import Category, Language, Template
from domain.agent.intent import Intent
from domain.content.content import (
    TemplateChange,
    TemplateEntry,
    check_language,
    check_line,
    check_not_for,
    check_template_body,
)
from domain.content.starter_templates import starter_templates
from domain.content.suggestion import SuggestedTemplate
from domain.tenants.actor import MANAGERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.content.content import ContentRepository
from store.content.content_changes import ContentChanges


@dataclass(frozen=True, slots=True)
class NewTemplate:
    """A template to add. Without an `intent`, the agent uses the template only for drafts that a
    human reviews before they are sent."""

    name: str
    category: Category
    language: Language
    body: str
    is_active: bool = True
    intent: Intent | None = None
    not_for: tuple[str, ...] = ()

    @property
    def suggested(self) -> SuggestedTemplate:
        """Return the template as an entry that can be tried before it is saved. Raises
        InvalidContent."""
        return SuggestedTemplate(
            name=self.name,
            category=self.category,
            language=self.language,
            body=self.body,
            intent=self.intent,
            not_for=self.not_for,
        )


async def add_template(work: UnitOfWork, actor: Actor, new: NewTemplate) -> TemplateEntry:
    """Add a template for the agent's next messages. Raises RoleRequired, InvalidContent,
    TooMuchContent, ClientNotFound."""
    actor.require(MANAGERS)
    template = Template(
        id=work.new_id(),
        name=check_line("name", new.name),
        category=new.category,
        language=check_language(new.language, new.body),
        body=check_template_body(new.body),
        intent=new.intent,
        not_for=check_not_for(new.not_for),
    )
    await ContentRepository(work.connection, work.tenant).add_template(
        template, work.now, is_active=new.is_active
    )
    work.note(actor, "template created", template_id=template.id)
    return await ContentChanges(work.connection, work.tenant).read(TemplateEntry, template.id)


async def add_starter_templates(work: UnitOfWork, actor: Actor) -> int:
    """Add the starter templates for each language and intent without a template. Return their
    number. Raises RoleRequired, TooMuchContent, InvalidContent, ClientNotFound."""
    actor.require(MANAGERS)
    content = ContentRepository(work.connection, work.tenant)
    answered = await content.answered_intents()
    missing = tuple(
        one for one in starter_templates(work.new_id) if (one.language, one.intent) not in answered
    )
    await content.add_templates(missing, work.now)
    if missing:
        work.note(actor, "starter templates added", templates=str(len(missing)))
    return len(missing)


async def change_template(
    work: UnitOfWork, actor: Actor, template_id: str, change: TemplateChange
) -> TemplateEntry:
    """Change a template, but no existing drafts. Raises RoleRequired, InvalidContent,
    ContentNotFound."""
    actor.require(MANAGERS)
    changes = ContentChanges(work.connection, work.tenant)
    before = await changes.read(TemplateEntry, template_id, lock=True)
    changed = await changes.change_template(template_id, change, work.now)
    if len(changed.not_for) > len(before.not_for):
        await ContentRepository(work.connection, work.tenant).check_exclusions()
    if change.body is not None or change.language is not None:
        check_language(changed.language, changed.body)
    work.note(actor, "template changed", template_id=template_id)
    return changed


async def delete_template(work: UnitOfWork, actor: Actor, template_id: str) -> None:
    """Delete a template permanently. Runs that used it keep its id and name. Raises RoleRequired,
    ContentNotFound."""
    actor.require(MANAGERS)
    await ContentChanges(work.connection, work.tenant).delete(TemplateEntry, template_id)
    work.note(actor, "template deleted", template_id=template_id)
