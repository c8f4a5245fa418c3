"""/api/dashboard/members: the users who may act for a client."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.access import Asked, ManagerDep, QueryInClient
from api.openapi import path_parameter
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, Part, errors
from api.schemas.tenants.keys import Key
from api.schemas.tenants.members import MadeKeys, MemberList, MemberOut, RemovalQuery, RoleBody
from domain.tenants.actor import MANAGERS, without_address
from domain.tenants.errors import MemberNotFound
from domain.tenants.key_choice import key_choice
from domain.tenants.user import is_user_id
from services.tenants.members import change_role, remove_member
from store.tenants.keys import KeyRepository
from store.tenants.members import MemberRepository

router = APIRouter(route_class=DescribedRoute)

_MEMBERS: Final = "/api/dashboard/members"
_MEMBER: Final = f"{_MEMBERS}/{{user_id}}"


class _PathUser(Part):
    """A dependency that returns a user's id from the path, in the identity provider's format.
    Raises MemberNotFound if it is not a valid user id."""

    errors = (404,)
    parameters = ({**path_parameter("user_id", "user"), "description": "The member's `user_id`."},)

    async def __call__(self, request: Request) -> str:
        user_id: str = request.path_params["user_id"]
        if not is_user_id(user_id):
            raise MemberNotFound
        return user_id


UserId = Annotated[str, Depends(_PathUser())]


@router.get(_MEMBERS, operation_id="members.list", summary="List a client's owner and members")
async def members(member: ManagerDep, resources: ResourcesDep) -> MemberList:
    """This operation requires the owner or admin role, like all member routes. New members join by
    invitation."""
    async with resources.database.reading_across() as connection:
        found = await MemberRepository(connection).all(member.tenant)
    return MemberList(members=tuple(map(MemberOut.model_validate, found)))


@router.get(
    f"{_MEMBER}/keys",
    operation_id="members.keys",
    summary="List the active keys that a member created",
)
async def keys(member: ManagerDep, user_id: UserId, resources: ResourcesDep) -> MadeKeys:
    """When you remove a member or lower the member's role, choose which of these keys to revoke. A
    former member's keys are listed until all of them are revoked."""
    async with resources.database.reading_across() as connection:
        found = await KeyRepository(connection).made_by(member.tenant, without_address(user_id))
        if not found:
            await MemberRepository(connection).member(member.tenant, user_id)
    return MadeKeys(keys=tuple(map(Key.model_validate, found)))


@router.patch(
    _MEMBER, operation_id="members.update", summary="Change a member's role", responses=errors(409)
)
async def change(
    member: ManagerDep,
    user_id: UserId,
    body: Annotated[RoleBody, Depends(JsonBody(RoleBody))],
    resources: ResourcesDep,
) -> MemberOut:
    """The change takes effect with the next request. The owner's role cannot change. If a member is
    no longer an owner or admin, the programs that the member authorized lose access, and the
    member's invitations end. `keys` determines which of the keys created by the member are revoked.
    """
    choice = key_choice(body.keys)
    async with resources.work.spanning(member.tenant) as work:
        changed = await change_role(work, member.actor, user_id, body.role, keys=choice)
    return MemberOut.model_validate(changed)


@router.delete(
    _MEMBER,
    operation_id="members.delete",
    summary="Remove a member",
    status_code=204,
    responses=errors(409),
)
async def remove(
    asked: Annotated[Asked[RemovalQuery], Depends(QueryInClient(RemovalQuery, MANAGERS))],
    user_id: UserId,
    resources: ResourcesDep,
) -> Response:
    """The member loses access immediately. The programs that the member authorized lose access, and
    the member's invitations end. `keys` determines which of the keys created by the member are
    revoked."""
    choice = key_choice(asked.query.keys)
    async with resources.work.spanning(asked.tenant) as work:
        await remove_member(work, asked.actor, user_id, keys=choice)
    return Response(status_code=204)
