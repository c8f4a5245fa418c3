"""POST /api/simulator/chat: simulates the agent without side effects."""

import time
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request

from api.access import SignedIn, member_for
from api.http.client_address import client_network
from api.http.json_body import parse_object, read_body
from api.openapi import in_one_piece
from api.resources import ResourcesDep
from api.route import BodyPart, DescribedRoute, errors
from api.schemas.simulation.simulator import SimulatorAnswer, SimulatorBody, parse_simulation
from api.simulating import simulated
from domain.intake.rate_limit import LimitScope
from domain.tenants.user import User

router = APIRouter(route_class=DescribedRoute)

SIMULATOR: Final = "/api/simulator/chat"


class _SimulatorPart(BodyPart[SimulatorBody]):
    """A dependency that returns the requested simulation from the body. Raises
    UnsupportedMediaType, BodyTooLarge, BodyTooSlow, ClientIdMissing, InvalidBody."""

    errors = (400, 408, 413, 415)

    def __init__(self) -> None:
        content = {"application/json": {"schema": in_one_piece(SimulatorBody)}}
        self.body = {"required": True, "content": content}

    async def parse(self, request: Request) -> SimulatorBody:
        return parse_simulation(parse_object(await read_body(request)))


@router.post(
    SIMULATOR,
    operation_id="simulator.chat",
    summary="Simulate the agent on test messages",
    responses=errors(409, 504),
)
async def chat(
    request: Request,
    user: Annotated[User, Depends(SignedIn(LimitScope.SIMULATOR))],
    body: Annotated[SimulatorBody, Depends(_SimulatorPart())],
    resources: ResourcesDep,
) -> SimulatorAnswer:
    """This operation requires the owner, admin or agent role. Each user can send at most 20
    requests a minute. Nothing is sent, executed or stored, and the simulation does not use the
    ticket quota. Language model costs are charged to the client. The response arrives within 120 s
    if a language model is used, otherwise within 40 s."""
    started = time.monotonic()
    member = await member_for(user, body.client_id, resources, client_network(request))
    simulation = await simulated(resources, member.actor, member.tenant, body.asked())
    return SimulatorAnswer.of(simulation, round((time.monotonic() - started) * 1000))
