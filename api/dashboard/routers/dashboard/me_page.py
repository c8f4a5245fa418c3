"""/app/me: the page for a user's preferences, email notifications and sessions."""

from dataclasses import replace
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import AnyonesPage
from api.dashboard.pages import LANGUAGES
from api.dashboard.post import Post, Posted
from api.dashboard.routers.dashboard.notification_form import notification_form
from api.http.client_address import client_network
from domain.core.ids import TenantId
from domain.dashboard.errors import InvalidPreferences
from domain.dashboard.preferences import Theme, check_time_zone
from domain.tenants.actor import ANYONE, Actor
from domain.tenants.errors import AccessDenied
from services.dashboard.preferences import save_preferences
from services.tenants.members import leave_client
from store.identity.invitations import invitations_of
from store.identity.people import address_of
from store.identity.sessions import SessionRepository

_ME: Final = "/app/me"
_LEAVE: Final = f"{_ME}/leave"

router = APIRouter(include_in_schema=False)


@router.get(_ME)
async def me(page: AnyonesPage) -> Response:
    user_id = page.visit.user.id
    async with page.resources.database.reading_across() as connection:
        email = await address_of(connection, user_id)
        sessions = await SessionRepository(connection).of_user(user_id, page.now)
        invited = () if email is None else await invitations_of(connection, email, page.now)
    wanted = page.preferences
    defaults = {
        "language": wanted.language or "",
        "time_zone": wanted.time_zone,
        "theme": wanted.theme.value,
    }
    return page.render(
        "dashboard/me.html",
        email=email or user_id,
        sessions=sessions,
        invited=len(invited),
        typed=await page.typed(_ME, defaults),
        notify=await notification_form(page),
        themes=tuple(Theme),
    )


@router.post(_ME)
async def save(post: Annotated[Post, Depends(Posted(ANYONE))]) -> Response:
    """Save the user's preferences. Raises InvalidPreferences for an invalid value."""
    page = post.page
    language, theme = post.text("language"), post.text("theme")
    if language not in ("", *LANGUAGES) or theme not in tuple(Theme):
        raise InvalidPreferences("langue ou thème inconnu")
    wanted = replace(
        page.preferences,
        client_id=page.tenant,
        language=language or None,
        time_zone=check_time_zone(post.text("time_zone").strip()),
        theme=Theme(theme),
        single_keys=post.ticked("single_keys"),
    )
    async with page.resources.work.everywhere() as work:
        await save_preferences(work, page.visit.user.id, wanted)
    await post.forget()
    return post.done(_ME, "dashboard.saved")


@router.post(_LEAVE)
async def leave(post: Annotated[Post, Depends(Posted(ANYONE))]) -> Response:
    """End the user's membership in the client that the form specifies. The owner cannot leave.
    Raises AccessDenied, OwnerStays."""
    page = post.page
    named = post.text("client_id")
    left = next((one for one in page.clients if one.id == named), None)
    if left is None:
        raise AccessDenied
    actor = Actor.person(page.visit.user.id, left.role, network=client_network(page.request))
    async with page.resources.work.spanning(TenantId(left.id)) as work:
        await leave_client(work, actor)
    return post.done(_ME, "identity.left", who=left.brand_name)
