"""Forms of pages: each has its effect once, and what was typed is kept until it had."""

from collections.abc import Mapping

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from store.dashboard.form_posts import FormPosts
from store.dashboard.page_drafts import PageDrafts


async def take_form(work: UnitOfWork, actor: Actor, form: str, once: str) -> None:
    """Begin the form's effect. What was typed into it is kept no longer. Raises AlreadyPosted."""
    await FormPosts(work.connection, work.tenant).take(form, once, actor.name, work.now)
    await PageDrafts(work.connection, work.tenant, actor.name).drop(form)


async def was_sent(work: UnitOfWork, form: str, once: str) -> bool:
    """Whether this rendering of the form had its effect. One whose effect has begun is waited
    for."""
    return await FormPosts(work.connection, work.tenant).was_taken(form, once)


async def lead_form(work: UnitOfWork, actor: Actor, once: str, location: str) -> None:
    """Say where a repeat of the form leads."""
    await FormPosts(work.connection, work.tenant).led_to(once, actor.name, location)


def standing_in(work: UnitOfWork) -> AsyncConnection:
    """Where a page reads what a form was filled from, in the transaction of the form's effect, to
    compare it with what was seen. For reading alone."""
    return work.connection


async def keep_draft(work: UnitOfWork, user_id: str, form: str, fields: Mapping[str, str]) -> None:
    """Keep what a person typed into a form, in the place of what they typed before."""
    await PageDrafts(work.connection, work.tenant, user_id).keep(form, fields, work.now)


async def drop_draft(work: UnitOfWork, user_id: str, form: str) -> None:
    await PageDrafts(work.connection, work.tenant, user_id).drop(form)
