"""/app/playbooks/ID/versions: earlier versions of a playbook, with each version's author and
reason."""

import asyncio
from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.playbook_form import PLAYBOOKS
from api.dashboard.routers.playbooks.playbook_id import (
    PLAYBOOK,
    PlaybookPage,
    PlaybookPost,
    seen_of,
)
from api.schemas.playbooks.playbook import DiffQuery, VersionQuery
from domain.playbooks.errors import PlaybookChanged, PlaybookNotFound
from domain.playbooks.file import diff
from domain.tenants.actor import MANAGERS, OWNERS
from services.dashboard.forms import standing_in
from services.playbooks.playbooks import restore_playbook
from services.playbooks.publish_gate import Publication
from store.playbooks.playbooks import PlaybookRepository
from store.playbooks.versions import PlaybookVersions, VersionEntry
from store.tenants.members import MemberRepository

router = APIRouter(include_in_schema=False)
_HEAD_LINES: Final = 2


@router.get(f"{PLAYBOOK}/versions")
async def versions(page: PlaybookPage) -> Response:
    query = page.query(VersionQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        entry = await PlaybookRepository(connection, page.tenant).read(page.record_id)
        found = await PlaybookVersions(connection, page.tenant).page(
            page.record_id, before=query.cursor, limit=query.limit + 1
        )
    async with page.resources.database.reading_across() as across:
        members = await MemberRepository(across).all(page.tenant)
    return page.render(
        "playbooks/versions.html",
        entry=entry,
        versions=found[: query.limit],
        people={one.user_id: one.email for one in members},
        cursor=str(found[query.limit - 1].version) if len(found) > query.limit else None,
        seen=seen_of(entry.playbook),
        may_change=page.may(MANAGERS),
        may_override=page.may(OWNERS),
    )


@router.get(f"{PLAYBOOK}/diff")
async def difference(page: PlaybookPage) -> Response:
    wanted = page.query(DiffQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        entry = await PlaybookRepository(connection, page.tenant).read(page.record_id)
        found = PlaybookVersions(connection, page.tenant)
        after = await found.read(page.record_id, wanted.after or entry.playbook.version)
        before = await found.read(page.record_id, wanted.before or max(1, after.version - 1))
    return page.render(
        "playbooks/difference.html",
        entry=entry,
        before=before,
        after=after,
        # In a thread because comparing two long playbooks takes tens of milliseconds.
        lines=await asyncio.to_thread(_lines, before, after),
    )


@router.post(f"{PLAYBOOK}/restore")
async def restore(post: PlaybookPost) -> Response:
    page, given = post.page, post.text("version")
    if not given.isdecimal() or len(given) > 9:
        raise PlaybookNotFound(page.record_id)
    publication = Publication.of(page.resources.model, post.text("override").strip() or None)
    to = f"{PLAYBOOKS}/{page.record_id}/versions"
    async with post.working(to) as work:
        there = await PlaybookRepository(standing_in(work), page.tenant).read(page.record_id)
        if post.text("_seen") != seen_of(there.playbook):
            raise PlaybookChanged(there.playbook.version)
        note = post.text("note").strip() or None
        change = await restore_playbook(
            work, page.actor, page.record_id, int(given), publication, note=note
        )
    version = str(change.entry.playbook.version)
    return post.done(to, "playbooks.restored", old=given, version=version)


def _lines(before: VersionEntry, after: VersionEntry) -> Sequence[tuple[str, str]]:
    """Return the lines of the diff. The marker of a line is `+`, `-` or an empty string."""
    lines = diff(before.spec, after.spec).splitlines()[_HEAD_LINES:]
    return [("", "…") if line.startswith("@@") else (line[:1].strip(), line[1:]) for line in lines]
