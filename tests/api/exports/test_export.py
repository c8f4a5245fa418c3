"""GET /api/client/export-data: requests, rejections, and the file's content."""

import dataclasses
import itertools
import re
from base64 import b64encode
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.exports.export import Section
from domain.integrations.integration import Integration
from domain.integrations.providers import Provider
from domain.tenants.client import Role
from store.inbound.tables import inbound_endpoints, inbound_webhooks
from store.integrations.integrations import IntegrationRepository
from store.integrations.tables import integrations
from store.tenants.keys import KeyRepository
from store.tenants.tables import clients
from store.webhooks.tables import webhook_subscriptions
from tests.support.core.engine import ENGINE_SECRET, LiveEngine
from tests.support.core.postgres import as_owner
from tests.support.core.rows import owned, row_counts, rows
from tests.support.exports.export import EXPORT, ask, exported
from tests.support.reviews.dashboard import person, set_clock
from tests.support.tenants.full_tenant import fill_every_table
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import Shop, open_shop

NOW = datetime(2026, 1, 1, 0, 0, 0, 5000, tzinfo=UTC)


# --- The file -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "media", "name", "begins", "ends"),
    [
        ("", "application/json", "json", b'{"exported_at": "2026-01-01T00:00:00.005Z"', b"]}\n"),
        ("?format=json", "application/json", "json", b'{"exported_at": ', b"]}\n"),
        ("?format=csv", "text/csv", "csv", b"\xef\xbb\xbf## client (1)\r\n", b"\r\n"),
    ],
)
async def test_headers(
    front: LiveEngine, shop: Shop, query: str, media: str, name: str, begins: bytes, ends: bytes
) -> None:
    set_clock(front, NOW)

    answer = await front.http.get(EXPORT + query, headers=shop.headers)

    assert answer.status_code == 200
    assert answer.headers["content-type"] == f"{media}; charset=utf-8"
    assert answer.headers["content-disposition"] == (
        f"attachment; filename=service-export-2026-01-01T00-00-00-005Z.{name}"
    )
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["ratelimit-policy"] == '"export";q=5;w=60'
    assert "content-length" not in answer.headers
    assert answer.content.startswith(begins)
    assert answer.content.endswith(ends)


async def test_its_moment_is_that_of_the_snapshot(front: LiveEngine, shop: Shop) -> None:
    """Not the request's time, because the request may have waited for capacity."""
    seconds = itertools.count()
    front.app.state.resources = dataclasses.replace(
        front.app.state.resources, now=lambda: NOW + timedelta(seconds=next(seconds))
    )
    answer = await front.http.get(EXPORT, headers=shop.headers)
    moment = re.sub(r"[:.]", "-", answer.json()["exported_at"])
    assert f"-export-{moment}.json" > answer.headers["content-disposition"].partition("engine")[2]


@pytest.mark.own_database
async def test_a_tenant_with_nothing(front: LiveEngine, shop: Shop) -> None:
    """All sections are present, and each is an empty array."""
    with psycopg.connect(as_owner(front.settings.database.url)) as connection:
        connection.execute("TRUNCATE playbooks, response_templates CASCADE")

    body = await exported(front, shop)

    assert body["client_id"] == shop.client_id
    assert [section for section in Section if body[section]] == [
        "client",
        "settings",
        "audit_entries",  # of this export
    ]
    assert all(isinstance(body[section], list) for section in Section)


