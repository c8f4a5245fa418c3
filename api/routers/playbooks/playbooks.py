"""/api/dashboard/playbooks: the playbooks, which select the events that the agent handles and the
actions that it may take."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from pydantic import JsonValue
from starlette.responses import Response

from api.access import ManagerDep, MemberDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.routers.playbooks.body import PlaybookBody
from api.schemas.playbooks.playbook import (
    ActivateBody,
    ChangedPlaybook,
    DeactivateBody,
    ListedPlaybook,
    PlaybookList,
    PlaybookOut,
)
from domain.core.document import DocumentKind
from domain.playbooks.errors import PlaybookNotFound
from domain.playbooks.file import PlaybookDraft, draft_in
from domain.playbooks.playbook import in_winning_order
from domain.playbooks.shape import DraftShape
from services.playbooks.playbooks import (
    create_playbook,
    delete_playbook,
    switch_playbook,
    update_playbook,
)
from services.playbooks.publish_gate import Publication
from store.playbooks.playbooks import PlaybookRepository

router = APIRouter(route_class=DescribedRoute)

PLAYBOOKS: Final = "/api/dashboard/playbooks"
PLAYBOOK: Final = f"{PLAYBOOKS}/{{playbook_id}}"
PlaybookId = Annotated[str, Depends(PathId("playbook_id", "playbook", PlaybookNotFound))]

_EXAMPLE: Final[JsonValue] = {
    "name": "Boutique",
    "event_type": "shopify.*",
    "threshold": 0.8,
    "active": False,
    "instructions": "Tutoyez.",
    "actions": {"reply": {"level": "autonomous"}},
    "note": "Un ton plus proche.",
}
_Draft = PlaybookBody(DraftShape, draft_in, _EXAMPLE, kind=DocumentKind.PLAYBOOK)
DraftDep = Annotated[PlaybookDraft, Depends(_Draft)]


@router.get(
    PLAYBOOKS,
    operation_id="playbooks.list",
    summary="List a client's playbooks, in order of precedence",
)
async def playbooks(member: MemberDep, resources: ResourcesDep) -> PlaybookList:
    """Any member of the client may call this operation. Inactive playbooks are included."""
    async with resources.database.reading(member.tenant) as connection:
        found = await PlaybookRepository(connection, member.tenant).all()
    return PlaybookList(playbooks=tuple(map(ListedPlaybook.of, in_winning_order(found))))


@router.post(
    PLAYBOOKS,
    operation_id="playbooks.create",
    summary="Create a playbook",
    status_code=201,
    responses=errors(409),
)
async def create(member: ManagerDep, draft: DraftDep, resources: ResourcesDep) -> PlaybookOut:
    """Send JSON, or YAML with `Content-Type: application/yaml`. The playbook is active immediately
    unless `active` is false."""
    async with resources.work.of(member.tenant) as work:
        made = await create_playbook(
            work,
            member.actor,
            draft.spec,
            Publication.of(resources.model, draft.override),
            note=draft.note,
        )
    return PlaybookOut.of(made)


@router.get(
    PLAYBOOK, operation_id="playbooks.get", summary=("Get a playbook in the playbook file format")
)
async def playbook(
    member: MemberDep, playbook_id: PlaybookId, resources: ResourcesDep
) -> PlaybookOut:
    """Any member of the client may call this operation."""
    async with resources.database.reading(member.tenant) as connection:
        return PlaybookOut.of(await PlaybookRepository(connection, member.tenant).read(playbook_id))


@router.put(
    PLAYBOOK, operation_id="playbooks.update", summary="Change a playbook", responses=errors(409)
)
async def update(
    member: ManagerDep, playbook_id: PlaybookId, draft: DraftDep, resources: ResourcesDep
) -> ChangedPlaybook:
    """Replaces the entire playbook, given as JSON or YAML, with a new version. Runs that have
    already started keep their version. If `active` is omitted, the playbook keeps its current
    state. If `expected_version` is given and is not the current version, the change is rejected."""
    async with resources.work.of(member.tenant) as work:
        change = await update_playbook(
            work, member.actor, playbook_id, draft, Publication.of(resources.model, draft.override)
        )
    return ChangedPlaybook.after(change)


@router.delete(
    PLAYBOOK,
    operation_id="playbooks.delete",
    summary="Delete a playbook",
    status_code=204,
    responses=errors(409),
)
async def delete(member: ManagerDep, playbook_id: PlaybookId, resources: ResourcesDep) -> Response:
    """The playbook's name and pattern can be used again. Past runs of the playbook can still be
    explained."""
    async with resources.work.of(member.tenant) as work:
        await delete_playbook(work, member.actor, playbook_id)
    return Response(status_code=204)


@router.post(
    f"{PLAYBOOK}/activate",
    operation_id="playbooks.activate",
    summary="Activate a playbook",
    responses=errors(409),
)
async def activate(
    member: ManagerDep,
    playbook_id: PlaybookId,
    body: Annotated[ActivateBody, Depends(JsonBody(ActivateBody, optional=True))],
    resources: ResourcesDep,
) -> PlaybookOut:
    """The activation is rejected if another active playbook has the same pattern. It is also
    rejected if this version has never answered an event and not all of its cases pass."""
    publication = Publication.of(resources.model, body.override)
    async with resources.work.of(member.tenant) as work:
        return PlaybookOut.of(
            await switch_playbook(work, member.actor, playbook_id, publication, active=True)
        )


@router.post(
    f"{PLAYBOOK}/deactivate",
    operation_id="playbooks.deactivate",
    summary="Deactivate a playbook",
    responses=errors(409),
)
async def deactivate(
    member: ManagerDep,
    playbook_id: PlaybookId,
    _: Annotated[DeactivateBody, Depends(JsonBody(DeactivateBody, optional=True))],
    resources: ResourcesDep,
) -> PlaybookOut:
    """Later events that the playbook would have matched go to another matching playbook. If no
    other playbook matches, their outcome is no_playbook."""
    publication = Publication(resources.model)
    async with resources.work.of(member.tenant) as work:
        return PlaybookOut.of(
            await switch_playbook(work, member.actor, playbook_id, publication, active=False)
        )
