"""Shared behavior of a client's templates, knowledge, settings and integrations."""

import pytest

from adapters.system import utc_now
from domain.tenants.client import Role
from store.content.tables import knowledge_entries, response_templates
from store.integrations.tables import integrations
from store.metadata import metadata
from store.tenants.tables import client_settings
from tests.support.content.content import (
    CHANGES,
    INTEGRATIONS,
    KNOWLEDGE,
    TEMPLATE,
    TEMPLATES,
    ask,
    made,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.reviews.dashboard import code, person
from tests.support.tenants.shop import Shop, open_shop

TABLES = (response_templates, knowledge_entries, integrations, client_settings)


async def kept(front: LiveEngine) -> list[object]:
    return [sorted(map(str, await rows(front.database, table))) for table in TABLES]


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


async def test_pages(front: LiveEngine, owner: dict[str, str]) -> None:
    """Each record appears once and in order, for any page size."""
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