async def test_every_section_of_the_caller_and_nobody_else(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    for one in (shop, other):
        await fill_every_table(front.database, one)
    before = await row_counts(front.database, of=shop)

    mine = await exported(front, shop)
    lines = (await ask(front, shop, format="csv")).content.decode("utf-8-sig")

    assert [section for section in Section if not mine[section]] == []
    assert mine["client"][0]["id"] == shop.client_id
    theirs = (await ask(front, other)).text
    for answer, stranger in ((str(mine), other), (lines, other), (theirs, shop)):
        assert stranger.client_id not in answer
        assert stranger.playbook_id not in answer
    counted = dict(re.findall(r"^## (\w+) \((\d+)\)\r?$", lines, re.MULTILINE))
    entries = len(mine[Section.AUDIT_ENTRIES]) + 1  # the second export's own entry
    assert counted == {
        **{section: str(len(mine[section])) for section in Section},
        Section.AUDIT_ENTRIES: str(entries),
    }
    after = await row_counts(front.database, of=shop)
    assert {**after, "audit_entries": 0} == {**before, "audit_entries": 0}, "nothing is deleted"
    assert after["audit_entries"] == before["audit_entries"] + 2


@pytest.mark.parametrize("form", ["json", "csv"])
async def test_no_secret_is_in_the_file(front: LiveEngine, shop: Shop, form: str) -> None:
    await fill_every_table(front.database, shop)
    digest = new_ulid().encode()
    async with front.database.tenant(shop.tenant) as connection:
        await IntegrationRepository(connection, shop.tenant).connect(
            Integration(id=new_ulid(), provider=Provider.SHOPIFY, sealed="canary-of-the-seal"),
            utc_now(),
            new_ulid,
        )
        await connection.execute(
            sa.update(integrations)
            .where(integrations.c.client_id == shop.client_id)
            .values(settings={"access_token": "canary-of-the-settings"})
        )
        for table, values in (
            (
                inbound_endpoints,
                {
                    "token_digest": digest,
                    "sealed_secret": "canary-of-the-address",
                    "mapping": {"message": "canary"},
                },
            ),
            (inbound_webhooks, {"body": b"canary-of-the-body", "headers": {"x": "canary"}}),
        ):
            canaries = sa.update(table).where(table.c.client_id == shop.client_id).values(**values)
            assert (await connection.execute(canaries)).rowcount
        secrets = await rows(front.database, webhook_subscriptions, of=shop)
    hidden = [str(row[name]) for row in secrets for name in row if "secret" in name and row[name]]
    assert hidden
    hidden += [digest.hex(), b64encode(digest).decode()]

    found = (await ask(front, shop, format=form)).text

    assert "shopify" in found
    for canary in ("canary", shop.key, shop.key.removeprefix("ak_"), *hidden):
        assert canary not in found
    assert found.count(shop.key_id) == 1, "only the audit entry of this export names the key"


# --- Who ----------------------------------------------------------------------------------------


async def test_nobody(front: LiveEngine, shop: Shop) -> None:
    for headers in (
        {},
        {"authorization": "Basic eDp5"},
        bearer("ak_" + "0" * 32),
        bearer(shop.key.upper()),
        {"x-engine-secret": ENGINE_SECRET},
    ):
        answer = await front.http.get(EXPORT, headers=headers)
        assert answer.status_code == 401
        assert answer.json()["error"] == "Non autorisé"
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "ratelimit" not in answer.headers


async def test_revoked_key(front: LiveEngine, shop: Shop) -> None:
    async with front.database.service() as connection:
        await KeyRepository(connection).revoke(shop.key_id, utc_now())

    assert (await ask(front, shop)).status_code == 401


@pytest.mark.parametrize("role", [Role.OWNER, Role.ADMIN])
async def test_a_person_has_their_client(front: LiveEngine, shop: Shop, role: Role) -> None:
    other = await open_shop(front.database)
    headers = await person(front, shop, role)

    answer = await front.http.get(
        EXPORT, params={"client_id": other.client_id, "x": "y"}, headers=headers
    )

    assert answer.status_code == 200
    assert answer.json()["client_id"] == shop.client_id


async def test_somebody_without_a_client(front: LiveEngine) -> None:
    for admin in (False, True):
        token = session_token(front.settings, f"nobody-{admin}", admin=admin)
        answer = await front.http.get(EXPORT, headers=bearer(token))
        assert answer.status_code == 403
        assert answer.json()["error"] == "Aucun client associé"


async def test_a_client_that_is_closed(front: LiveEngine, shop: Shop) -> None:
    """Its key gives no access; its owner uses their next client."""
    owner = await person(front, shop, Role.OWNER)
    second = await open_shop(front.database)
    async with front.database.service() as connection:
        await connection.execute(
            sa.update(clients).where(owned(clients, shop)).values(closed_at=utc_now())
        )

    assert (await ask(front, shop)).json()["error"] == "Aucun client associé"
    assert (await front.http.get(EXPORT, headers=owner)).status_code == 403
    async with front.database.service() as connection:
        await connection.execute(
            sa.update(clients)
            .where(clients.c.id == second.client_id)
            .values(owner_user_id=shop.owner_user_id)
        )
    answer = await front.http.get(EXPORT, headers=owner)
    assert answer.json()["client_id"] == second.client_id


# --- How ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["xml", "JSON", "Csv", "", "json&format=json", "json&format=csv"])
async def test_format_that_there_is_not(front: LiveEngine, shop: Shop, query: str) -> None:
    answer = await front.http.get(f"{EXPORT}?format={query}", headers=shop.headers)

    assert answer.status_code == 400
    assert answer.json()["error"] == "Format invalide"
    assert answer.json()["code"] == "invalid_format"
    assert "ratelimit" in answer.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"range": "bytes=0-9"},
        {"if-none-match": "*"},
        {"if-modified-since": "Fri, 01 Jan 2100 00:00:00 GMT"},
        {"accept": "text/csv"},
        {"accept-encoding": "gzip"},
    ],
    ids=lambda headers: next(iter(headers)),
)
async def test_headers_that_change_nothing(
    front: LiveEngine, shop: Shop, headers: dict[str, str]
) -> None:
    answer = await front.http.get(EXPORT, headers={**shop.headers, **headers})

    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert set(Section) < set(answer.json())


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
async def test_other_methods(front: LiveEngine, shop: Shop, method: str) -> None:
    answer = await front.http.request(method, EXPORT, headers=shop.headers)

    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET"
    if method != "HEAD":
        assert answer.json()["error"] == "Méthode non autorisée"


async def test_five_a_minute(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    set_clock(front, NOW)
    answers = [await ask(front, shop, format=form) for form in ("csv", "json", "xml", "", "json")]
    set_clock(front, NOW + timedelta(seconds=20.5))

    refused = await ask(front, shop)

    assert [answer.status_code for answer in answers] == [200, 200, 400, 400, 200]
    assert refused.status_code == 429
    assert refused.json()["code"] == "too_many_requests"
    assert refused.headers["retry-after"] == "40"
    assert refused.headers["ratelimit"] == '"export";r=0;t=40'
    assert (await ask(front, other)).status_code == 200
    set_clock(front, NOW + timedelta(seconds=60))
    assert (await ask(front, shop)).status_code == 200


# --- Its description ----------------------------------------------------------------------------


async def test_described_with_both_forms(front: LiveEngine) -> None:
    document = (await front.http.get("/openapi.json")).json()
    described = document["paths"][EXPORT]["get"]

    assert set(described["responses"]) == {
        "200", "400", "401", "403", "405", "429", "431", "500", "503"
    }  # fmt: skip
    assert set(described["responses"]["200"]["content"]) == {"application/json", "text/csv"}
    (parameter,) = described["parameters"]
    assert (parameter["name"], parameter["required"]) == ("format", False)
