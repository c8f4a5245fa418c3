"""Access control for routes that span clients. Only the service's operators may use these
routes."""

from typing import Annotated

from fastapi import Depends, Request

from api.access import signed_in
from api.http.client_address import client_network
from api.openapi import SESSION
from api.resources import Resources
from api.route import Part
from domain.tenants.actor import Actor
from domain.tenants.errors import RoleRequired


class AnOperator(Part):
    """A dependency that returns the internal admin who sent the request. Raises Unauthenticated,
    TooManyRequests, RoleRequired."""

    security = SESSION

    async def __call__(self, request: Request) -> Actor:
        resources: Resources = request.app.state.resources
        user = await signed_in(request, resources)
        if not user.is_admin:
            raise RoleRequired
        return Actor.person(user.id, None, network=client_network(request))


OperatorDep = Annotated[Actor, Depends(AnOperator())]
