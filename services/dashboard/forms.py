"""Forms on the dashboard's pages. Each takes effect once, and its input is stored as a draft until
then."""

from collections.abc import Mapping

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from store.dashboard.form_posts import FormPosts
from store.dashboard.page_drafts import PageDrafts


async def take_form(work: UnitOfWork, actor: Actor, form: str, once: str) -> None:
    """Record that a form takes effect, and delete its draft. Raises AlreadyPosted if it has already
    taken effect."""
    await FormPosts(work.connection, work.tenant).take(form, once, actor.name, work.now)
    await PageDrafts(work.connection, work.tenant, actor.name).drop(form)


async def was_sent(work: UnitOfWork, form: str, once: str) -> bool:
    """Return whether this form submission has taken effect, after waiting for any concurrent
    submission to finish."""
    return await FormPosts(work.connection, work.tenant).was_taken(form, once)


async def lead_form(work: UnitOfWork, actor: Actor, once: str, location: str) -> None:
    """Store the location to which repeated submissions of the form are redirected."""
    await FormPosts(work.connection, work.tenant).led_to(once, actor.name, location)


def standing_in(work: UnitOfWork) -> AsyncConnection:
    """Return the connection of the form's transaction. Use the connection only to read the current
    values, for comparison with those that the user saw."""
    return work.connection


async def keep_draft(work: UnitOfWork, user_id: str, form: str, fields: Mapping[str, str]) -> None:
    """Store the user's input in a form as a draft, replacing any earlier draft."""
    await PageDrafts(work.connection, work.tenant, user_id).keep(form, fields, work.now)


async def prepend_to_draft(
    work: UnitOfWork, user_id: str, form: str, field: str, text: str
) -> None:
    """Prepend a text to a field in the user's form draft."""
    drafts = PageDrafts(work.connection, work.tenant, user_id)
    draft = await drafts.read(form)
    fields = {} if draft is None else dict(draft.fields)
    typed = fields.get(field, "")
    fields[field] = f"{text}\n\n{typed}" if typed.strip() not in {"", text.strip()} else text
    await drafts.keep(form, fields, work.now)


async def drop_draft(work: UnitOfWork, user_id: str, form: str) -> None:
    """Delete the user's draft of a form, if there is one."""
    await PageDrafts(work.connection, work.tenant, user_id).drop(form)
