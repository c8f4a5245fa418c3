"""/app/members: who may act for the client, and who is invited to."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import OnPage, Page
from api.dashboard.post import ManagersPost, Post
from api.schemas.identity.invitation import InvitationBody
from api.schemas.tenants.members import RoleBody
from domain.core.errors import InvalidBody
from domain.core.ids import parse_ulid
from domain.identity.contracts import SendMailInput
from domain.identity.errors import InvitationNotFound
from domain.identity.invitation import Invitation
from domain.tenants.actor import MANAGERS
from domain.tenants.errors import MemberNotFound
from domain.tenants.user import is_user_id
from services.dashboard.forms import standing_in
from services.identity.invitations import invite, invite_again, withdraw
from services.tenants.members import change_role, remove_member
from store.identity.invitations import InvitationRepository
from store.tenants.members import MemberRepository

_LIST: Final = "/app/members"
_INVITE: Final = f"{_LIST}/invite"

router = APIRouter(include_in_schema=False)


@router.get(_LIST)
async def members(page: Annotated[Page, Depends(OnPage(MANAGERS))]) -> Response:
    async with page.resources.database.reading_across() as connection:
        found = await MemberRepository(connection).all(page.tenant)
    async with page.resources.database.reading(page.tenant) as connection:
        invited = await InvitationRepository(connection, page.tenant).open(page.now)
    return page.render(
        "identity/members.html",
        members=found,
        invited=invited,
        people={one.user_id: one.email for one in found},
        typed=await page.typed(_INVITE, {"email": "", "role": "agent"}),
    )


@router.post(f"{_LIST}/role")
async def change(post: ManagersPost) -> Response:
    """The member is named by a field: an identity provider may call people anything."""
    body = post.body(RoleBody, role=post.text("role"))
    async with post.working(_LIST, spanning=True) as work:
        changed = await change_role(work, post.page.actor, _user_id(post), body.role)
    return post.done(_LIST, "identity.role_changed", who=changed.email)


@router.post(f"{_LIST}/remove")
async def remove(post: ManagersPost) -> Response:
    user_id = _user_id(post)
    async with post.working(_LIST, spanning=True) as work:
        there = await MemberRepository(standing_in(work)).member(post.page.tenant, user_id)
        await remove_member(work, post.page.actor, user_id)
    return post.done(_LIST, "identity.removed", who=there.email)


@router.post(_INVITE)
async def ask(post: ManagersPost) -> Response:
    page = post.page
    body = post.body(InvitationBody, email=post.text("email"), role=post.text("role"))
    async with post.working(_LIST) as work:
        made = await invite(work, page.actor, body.email, body.role, language=page.language)
    return await _mailed(post, made)


@router.post(f"{_LIST}/invitation")
async def invitation(post: ManagersPost) -> Response:
    """Invite once more, or withdraw."""
    page = post.page
    invitation_id = parse_ulid(post.text("invitation_id"))
    if invitation_id is None:
        raise InvitationNotFound("")
    if post.text("do") == "withdraw":
        async with post.working(_LIST) as work:
            await withdraw(work, page.actor, invitation_id)
        return post.done(_LIST, "identity.withdrawn")
    if post.text("do") != "resend":
        raise InvalidBody("champ « do »")
    async with post.working(_LIST) as work:
        made = await invite_again(work, page.actor, invitation_id, language=page.language)
    return await _mailed(post, made)


async def _mailed(post: Post, made: Invitation) -> Response:
    """After the commit."""
    await post.page.resources.engine.mail(
        SendMailInput(kind="invitation", record_id=made.id, client_id=post.page.tenant)
    )
    return post.done(_LIST, "identity.invited", who=made.email)


def _user_id(post: Post) -> str:
    """Raises MemberNotFound."""
    user_id = post.text("user_id")
    if not is_user_id(user_id):
        raise MemberNotFound("the user is no member of this client")
    return user_id
