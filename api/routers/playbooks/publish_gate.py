"""/api/dashboard/playbooks/{playbook_id}/gate: the check that determines whether a version may go
live."""

from typing import Annotated

from fastapi import APIRouter, Depends

from api.access import Asked, QueryInClient
from api.resources import ResourcesDep
from api.route import DescribedRoute
from api.routers.playbooks.playbooks import PLAYBOOK, PlaybookId
from api.schemas.playbooks.gate_answer import GateAnswer, GateQuery
from domain.playbooks.merge import as_entry
from store.cases.case_outcomes import CaseOutcomes
from store.playbooks.playbooks import PlaybookRepository
from store.playbooks.versions import PlaybookVersions

router = APIRouter(route_class=DescribedRoute)


@router.get(
    f"{PLAYBOOK}/gate",
    operation_id="playbooks.check_gate",
    summary="Check whether a playbook version may go live",
)
async def gate(
    asked: Annotated[Asked[GateQuery], Depends(QueryInClient(GateQuery))],
    playbook_id: PlaybookId,
    resources: ResourcesDep,
) -> GateAnswer:
    """Any member of the client may call this operation. By default, the current version is checked
    as if it were active. To test a draft, pass it as `playbook` to `POST /api/dashboard/case-runs`.
    """
    async with resources.database.reading(asked.tenant) as connection:
        entries = await PlaybookRepository(connection, asked.tenant).all()
        current = await PlaybookRepository(connection, asked.tenant).read(playbook_id)
        number = asked.query.version or current.playbook.version
        found = await PlaybookVersions(connection, asked.tenant).read(playbook_id, number)
        would_be = as_entry(found.spec, playbook_id, number)
        standing = await CaseOutcomes(connection, asked.tenant).gate(
            [would_be if one.playbook.id == playbook_id else one for one in entries],
            [playbook_id],
            resources.model,
        )
    return GateAnswer.of(number, standing[playbook_id])
