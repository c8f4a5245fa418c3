"""/api/dashboard/playbook-file: export and import of all of a client's playbooks in one file."""

import asyncio
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.access import Asked, MemberDep, QueryInClient
from api.http.json_body import YAML
from api.resources import ResourcesDep
from api.route import DescribedRoute, errors
from api.routers.playbooks.body import PlaybookBody
from api.schemas.playbooks.playbook import ImportAnswer, ImportedPlaybook, ImportQuery
from domain.core.document import DocumentKind
from domain.playbooks.file import playbooks_in, write_playbooks
from domain.playbooks.merge import ImportOutcome
from domain.playbooks.playbook import PlaybookSpec
from domain.playbooks.shape import FileShape
from domain.tenants.actor import MANAGERS
from services.playbooks.playbooks import import_playbooks
from services.playbooks.publish_gate import Publication
from store.playbooks.playbooks import PlaybookRepository

router = APIRouter(route_class=DescribedRoute)

_FILE: Final = "/api/dashboard/playbook-file"
_EXAMPLE: Final = {
    "version": 1,
    "playbooks": [{"name": "Boutique", "event_type": "shopify.*", "active": False}],
}


@router.get(
    _FILE,
    operation_id="playbooks.export",
    summary="Export a client's playbooks as one YAML file",
    response_class=Response,
    responses={200: {"content": {YAML: {"schema": {"type": "string"}}}}},
)
async def export(member: MemberDep, resources: ResourcesDep) -> Response:
    """Any member of the client may call this operation. Importing an unchanged export has no
    effect."""
    async with resources.database.reading(member.tenant) as connection:
        found = await PlaybookRepository(connection, member.tenant).all()
    text = await asyncio.to_thread(write_playbooks, [entry.spec for entry in found])
    headers = {"content-disposition": "attachment; filename=playbooks.yaml"}
    return Response(text, media_type=YAML, headers=headers)


@router.post(
    _FILE,
    operation_id="playbooks.import",
    summary="Import a client's playbooks from a file",
    responses=errors(409),
)
async def bring_in(
    asked: Annotated[Asked[ImportQuery], Depends(QueryInClient(ImportQuery, MANAGERS))],
    specs: Annotated[
        tuple[PlaybookSpec, ...],
        Depends(PlaybookBody(FileShape, playbooks_in, _EXAMPLE, kind=DocumentKind.PLAYBOOK_FILE)),
    ],
    resources: ResourcesDep,
) -> ImportAnswer:
    """Playbooks are matched by name. Either all playbooks are imported or none. Existing playbooks
    that are missing from the file stay unchanged. Send JSON, or YAML with `Content-Type:
    application/yaml`."""
    dry_run = asked.query.dry_run
    publication = Publication.of(resources.model, asked.query.override)
    async with resources.work.of(asked.tenant, dry_run=dry_run) as work:
        done = await import_playbooks(work, asked.actor, specs, publication)
    return ImportAnswer(
        dry_run=dry_run,
        playbooks=tuple(
            ImportedPlaybook(
                name=one.entry.playbook.name,
                outcome=one.outcome,
                id=None
                if dry_run and one.outcome is ImportOutcome.CREATED
                else one.entry.playbook.id,
                version=one.entry.playbook.version,
                is_active=one.entry.is_active,
                changed=one.fields,
            )
            for one in done
        ),
    )
