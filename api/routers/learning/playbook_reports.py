"""/api/dashboard/playbooks/{playbook_id}/shadow and /threshold-advice: reports computed from a
playbook's past events."""

from typing import Annotated

from fastapi import APIRouter, Depends

from api.access import Asked, MemberDep, QueryInClient
from api.resources import ResourcesDep
from api.route import DescribedRoute
from api.routers.playbooks.playbooks import PLAYBOOK, PlaybookId
from api.schemas.learning.playbook_report import AdviceAnswer, AdviceQuery, ShadowAnswer
from services.learning.playbook_reports import shadow_report, threshold_advice

router = APIRouter(route_class=DescribedRoute)


@router.get(
    f"{PLAYBOOK}/shadow",
    operation_id="playbooks.shadow_report",
    summary="Get a playbook's shadow mode report",
)
async def shadow(
    member: MemberDep, playbook_id: PlaybookId, resources: ResourcesDep
) -> ShadowAnswer:
    """Any member of the client may call this operation. An example includes the agent's draft only
    after human agents have handled the message."""
    async with resources.database.reading(member.tenant) as connection:
        return ShadowAnswer.of(await shadow_report(connection, member.tenant, playbook_id))


@router.get(
    f"{PLAYBOOK}/threshold-advice",
    operation_id="playbooks.threshold_advice",
    summary="Compare confidence thresholds on past runs",
)
async def advice(
    asked: Annotated[Asked[AdviceQuery], Depends(QueryInClient(AdviceQuery))],
    playbook_id: PlaybookId,
    resources: ResourcesDep,
) -> AdviceAnswer:
    """Any member of the client may call this operation. The report is advice only: to change the
    threshold, change the playbook."""
    async with resources.database.reading(asked.tenant) as connection:
        found = await threshold_advice(
            connection, asked.tenant, playbook_id, asked.query.classification
        )
    return AdviceAnswer.of(found)
