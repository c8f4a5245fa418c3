"""/api/dashboard/polls: the status and errors of polling, which finds lost webhooks."""

from fastapi import APIRouter

from api.access import MemberDep
from api.resources import ResourcesDep
from api.route import DescribedRoute
from api.schemas.inbound.poll import PolledIntegration, PollList
from store.inbound.poll_cursors import PollCursorRepository

router = APIRouter(route_class=DescribedRoute)


@router.get(
    "/api/dashboard/polls",
    operation_id="polls.list",
    summary="List the polling status of connected platforms",
)
async def list_polls(member: MemberDep, resources: ResourcesDep) -> PollList:
    """Any member of the client may call this operation with a session token. If the last poll
    failed, `error_code` states the reason."""
    async with resources.database.reading(member.tenant) as connection:
        found = await PollCursorRepository(connection, member.tenant).all()
    return PollList(
        polls=[
            PolledIntegration(integration_id=integration_id, **dict(cursor))
            for integration_id, cursor in found
        ]
    )
