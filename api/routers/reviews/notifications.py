"""/api/dashboard/notifications: the caller's own email notifications for a client."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import MemberDep, ReviewerDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, errors
from api.schemas.reviews.notifications import NotificationsBody
from services.reviews.notifications import (
    ChosenNotifications,
    read_notifications,
    set_notifications,
)

router = APIRouter(route_class=DescribedRoute)

_NOTIFICATIONS: Final = "/api/dashboard/notifications"


@router.get(
    _NOTIFICATIONS, operation_id="notifications.get", summary="Get your email notifications"
)
async def notifications(member: MemberDep, resources: ResourcesDep) -> ChosenNotifications:
    """Returns the caller's own choice for the client. The default is no emails."""
    async with resources.database.reading(member.tenant) as connection:
        return await read_notifications(connection, member.tenant, member.actor)


@router.put(
    _NOTIFICATIONS,
    operation_id="notifications.replace",
    summary="Replace your email notifications",
    responses=errors(404),
)
async def replace(
    member: ReviewerDep,
    body: Annotated[NotificationsBody, Depends(JsonBody(NotificationsBody))],
    resources: ResourcesDep,
) -> ChosenNotifications:
    """Sets the caller's own choice for the client. A change of `mode` discards emails that are not
    sent yet. An internal admin who is not a member of the client receives 404."""
    async with resources.work.of(member.tenant) as work:
        return await set_notifications(work, member.actor, body.settings)
