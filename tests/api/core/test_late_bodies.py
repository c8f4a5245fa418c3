"""A caller whose permission ends while the body arrives: the request is refused, and changes
nothing."""

from typing import Final

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid
from domain.tenants.client import Role
from store.tenants.members import MemberRepository
from tests.support.copilot.asking import CHAT
from tests.support.copilot.asking import body as question
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.reviews.dashboard import code
from tests.support.tenants.access import ACCESS, Client, body_about, record_for
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.joined import join
from tests.support.tenants.late_bodies import leaves, routes_with_body, send_late
from tests.support.tenants.mcp_client import BEFORE, MCP, revoke
from tests.support.tenants.records import records
from tests.support.tenants.served_routes import Route
from tests.support.tenants.shop import ORDER_QUESTION, Shop

SIMULATOR: Final = "/api/simulator/chat"
OF_A_MEMBER: Final = sorted(
    route
    for route, access in ACCESS.items()
    if access.client is not Client.NONE and route[0] in ("POST", "PUT", "PATCH")
)
# Routes with a body whose callers have no permission to lose, or lose it in a test below.
TESTED_BELOW: Final = {("POST", GATEWAY), ("POST", SIMULATOR), ("POST", CHAT)}
BY_ANYONE: Final = {
    *(("POST", f"/api/auth/{what}") for what in ("signup", "verify", "refresh", "sign-out")),
    # An operator's permission is in the session token and in the settings.
    *(("POST", f"/api/operator/automation/{what}") for what in ("stop", "resume")),
}
WIDGET: Final = "/api/widget/"


async def a_member(front: LiveEngine, shop: Shop, role: Role) -> tuple[str, dict[str, str]]:
    """Return a member's id and headers."""
    user_id = shop.owner_user_id if role is Role.OWNER else new_ulid()
    if role is not Role.OWNER:
        async with front.database.service() as connection:
            await join(connection, shop.client_id, user_id, role)
    return user_id, bearer(session_token(front.settings, user_id))


async def change(front: LiveEngine, shop: Shop, user_id: str, role: Role) -> None:
    async with front.database.service() as connection:
        await MemberRepository(connection).change_role(shop.client_id, user_id, role)


async def role_of(front: LiveEngine, shop: Shop, user_id: str) -> Role | None:
    async with front.database.service() as connection:
        return await MemberRepository(connection).role(user_id, shop.client_id)


def test_every_route_with_a_body_is_tested(front: LiveEngine) -> None:
    found = {route for route in routes_with_body(front) if not route[1].startswith(WIDGET)}
    assert found - TESTED_BELOW - BY_ANYONE <= set(OF_A_MEMBER)
    assert found >= TESTED_BELOW | BY_ANYONE


@pytest.mark.parametrize("route", OF_A_MEMBER, ids=" ".join)
async def test_a_membership_that_ends(front: LiveEngine, shop: Shop, route: Route) -> None:
    if route not in routes_with_body(front):
        return
    access = ACCESS[route]
    ids = await record_for(front, shop, route[1])
    role = Role.ADMIN if Role.ADMIN in access.roles else Role.OWNER
    user_id, headers = await a_member(front, shop, role)
    leave, kept = leaves(front, shop, user_id, role), []

    async def loss() -> None:
        await leave()
        kept.append(await records(front, shop))

    at = (route[0], route[1].format(**ids))
    answer = await send_late(front, at, headers, body_about(access, ids), loss)

    gone = (404, access.missing) if access.client is Client.RECORD else (403, "no_client")
    assert code(answer) == gone
    assert kept == [await records(front, shop)]


async def test_an_admin_is_not_admin_again(front: LiveEngine, shop: Shop) -> None:
    """Attack: an admin holds back the last byte of a request that makes them an admin, until the
    owner has demoted them."""
    user_id, headers = await a_member(front, shop, Role.ADMIN)
    route = ("PATCH", f"/api/dashboard/members/{user_id}")

    async def demoted() -> None:
        await change(front, shop, user_id, Role.VIEWER)

    answer = await send_late(front, route, headers, {"json": {"role": "admin"}}, demoted)

    assert code(answer) == (403, "role_required")
    assert await role_of(front, shop, user_id) is Role.VIEWER


async def test_the_new_role_applies(front: LiveEngine, shop: Shop) -> None:
    """The caller still has one of the route's roles, so the request succeeds with the new role."""
    user_id, headers = await a_member(front, shop, Role.ADMIN)

    async def demoted() -> None:
        await change(front, shop, user_id, Role.AGENT)

    view = {"json": {"name": "Retours"}}
    route = ("POST", "/api/dashboard/inbox-views")
    assert (await send_late(front, route, headers, view, demoted)).is_success


@pytest.mark.parametrize("path", [GATEWAY, SIMULATOR, CHAT])
async def test_the_client_is_in_the_body(front: LiveEngine, shop: Shop, path: str) -> None:
    user_id, headers = await a_member(front, shop, Role.AGENT)
    bodies = {
        GATEWAY: {"client_id": shop.client_id, "message": ORDER_QUESTION},
        SIMULATOR: {"client_id": shop.client_id, "message": "Bonjour"},
        CHAT: question(shop, "Combien de tickets ?"),
    }
    loss = leaves(front, shop, user_id, Role.AGENT)
    answer = await send_late(front, ("POST", path), headers, {"json": bodies[path]}, loss)
    assert code(answer) == (403, "access_denied")


async def test_a_key_that_is_revoked(front: LiveEngine, shop: Shop) -> None:
    """Attack: a program holds back the last byte of its request, until its key is revoked."""
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}
    accepts = {"accept": "application/json, text/event-stream", "mcp-protocol-version": BEFORE}
    event = {"client_id": shop.client_id, "message": ORDER_QUESTION}
    before = await records(front, shop)

    async def revoked() -> None:
        await revoke(front, shop)

    async def again() -> None:
        async with front.database.service() as connection:
            await connection.execute(
                sa.text("UPDATE api_keys SET revoked_at = NULL WHERE id = :id"),
                {"id": shop.key_id},
            )

    for route, headers, body in (
        (("POST", MCP), accepts, ping),
        (("POST", GATEWAY), {}, event),
        (("POST", GATEWAY), {}, {**event, "is_test": True}),
    ):
        late = {**shop.headers, **headers}
        answer = await send_late(front, route, late, {"json": body}, revoked)
        assert answer.status_code == 401, answer.text
        await again()
    after = await records(front, shop)
    assert {name for name in before if before[name] != after[name]} <= {"api_keys"}
