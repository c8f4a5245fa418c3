"""Dashboard permissions: each route, for each role, outsider and method.

Another client's record and a missing one are indistinguishable. The routes' own tests cover
permissions that depend on a record's state.
"""

from typing import Any, Final

import httpx
import pytest

from adapters.system import new_ulid
from domain.tenants.client import Role
from tests.support.core.engine import ENGINE_SECRET, LiveEngine
from tests.support.reviews.dashboard import admin, code, person
from tests.support.tenants.access import ACCESS, DASHBOARD, Client, Ids, body_about, record_for
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.records import records
from tests.support.tenants.served_routes import Route, routes_of
from tests.support.tenants.shop import Shop, open_shop

ROUTES: Final = sorted(ACCESS)
OF_A_RECORD: Final = [route for route in ROUTES if ACCESS[route].missing]
OF_A_CLIENT: Final = [
    route for route in ROUTES if ACCESS[route].client not in (Client.RECORD, Client.NONE)
]
# These routes concern the signed-in user; they never show another user's session.
OF_A_MEMBER: Final = [route for route in ROUTES if ACCESS[route].client is not Client.NONE]
OF_SOME_ROLES: Final = [route for route in OF_A_MEMBER if set(Role) - ACCESS[route].roles]
METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")

each_route = pytest.mark.parametrize("route", ROUTES, ids=" ".join)
each_of_a_member = pytest.mark.parametrize("route", OF_A_MEMBER, ids=" ".join)


async def ask(
    front: LiveEngine,
    route: Route,
    headers: dict[str, str],
    ids: Ids,
    client_id: str | None = None,
) -> httpx.Response:
    """Send the request. `client_id`: sent where the route requires it."""
    method, path = route
    access = ACCESS[route]
    request = body_about(access, ids)
    if client_id is not None and access.client is Client.BODY:
        request["json"] = {**request["json"], "client_id": client_id}
    if client_id is not None and access.client is Client.QUERY:
        request["params"] = {"client_id": client_id}
    return await front.http.request(method, path.format(**ids), headers=headers, **request)


def told(answer: httpx.Response) -> tuple[dict[str, Any], list[str]]:
    """Return the response without the request's id and countdowns."""
    body: dict[str, Any] = answer.json()
    assert body.pop("request_id") == answer.headers["x-request-id"]
    return body, sorted(answer.headers)


def test_every_route_has_its_row(front: LiveEngine) -> None:
    """A new route must be added to the table, so that it is tested with every role."""
    assert {one for one in routes_of(front.app) if one[1].startswith(DASHBOARD)} == set(ACCESS)


@each_of_a_member
async def test_roles_that_may(front: LiveEngine, route: Route) -> None:
    for role in sorted(ACCESS[route].roles):
        shop = await open_shop(front.database)
        ids = await record_for(front, shop, route[1])
        headers = await person(front, shop, role)

        answer = await ask(front, route, headers, {name: one.lower() for name, one in ids.items()})

        assert answer.headers["cache-control"] == "no-store"
        assert answer.is_success, (role, answer.text)
        if route[0] == "GET":
            named = await ask(front, route, headers, ids, shop.client_id.lower())
            assert named.is_success, (role, named.text)


@pytest.mark.parametrize("route", OF_SOME_ROLES, ids=" ".join)
async def test_roles_that_may_not(front: LiveEngine, shop: Shop, route: Route) -> None:
    ids = await record_for(front, shop, route[1])
    people = {role: await person(front, shop, role) for role in set(Role) - ACCESS[route].roles}
    before = await records(front, shop)
    for role, headers in people.items():
        answer = await ask(front, route, headers, ids)

        assert answer.headers["cache-control"] == "no-store"
        assert code(answer) == (403, "role_required"), role
    assert await records(front, shop) == before


