"""/api/dashboard/replays: past events processed again, with the differences between their
outcomes."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request

from api.access import Asked, ManagerDep, MemberDep, PageDep, QueryInClient, UserDep, member_for
from api.http.client_address import client_network
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.schemas.core.client_query import cursor_after
from api.schemas.simulation.replay import (
    ExamplesQuery,
    NewReplayBody,
    ReplayExamplePage,
    ReplayPage,
    ReplayStopBody,
)
from domain.simulation.errors import ReplayNotFound
from domain.simulation.replay import Replay
from services.simulation.replays import start_replay, stop_replay
from store.simulation.replays import ReplayRepository

router = APIRouter(route_class=DescribedRoute)

_REPLAYS: Final = "/api/dashboard/replays"
_REPLAY: Final = f"{_REPLAYS}/{{replay_id}}"
ReplayId = Annotated[str, Depends(PathId("replay_id", "replay", ReplayNotFound))]


@router.get(_REPLAYS, operation_id="replays.list", summary="List a client's replays, newest first")
async def replays(page: PageDep, resources: ResourcesDep) -> ReplayPage:
    """Any member of the client may call this operation."""
    async with resources.database.reading(page.tenant) as connection:
        found = await ReplayRepository(connection, page.tenant).page(
            before=page.query.cursor, limit=page.query.limit + 1
        )
    return ReplayPage(
        replays=found[: page.query.limit],
        next_cursor=cursor_after(found, page.query.limit, lambda last: last.id),
    )


@router.post(
    _REPLAYS,
    operation_id="replays.create",
    summary="Replay past events with a variant",
    status_code=201,
    responses=errors(404, 409),
)
async def start(
    request: Request,
    user: UserDep,
    body: Annotated[NewReplayBody, Depends(JsonBody(NewReplayBody, optional=True))],
    resources: ResourcesDep,
) -> Replay:
    """This operation requires the owner or admin role. A client can have one replay in progress at
    a time. A worker processes the events again, without side effects. Language model costs are
    charged to the client in the current month."""
    member = await member_for(user, body.client_id, resources, client_network(request))
    async with resources.work.of(member.tenant) as work:
        return await start_replay(work, member.actor, body.asked)


@router.get(_REPLAY, operation_id="replays.get", summary="Get a replay's progress and results")
async def replay(member: MemberDep, replay_id: ReplayId, resources: ResourcesDep) -> Replay:
    """Any member of the client may call this operation."""
    async with resources.database.reading(member.tenant) as connection:
        return await ReplayRepository(connection, member.tenant).read(replay_id)


@router.get(
    f"{_REPLAY}/examples",
    operation_id="replays.examples",
    summary="List events whose outcome differs in a replay",
)
async def examples(
    asked: Annotated[Asked[ExamplesQuery], Depends(QueryInClient(ExamplesQuery))],
    replay_id: ReplayId,
    resources: ResourcesDep,
) -> ReplayExamplePage:
    """Any member of the client may call this operation. The cursor is an event id."""
    query = asked.query
    async with resources.database.reading(asked.tenant) as connection:
        repository = ReplayRepository(connection, asked.tenant)
        await repository.read(replay_id)
        found = await repository.examples(
            replay_id, kind=query.kind, after=query.cursor, limit=query.limit + 1
        )
    return ReplayExamplePage(
        examples=found[: query.limit],
        next_cursor=cursor_after(found, query.limit, lambda last: last.event_id),
    )


@router.post(f"{_REPLAY}/stop", operation_id="replays.stop", summary="Stop a replay")
async def stop(
    member: ManagerDep,
    replay_id: ReplayId,
    _: Annotated[ReplayStopBody, Depends(JsonBody(ReplayStopBody, optional=True))],
    resources: ResourcesDep,
) -> Replay:
    """This operation requires the owner or admin role. Results computed before the stop are kept.
    The call has no effect on a finished replay."""
    async with resources.work.of(member.tenant) as work:
        return await stop_replay(work, member.actor, replay_id)
