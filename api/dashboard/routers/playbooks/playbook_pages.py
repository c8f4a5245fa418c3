"""/app/playbooks: the playbooks, which select the events that the agent handles and the actions
that it may take."""

from functools import partial
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.page import AnyonesPage
from api.dashboard.playbook_form import PLAYBOOKS, yaml_of_spec
from api.dashboard.policy_form import said_limits
from api.dashboard.post import Post
from api.dashboard.routers.playbooks.playbook_id import (
    PLAYBOOK,
    PlaybookPage,
    PlaybookPost,
    seen_of,
    version_seen,
)
from domain.playbooks.file import PlaybookDraft
from domain.playbooks.playbook import in_winning_order
from domain.tenants.actor import MANAGERS, OWNERS
from services.dashboard.forms import standing_in
from services.playbooks.playbooks import delete_playbook, switch_playbook, update_playbook
from services.playbooks.publish_gate import Publication
from store.learning.passed_alone import PassedAlone
from store.playbooks.playbooks import PlaybookRepository

router = APIRouter(include_in_schema=False)
_SWITCHED: Final = {True: "playbooks.turned_on", False: "playbooks.turned_off"}


@router.get(PLAYBOOKS)
async def playbooks(page: AnyonesPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await PlaybookRepository(connection, page.tenant).all()
        counts = await PassedAlone(connection, page.tenant).lately(page.now)
    asked = sum(one.asked for one in counts.values())
    alone = sum(one.alone for one in counts.values())
    return page.render(
        "playbooks/playbooks.html",
        entries=in_winning_order(found),
        counts=counts,
        share=alone / asked if asked else None,
        may_change=page.may(MANAGERS),
    )


@router.get(PLAYBOOK)
async def playbook(page: PlaybookPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await PlaybookRepository(connection, page.tenant).read(page.record_id)
        counts = await PassedAlone(connection, page.tenant).lately(page.now, page.record_id)
    return page.render(
        "playbooks/playbook.html",
        entry=found,
        count=counts.get(page.record_id),
        yaml=yaml_of_spec(found.spec),
        limits=partial(said_limits, page),
        seen=seen_of(found.playbook),
        may_change=page.may(MANAGERS),
        may_override=page.may(OWNERS),
    )


@router.post(f"{PLAYBOOK}/switch")
async def switch(post: PlaybookPost) -> Response:
    page, active = post.page, post.text("active") == "true"
    to = f"{PLAYBOOKS}/{page.record_id}"
    async with post.working(to) as work:
        now = await switch_playbook(
            work, page.actor, page.record_id, _publication(post), active=active
        )
    return post.done(to, _SWITCHED[active], name=now.playbook.name)


@router.post(f"{PLAYBOOK}/mode")
async def mode(post: PlaybookPost) -> Response:
    """Enable or disable shadow mode by creating a new version of the playbook."""
    page, shadow = post.page, post.text("shadow") == "true"
    to = f"{PLAYBOOKS}/{page.record_id}"
    async with post.working(to) as work:
        there = await PlaybookRepository(standing_in(work), page.tenant).read(page.record_id)
        rulebook = there.rulebook.model_copy(update={"shadow": shadow})
        spec = there.spec.model_copy(update={"rulebook": rulebook})
        draft = PlaybookDraft(spec, says_active=False, expected_version=version_seen(post))
        await update_playbook(work, page.actor, page.record_id, draft, _publication(post))
    return post.done(to, "playbooks.shadow_on" if shadow else "playbooks.shadow_off")


@router.post(f"{PLAYBOOK}/delete")
async def delete(post: PlaybookPost) -> Response:
    page = post.page
    async with post.working(PLAYBOOKS) as work:
        there = await PlaybookRepository(standing_in(work), page.tenant).read(page.record_id)
        post.check_seen(seen_of(there.playbook))
        await delete_playbook(work, page.actor, page.record_id)
    return post.done(PLAYBOOKS, "playbooks.deleted", name=there.playbook.name)


def _publication(post: Post) -> Publication:
    return Publication.of(post.page.resources.model, post.text("override").strip() or None)
