"""A user's own account: profile, clients and sessions."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.access import UserDep, member_for
from api.http.client_address import client_network
from api.resources import ResourcesDep
from api.route import DescribedRoute, PathId, errors
from api.schemas.identity.account import (
    ClientList,
    Ended,
    Me,
    OwnClientOut,
    SessionList,
    SessionOut,
)
from domain.identity.errors import SessionNotFound
from domain.tenants.errors import ClientNotFound
from services.identity.sessions import end_session, end_sessions
from services.tenants.members import leave_client
from store.identity.people import address_of, clients_of
from store.identity.sessions import SessionRepository

router = APIRouter(route_class=DescribedRoute)

_SESSIONS: Final = "/api/dashboard/sessions"
ClientId = Annotated[str, Depends(PathId("client_id", "client", ClientNotFound))]
SessionId = Annotated[str, Depends(PathId("session_id", "session", SessionNotFound))]


@router.get("/api/dashboard/me", operation_id="me.get", summary="Get the signed-in user")
async def me(user: UserDep, resources: ResourcesDep) -> Me:
    """The response includes the clients that the user may act for."""
    async with resources.database.reading_across() as connection:
        email, found = await address_of(connection, user.id), await clients_of(connection, user.id)
    own = tuple(map(OwnClientOut.model_validate, found))
    return Me(user_id=user.id, email=email, is_admin=user.is_admin, clients=own)


@router.get(
    "/api/dashboard/clients",
    operation_id="clients.list",
    summary="List the clients that the user may act for",
)
async def clients(user: UserDep, resources: ResourcesDep) -> ClientList:
    """The response states the user's role in each client. An internal admin may also act for all
    other clients."""
    async with resources.database.reading_across() as connection:
        found = await clients_of(connection, user.id)
    return ClientList(clients=tuple(map(OwnClientOut.model_validate, found)))


@router.delete(
    "/api/dashboard/me/clients/{client_id}",
    operation_id="clients.leave",
    summary="Leave a client",
    status_code=204,
    responses=errors(409),
)
async def leave(
    user: UserDep, client_id: ClientId, request: Request, resources: ResourcesDep
) -> Response:
    """Your membership in the client ends immediately. The owner cannot leave."""
    member = await member_for(user, client_id, resources, client_network(request))
    async with resources.work.spanning(member.tenant) as work:
        await leave_client(work, member.actor)
    return Response(status_code=204)


@router.get(_SESSIONS, operation_id="sessions.list", summary="List the user's sessions")
async def sessions(user: UserDep, resources: ResourcesDep) -> SessionList:
    """Lists your own active sessions: browsers and refresh tokens."""
    async with resources.database.reading_across() as connection:
        found = await SessionRepository(connection).of_user(user.id, resources.now())
    return SessionList(sessions=tuple(map(SessionOut.model_validate, found)))


@router.delete(
    _SESSIONS, operation_id="sessions.delete_all", summary=("End all of the user's sessions")
)
async def end_all(user: UserDep, resources: ResourcesDep) -> Ended:
    """All sessions end immediately. A session token (JWT) that was already issued stays valid until
    it expires, at most an hour later."""
    async with resources.work.everywhere() as work:
        return Ended(ended=await end_sessions(work, user.id))


@router.delete(
    f"{_SESSIONS}/{{session_id}}",
    operation_id="sessions.delete",
    summary="End one of the user's sessions",
    status_code=204,
)
async def end_one(user: UserDep, session_id: SessionId, resources: ResourcesDep) -> Response:
    """The session ends immediately."""
    async with resources.work.everywhere() as work:
        await end_session(work, user.id, session_id)
    return Response(status_code=204)
