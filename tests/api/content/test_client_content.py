"""Who may read and change a client's templates, knowledge, settings and integrations."""

import pytest

from adapters.system import new_ulid, utc_now
from domain.tenants.client import Role
from store.content.tables import knowledge_entries, response_templates
from store.integrations.tables import integrations
from store.metadata import metadata
from store.tenants.tables import client_settings
from tests.support.content.content import (
    CHANGES,
    CONTENT_ROUTES,
    INTEGRATIONS,
    KNOWLEDGE,
    READS,
    SETTINGS,
    TEMPLATE,
    TEMPLATES,
    Body,
    ask,
    made,
)
from tests.support.core.engine import ENGINE_SECRET, LiveEngine
from tests.support.core.rows import rows
from tests.support.reviews.dashboard import admin, code, person
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import Shop, open_shop

NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"  # an id of nothing
NAMES = ("template_id", "knowledge_id", "integration_id")
TABLES = (response_templates, knowledge_entries, integrations, client_settings)


async def kept(front: LiveEngine) -> list[object]:
    return [sorted(map(str, await rows(front.database, table))) for table in TABLES]


@pytest.mark.parametrize("role", list(Role))
async def test_roles(front: LiveEngine, shop: Shop, owner: dict[str, str], role: Role) -> None:
    """All read; owners and admins change."""
    ids = await made(front, owner)
    headers = await person(front, shop, role)
    before = await kept(front)

    read = [await ask(front, headers, route, ids) for route in READS]
    changed = [await ask(front, headers, route, ids) for route in CHANGES]

    assert [answer.status_code for answer in read] == [200] * len(READS)
    assert all(answer.headers["cache-control"] == "no-store" for answer in read + changed)
    if role in (Role.OWNER, Role.ADMIN):
        assert [answer.status_code // 100 for answer in changed] == [2] * len(CHANGES)
        assert await kept(front) != before
    else:
        assert {code(answer) for answer in changed} == {(403, "role_required")}
        assert await kept(front) == before


async def test_internal_admins_may_do_all(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    ids = await made(front, owner)
    for method, path, body in CONTENT_ROUTES:
        url = path.format(**ids)
        for client_id, expected in ((None, 403), (new_ulid(), 404), (shop.client_id, 2)):
            query = {"client_id": client_id} if client_id else {}
            answer = await front.http.request(
                method, url, params=query, json=body, headers=admin(front)
            )
            assert expected in (answer.status_code, answer.status_code // 100), answer.text


async def test_only_people_who_are_signed_in(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """A leaked key reads no instructions and connects nobody's shop."""
    ids = await made(front, owner)
    before = await kept(front)
    for headers in (
        {},
        shop.headers,
        {"x-engine-secret": ENGINE_SECRET},
        {"x-internal-secret": ENGINE_SECRET},
        bearer("no.token.at-all"),
    ):
        for route in CONTENT_ROUTES:
            answer = await ask(front, headers, route, ids)
            assert code(answer) == (401, "unauthenticated"), route
            assert answer.headers["www-authenticate"] == "Bearer"
    assert await kept(front) == before


@pytest.mark.parametrize(
    ("method", "path", "body"), [route for route in CONTENT_ROUTES if "{" in route[1]]
)
async def test_what_is_anothers_looks_like_nothing(
    front: LiveEngine, owner: dict[str, str], method: str, path: str, body: Body
) -> None:
    other = await open_shop(front.database)
    theirs = await made(front, await person(front, other, Role.OWNER))
    before = await kept(front)
    missing = "integration" if path.startswith(INTEGRATIONS) else "content"
    bodies = []
    for ids in (theirs, dict.fromkeys(NAMES, new_ulid()), dict.fromkeys(NAMES, "nothing")):
        answer = await ask(front, owner, (method, path, body), ids)
        assert code(answer) == (404, f"{missing}_not_found")
        told = answer.json()
        assert told.pop("request_id")
        bodies.append((told, sorted(answer.headers)))
    assert bodies[0] == bodies[1] == bodies[2]
    assert await kept(front) == before


async def test_lists_hold_only_what_is_ones_own(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    other = await open_shop(front.database)
    theirs = await made(front, await person(front, other, Role.OWNER))
    mine = await made(front, owner)
    for path, key, name in (
        (TEMPLATES, "templates", "template_id"),
        (KNOWLEDGE, "knowledge", "knowledge_id"),
        (INTEGRATIONS, "integrations", "integration_id"),
    ):
        found = (await ask(front, owner, ("GET", path, None))).json()[key]
        ids = {one["id"] for one in found}
        assert mine[name] in ids
        assert theirs[name] not in ids


async def test_a_member_of_nobody(front: LiveEngine) -> None:
    headers = bearer(session_token(front.settings, new_ulid()))
    for route in CONTENT_ROUTES:
        answer = await ask(front, headers, route, dict.fromkeys(NAMES, new_ulid()))
        assert code(answer) == (403, "no_client")


async def test_all_are_counted(front: LiveEngine, owner: dict[str, str]) -> None:
    ids = await made(front, owner)
    left = 120 - 3
    for route in CONTENT_ROUTES:
        answer = await ask(front, owner, route, ids)
        left -= 1
        assert answer.headers["ratelimit"].startswith(f'"dashboard";r={left};')


async def test_pages(front: LiveEngine, owner: dict[str, str]) -> None:
    """Each once and in order, whatever the size of a page."""
    for path, key in ((TEMPLATES, "templates"), (KNOWLEDGE, "knowledge")):
        for _ in range(4):
            await made(front, owner)
        whole = (await front.http.get(path, headers=owner)).json()
        assert whole["next_cursor"] is None
        ids = [one["id"] for one in whole[key]]
        assert len(ids) >= 4
        paged: list[str] = []
        query = {"limit": "3"}
        while True:
            page = (await front.http.get(path, params=query, headers=owner)).json()
            assert len(page[key]) <= 3
            paged += [one["id"] for one in page[key]]
            if page["next_cursor"] is None:
                break
            query["cursor"] = page["next_cursor"]
        assert paged == ids == sorted(ids)


@pytest.mark.parametrize("query", [{"limit": "0"}, {"limit": "101"}, {"cursor": "x"}, {"x": "1"}])
@pytest.mark.parametrize("path", [TEMPLATES, KNOWLEDGE, INTEGRATIONS])
async def test_queries_that_are_none(
    front: LiveEngine, owner: dict[str, str], path: str, query: dict[str, str]
) -> None:
    answer = await front.http.get(path, params=query, headers=owner)
    assert code(answer) == (400, "invalid_query")


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        (TEMPLATES, "GET, POST"),
        (TEMPLATES + "/" + NOBODY, "DELETE, GET, PATCH"),
        (KNOWLEDGE, "GET, POST"),
        (KNOWLEDGE + "/" + NOBODY, "DELETE, GET, PATCH"),
        (SETTINGS, "GET, PATCH"),
        (SETTINGS + "/widget-key", "POST"),
        (INTEGRATIONS, "GET, POST"),
        (INTEGRATIONS + "/" + NOBODY, "DELETE"),
    ],
)
async def test_methods(front: LiveEngine, owner: dict[str, str], path: str, allowed: str) -> None:
    answer = await front.http.put(path, headers=owner)
    assert code(answer) == (405, "method_not_allowed")
    assert answer.headers["allow"] == allowed


async def test_a_client_that_is_being_erased_gets_nothing_new(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    clients = metadata.tables["clients"]
    async with front.database.service() as connection:
        await connection.execute(
            clients.update().where(clients.c.id == shop.client_id).values(closed_at=utc_now())
        )
    before = await kept(front)
    for method, path, body in CHANGES:
        if "{" not in path:
            answer = await ask(front, owner, (method, path, body))
            assert code(answer) == (403, "no_client"), path
    assert await kept(front) == before


@pytest.mark.parametrize("body", ["[]", "{", '{"x": 1}', "null"])
async def test_bodies_that_are_none(front: LiveEngine, owner: dict[str, str], body: str) -> None:
    ids = await made(front, owner)
    before = await kept(front)
    for method, path, _ in CHANGES:
        if method == "DELETE":
            continue
        answer = await front.http.request(
            method,
            path.format(**ids),
            content=body,
            headers={**owner, "content-type": "application/json"},
        )
        assert code(answer) == (400, "invalid_body"), path
    assert await kept(front) == before
    text = {**owner, "content-type": "text/plain"}
    refused = await front.http.post(TEMPLATES, content=str(TEMPLATE), headers=text)
    assert code(refused) == (415, "unsupported_media_type")
