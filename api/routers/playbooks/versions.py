"""/api/dashboard/playbooks/{playbook_id}/versions: earlier versions of a playbook and their
creation times."""

import asyncio
import re
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request

from api.access import Asked, ManagerDep, MemberDep, QueryInClient
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, Part, errors
from api.routers.playbooks.playbooks import PLAYBOOK, PlaybookId
from api.schemas.playbooks.playbook import (
    MAX_VERSION,
    ChangedPlaybook,
    DiffQuery,
    ListedVersion,
    RestoreBody,
    Version,
    VersionDiff,
    VersionPage,
    VersionQuery,
)
from domain.playbooks.errors import PlaybookNotFound
from domain.playbooks.file import diff
from domain.playbooks.merge import differences
from services.playbooks.playbooks import restore_playbook
from services.playbooks.publish_gate import Publication
from store.playbooks.playbooks import PlaybookRepository
from store.playbooks.versions import PlaybookVersions, VersionEntry

router = APIRouter(route_class=DescribedRoute)

_NUMBER: Final = re.compile("[0-9]{1,10}")
_VERSIONS: Final = f"{PLAYBOOK}/versions"
_VERSION: Final = f"{_VERSIONS}/{{version}}"


class _PathVersion(Part):
    """A dependency that returns a version number from the path. Raises PlaybookNotFound if the
    parameter is not a number."""

    errors = (404,)
    parameters = (
        {
            "name": "version",
            "in": "path",
            "required": True,
            "description": "Version number.",
            "schema": {"type": "integer", "minimum": 1, "maximum": MAX_VERSION},
        },
    )

    async def __call__(self, request: Request) -> int:
        digits: str = request.path_params["version"]
        number = int(digits) if _NUMBER.fullmatch(digits) else 0
        if not 0 < number <= MAX_VERSION:
            raise PlaybookNotFound
        return number


VersionNumber = Annotated[int, Depends(_PathVersion())]


@router.get(
    _VERSIONS,
    operation_id="playbook_versions.list",
    summary="List a playbook's versions, newest first",
)
async def versions(
    asked: Annotated[Asked[VersionQuery], Depends(QueryInClient(VersionQuery))],
    playbook_id: PlaybookId,
    resources: ResourcesDep,
) -> VersionPage:
    """Any member of the client may call this operation. The list states each version's author,
    creation time and reason."""
    limit = asked.query.limit
    async with resources.database.reading(asked.tenant) as connection:
        await PlaybookRepository(connection, asked.tenant).read(playbook_id)
        found = await PlaybookVersions(connection, asked.tenant).page(
            playbook_id, before=asked.query.cursor, limit=limit + 1
        )
    return VersionPage(
        versions=tuple(
            ListedVersion(
                version=one.version,
                created_at=one.created_at,
                author=one.author,
                note=one.note,
                name=one.spec.name,
                event_type=one.spec.event_type,
            )
            for one in found[:limit]
        ),
        next_cursor=str(found[limit - 1].version) if len(found) > limit else None,
    )


@router.get(_VERSION, operation_id="playbook_versions.get", summary="Get a playbook version")
async def version(
    member: MemberDep, playbook_id: PlaybookId, number: VersionNumber, resources: ResourcesDep
) -> Version:
    """Any member of the client may call this operation."""
    async with resources.database.reading(member.tenant) as connection:
        found = await PlaybookVersions(connection, member.tenant).read(playbook_id, number)
    return Version.of(found)


@router.get(
    f"{PLAYBOOK}/diff",
    operation_id="playbook_versions.compare",
    summary="Compare two versions of a playbook",
)
async def difference(
    asked: Annotated[Asked[DiffQuery], Depends(QueryInClient(DiffQuery))],
    playbook_id: PlaybookId,
    resources: ResourcesDep,
) -> VersionDiff:
    """Any member of the client may call this operation. By default, compares the current version
    with the previous one."""
    wanted = asked.query
    async with resources.database.reading(asked.tenant) as connection:
        now = await PlaybookRepository(connection, asked.tenant).read(playbook_id)
        found = PlaybookVersions(connection, asked.tenant)
        after = await found.read(playbook_id, wanted.after or now.playbook.version)
        before = await found.read(playbook_id, wanted.before or max(1, after.version - 1))
    # In a thread because comparing two long playbooks takes tens of milliseconds.
    return await asyncio.to_thread(_compared, before, after)


def _compared(before: VersionEntry, after: VersionEntry) -> VersionDiff:
    return VersionDiff(
        before=before.version,
        after=after.version,
        changed=tuple(differences(before.spec, after.spec)),
        diff=diff(before.spec, after.spec),
    )


@router.post(
    f"{_VERSION}/restore",
    operation_id="playbook_versions.restore",
    summary="Restore a playbook version",
    responses=errors(409),
)
async def restore(
    member: ManagerDep,
    playbook_id: PlaybookId,
    number: VersionNumber,
    body: Annotated[RestoreBody, Depends(JsonBody(RestoreBody, optional=True))],
    resources: ResourcesDep,
) -> ChangedPlaybook:
    """The content of the old version becomes a new version. The playbook keeps its current state,
    active or inactive. A version that has already answered events can be restored even if not all
    of its cases pass."""
    publication = Publication.of(resources.model, body.override)
    async with resources.work.of(member.tenant) as work:
        change = await restore_playbook(
            work, member.actor, playbook_id, number, publication, note=body.note
        )
    return ChangedPlaybook.after(change)
