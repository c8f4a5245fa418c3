"""Requests with a late body: its last byte arrives after the caller has lost the permission."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import sqlalchemy as sa

from adapters.system import new_ulid
from api.route import body_of
from domain.tenants.client import Role
from store.tenants.members import MemberRepository
from store.tenants.tables import clients
from tests.support.core.engine import LiveEngine
from tests.support.tenants.joined import join
from tests.support.tenants.served_routes import Route, each_of
from tests.support.tenants.shop import Shop

Loss = Callable[[], Awaitable[None]]
"""A function that takes the permission from the caller."""


def routes_with_body(front: LiveEngine) -> set[Route]:
    """Return the routes whose declared body is parsed by a dependency."""
    return {
        (method, route.path)
        for route in each_of(front.app)
        if body_of(route.endpoint) is not None
        for method in route.methods or ()
    }


async def send_late(
    front: LiveEngine,
    route: Route,
    headers: dict[str, str],
    request: dict[str, Any],
    loss: Loss,
    **params: str,
) -> httpx.Response:
    """Send the request without the last byte of its body, call `loss`, and send the last byte."""
    given = request.get("content")
    body: bytes = json.dumps(request.get("json", {})).encode() if given is None else given

    async def pieces() -> AsyncIterator[bytes]:
        yield body[:-1]
        await loss()
        yield body[-1:]

    sent = headers if given is not None else {**headers, "content-type": "application/json"}
    method, path = route
    return await front.http.request(method, path, headers=sent, content=pieces(), params=params)


def leaves(front: LiveEngine, shop: Shop, user_id: str, role: Role) -> Loss:
    """Return a loss: the user's membership ends. An owner is replaced."""

    async def leave() -> None:
        async with front.database.service() as connection:
            if role is Role.OWNER:
                heir = new_ulid()
                await join(connection, shop.client_id, heir, Role.ADMIN)
                await MemberRepository(connection).remove(shop.client_id, heir)
                await connection.execute(
                    sa.update(clients)
                    .where(clients.c.id == shop.client_id)
                    .values(owner_user_id=heir)
                )
            await MemberRepository(connection).remove(shop.client_id, user_id)

    return leave