@each_of_a_member
async def test_internal_admins(front: LiveEngine, shop: Shop, route: Route) -> None:
    """They may do everything, and name the client if no record does. Each request counts toward the
    limit."""
    ids, headers = await record_for(front, shop, route[1]), admin(front)
    if route in OF_A_CLIENT:
        assert code(await ask(front, route, headers, ids)) == (403, "no_client")
        for unknown in (new_ulid(), "nobody"):
            answer = await ask(front, route, headers, ids, unknown)
            assert code(answer) == (404, "client_not_found")

    answer = await ask(front, route, headers, ids, shop.client_id)

    refused = ACCESS[route].not_for_admins
    assert code(answer) == (404, refused) if refused else answer.is_success, answer.text
    left = 116 if route in OF_A_CLIENT else 119
    assert answer.headers["ratelimit"].startswith(f'"dashboard";r={left};')
    assert answer.headers["ratelimit-policy"] == '"dashboard";q=120;w=60'


@each_route
async def test_only_people_who_are_signed_in(front: LiveEngine, shop: Shop, route: Route) -> None:
    """A leaked key or secret cannot read or decide anything, not even for its own client."""
    ids = await record_for(front, shop, route[1])
    before = await records(front, shop)
    for headers in (
        {},
        shop.headers,
        {"x-engine-secret": ENGINE_SECRET},
        {"x-internal-secret": ENGINE_SECRET},
        bearer("no.token.at-all"),
    ):
        answer = await ask(front, route, headers, ids, shop.client_id)
        assert code(answer) == (401, "unauthenticated"), headers
        assert answer.json()["error"] == "Non autorisé"
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.headers["cache-control"] == "no-store"
    assert await records(front, shop) == before


@each_of_a_member
async def test_members_of_nobody(front: LiveEngine, shop: Shop, route: Route) -> None:
    ids = await record_for(front, shop, route[1])
    headers = bearer(session_token(front.settings, new_ulid()))
    before = await records(front, shop)

    answer = await ask(front, route, headers, ids)

    of_a_record = (404, ACCESS[route].missing)
    assert code(answer) == ((403, "no_client") if route in OF_A_CLIENT else of_a_record)
    assert await records(front, shop) == before


@pytest.mark.parametrize("route", OF_A_CLIENT, ids=" ".join)
async def test_anothers_client_looks_like_none(
    front: LiveEngine, shop: Shop, owner: dict[str, str], route: Route
) -> None:
    other = await open_shop(front.database)
    ids = await record_for(front, other, route[1])
    before = await records(front, other), await records(front, shop)

    answers = [
        await ask(front, route, owner, ids, client_id)
        for client_id in (other.client_id, new_ulid(), "nobody")
    ]

    assert {answer.status_code for answer in answers} == {403}
    seen = [told(answer) for answer in answers]
    assert seen[0] == seen[1] == seen[2]
    assert seen[0][0] == {"error": "Acces refuse.", "code": "access_denied"}
    assert (await records(front, other), await records(front, shop)) == before


@pytest.mark.parametrize("route", OF_A_RECORD, ids=" ".join)
async def test_anothers_record_looks_like_none(
    front: LiveEngine, shop: Shop, owner: dict[str, str], route: Route
) -> None:
    other = await open_shop(front.database)
    theirs = await record_for(front, other, route[1])
    before = await records(front, other), await records(front, shop)

    answers = [
        await ask(front, route, owner, ids)
        for ids in (theirs, dict.fromkeys(theirs, new_ulid()), dict.fromkeys(theirs, "nothing"))
    ]

    assert {code(answer) for answer in answers} == {(404, ACCESS[route].missing)}
    assert told(answers[0]) == told(answers[1]) == told(answers[2])
    assert (await records(front, other), await records(front, shop)) == before


@pytest.mark.parametrize("path", sorted({path for _, path in ROUTES}))
async def test_other_methods(
    front: LiveEngine, shop: Shop, owner: dict[str, str], path: str
) -> None:
    """All methods of a path are listed, although each has a separate route."""
    ids = await record_for(front, shop, path)
    allowed = sorted(method for method, one in ROUTES if one == path)
    before = await records(front, shop)
    for method in set(METHODS) - set(allowed):
        answer = await front.http.request(method, path.format(**ids), headers=owner)
        assert code(answer) == (405, "method_not_allowed")
        assert answer.headers["allow"] == ", ".join(allowed)
    assert await records(front, shop) == before
