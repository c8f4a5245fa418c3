"""/app/members: the page for managing a client's members and invitations."""

from collections.abc import Set
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Depends
from starlette.responses import RedirectResponse, Response

from api.dashboard.page import OnPage, Page
from api.dashboard.post import ManagersPost, Post
from api.schemas.identity.invitation import InvitationBody
from api.schemas.tenants.members import KeysQuery, RoleBody
from domain.core.errors import InvalidBody
from domain.core.ids import parse_ulid
from domain.identity.contracts import SendMailInput
from domain.identity.errors import InvitationNotFound
from domain.identity.invitation import Invitation
from domain.tenants.actor import MANAGERS, is_operator, without_address
from domain.tenants.api_key import MAX_ACTIVE
from domain.tenants.errors import KeysUndecided, MemberNotFound
from domain.tenants.key_choice import KeyChoice
from domain.tenants.user import is_user_id
from services.dashboard.forms import standing_in
from services.identity.invitations import invite, invite_again, withdraw
from services.tenants.members import change_role, remove_member
from store.identity.invitations import InvitationRepository
from store.tenants.keys import KeyEntry, KeyRepository
from store.tenants.members import MemberRepository

_LIST: Final = "/app/members"
_INVITE: Final = f"{_LIST}/invite"
_KEYS: Final = f"{_LIST}/keys"
_ROLE: Final = f"{_LIST}/role"
_REMOVE: Final = f"{_LIST}/remove"

router = APIRouter(include_in_schema=False)


@router.get(_LIST)
async def members(page: Annotated[Page, Depends(OnPage(MANAGERS))]) -> Response:
    async with page.resources.database.reading_across() as connection:
        found = await MemberRepository(connection).all(page.tenant)
    async with page.resources.database.reading(page.tenant) as connection:
        invited = await InvitationRepository(connection, page.tenant).open(page.now)
        active = await KeyRepository(connection).page(
            page.tenant, after=None, limit=2 * MAX_ACTIVE, revoked=False
        )
    managers = {without_address(one.user_id) for one in found if one.role in MANAGERS}
    return page.render(
        "identity/members.html",
        members=found,
        invited=invited,
        people={one.user_id: one.email for one in found},
        left=[one for one in active if _lost_its_manager(one, managers)],
        typed=await page.typed(_INVITE, {"email": "", "role": "agent"}),
    )


@router.get(_KEYS)
async def keys(page: Annotated[Page, Depends(OnPage(MANAGERS))]) -> Response:
    """Show the keys that a member created. A manager decides which of these keys to revoke before
    removing the member or assigning the role in the query."""
    query = page.query(KeysQuery)
    if not is_user_id(query.user_id):
        raise MemberNotFound("the user is no member of this client")
    async with page.resources.database.reading_across() as connection:
        member = await MemberRepository(connection).member(page.tenant, query.user_id)
    async with page.resources.database.reading(page.tenant) as connection:
        made = await KeyRepository(connection).made_by(page.tenant, without_address(query.user_id))
    return page.render("identity/member_keys.html", member=member, role=query.role, keys=made)


@router.post(_ROLE)
async def change(post: ManagersPost) -> Response:
    """Change a member's role. The member's id is sent in a form field because user ids from an
    identity provider may contain any character."""
    body, user_id = post.body(RoleBody, role=post.text("role")), _user_id(post)
    try:
        async with post.working(_LIST, spanning=True) as work:
            changed = await change_role(
                work, post.page.actor, user_id, body.role, keys=_choice(post)
            )
    except KeysUndecided:
        return _decide_first(user_id, role=body.role.value)
    return post.done(_LIST, "identity.role_changed", who=changed.email)


@router.post(_REMOVE)
async def remove(post: ManagersPost) -> Response:
    user_id = _user_id(post)
    try:
        async with post.working(_LIST, spanning=True) as work:
            there = await MemberRepository(standing_in(work)).member(post.page.tenant, user_id)
            await remove_member(work, post.page.actor, user_id, keys=_choice(post))
    except KeysUndecided:
        return _decide_first(user_id)
    return post.done(_LIST, "identity.removed", who=there.email)


def _lost_its_manager(key: KeyEntry, managers: Set[str]) -> bool:
    """Return True if the key's creator is no longer a manager of the client."""
    made_by = key.created_by
    return made_by is not None and not is_operator(made_by) and made_by not in managers


def _choice(post: Post) -> KeyChoice | None:
    """Return the choice of keys to revoke, or None if the form did not list the keys."""
    return KeyChoice(frozenset(post.chosen("revoke"))) if post.ticked("decided") else None


def _decide_first(user_id: str, **role: str) -> Response:
    """Return a redirect to the page that lists the member's keys. Nothing has been changed at this
    point."""
    return RedirectResponse(f"{_KEYS}?{urlencode({'user_id': user_id, **role})}", status_code=303)


@router.post(_INVITE)
async def ask(post: ManagersPost) -> Response:
    page = post.page
    body = post.body(InvitationBody, email=post.text("email"), role=post.text("role"))
    async with post.working(_LIST) as work:
        made = await invite(work, page.actor, body.email, body.role, language=page.language)
    return await _mailed(post, made)


@router.post(f"{_LIST}/invitation")
async def invitation(post: ManagersPost) -> Response:
    """Resend or withdraw an invitation."""
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
    """Email the invitation after the commit, and redirect to the list of members."""
    await post.page.resources.engine.mail(
        SendMailInput(kind="invitation", record_id=made.id, client_id=post.page.tenant)
    )
    return post.done(_LIST, "identity.invited", who=made.email)


def _user_id(post: Post) -> str:
    """Return the user id from the form. Raises MemberNotFound if it is not a valid user id."""
    user_id = post.text("user_id")
    if not is_user_id(user_id):
        raise MemberNotFound("the user is no member of this client")
    return user_id
