"""The widget key, and the pages that can use it."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from api.widget_access import widget_key_reads
from domain.core.ids import TenantId
from services.core.shared_reads import SharedReads
from store.audit.tables import audit_entries
from store.tenants.tables import api_keys
from store.widget.tables import widgets
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.core.rows import row_counts, rows
from tests.support.exports.export import EXPORT
from tests.support.tenants.shop import Shop, open_shop
from tests.support.widget.page import CHAT, CONFIG, ORIGIN, page_of, with_widget

ROUTES = (("POST", CHAT), ("GET", CONFIG))
UNUSABLE = (
    "wk_" + "0" * 32,
    "wk_" + "0" * 31,
    "wk_" + "0" * 33,
    "wk_" + "A" * 32,
    "wk_" + "0" * 32 + "\n",
    "WK_" + "0" * 32,
    "x",
    "é" * 40,
    "%00",
    "ak_" + "0" * 32,
    "mcp_" + "0" * 32,
    " ",
)


async def _call(
    front: LiveEngine, route: tuple[str, str], query: str | dict[str, str], **more: str
) -> httpx.Response:
    method, path = route
    body = {"json": {"message": "Bonjour"}} if method == "POST" else {}
    headers = {"origin": ORIGIN, **more}
    return await front.http.request(method, path, params=query, headers=headers, **body)  # type: ignore[arg-type]


@pytest.mark.parametrize("route", ROUTES)
async def test_refused_keys(front: LiveEngine, shop: Shop, route: tuple[str, str]) -> None:
    """Exact errors. A key of another kind or format is rejected like an unknown one."""
    await with_widget(front.database, shop)

    for query in ("", "api_key=", "other=1", "api_key=&api_key="):
        missing = await _call(front, route, query)
        assert (missing.status_code, missing.json()["error"]) == (401, "api_key required"), query
    for key in UNUSABLE:
        refused = await _call(front, route, {"api_key": key})
        assert (refused.status_code, refused.json()["error"]) == (401, "Invalid API key"), key
        assert key.strip() == "" or key.strip() not in refused.text
    headers = {"authorization": f"Bearer {shop.key}"}
    bearer = await _call(front, route, "", **headers)
    assert (bearer.status_code, bearer.json()["error"]) == (401, "api_key required")


async def test_two_keys_are_none(front: LiveEngine, shop: Shop) -> None:
    page = await page_of(front, shop)

    answer = await _call(front, ROUTES[1], f"api_key={page.key}&api_key={page.key}")

    assert (answer.status_code, answer.json()["error"]) == (401, "Invalid API key")


async def test_a_crowd_shares_its_questions(front: LiveEngine, shop: Shop) -> None:
    """A flood with one key does not use other callers' connections; a malformed key is not looked
    up."""
    page = await page_of(front, shop)
    resources, asked = front.app.state.resources, list[str]()

    async def read(key: str) -> TenantId | None:
        asked.append(key)
        return await widget_key_reads(front.database, utc_now).get(key)

    front.app.state.resources = replace(resources, widget_keys=SharedReads(read))
    answers = await asyncio.gather(*(page.config() for _ in range(40)))
    assert {answer.status_code for answer in answers} == {200}
    assert 1 <= len(asked) <= 20

    asked.clear()
    for key in UNUSABLE:
        await page.of(key).config()
    assert asked == [UNUSABLE[0]]


async def test_a_rotated_key_lasts_as_long_as_its_overlap(front: LiveEngine, shop: Shop) -> None:
    page = await page_of(front, shop)
    new = page.of(await with_widget(front.database, shop))
    assert (await page.config()).status_code == 401

    for until, status in ((timedelta(hours=1), 200), (timedelta(seconds=-1), 401)):
        async with front.database.service() as connection:
            await connection.execute(
                sa.update(widgets)
                .where(widgets.c.client_id == shop.client_id)
                .values(previous_key=page.key, previous_key_until=utc_now() + until)
            )
        assert (await page.config()).status_code == status
        assert (await new.config()).status_code == 200


async def test_the_key_opens_nothing_else(front: LiveEngine, shop: Shop) -> None:
    page = await page_of(front, shop)
    bearer = {"authorization": f"Bearer {page.key}", **page.headers}
    for headers in (bearer, page.headers):
        for method, path in (
            ("POST", GATEWAY),
            ("GET", f"/api/billing/usage?client_id={shop.client_id}"),
            ("GET", EXPORT),
            ("GET", "/api/dashboard/settings"),
            ("POST", "/api/mcp"),
        ):
            params = {"api_key": page.key, "client_id": shop.client_id}
            body = {"client_id": shop.client_id, "message": "x"}
            answer = await front.http.request(
                method, path.partition("?")[0], params=params, headers=headers, json=body
            )
            assert answer.status_code == 401, path


@pytest.mark.parametrize(
    "origin",
    [
        "http://shop.example", "https://shop.example/", "https://SHOP.example",
        "https://shop.example:443", "https://shop.example:8443", "https://www.shop.example",
        "https://shop.example.evil.example", "https://evilshop.example",
        "https://shop.example@evil.example", "https://evil.example#https://shop.example",
        "https://shop.example, https://evil.example", "null", "", "*", "https://", None,
    ],
)  # fmt: skip
async def test_other_pages_are_refused(front: LiveEngine, shop: Shop, origin: str | None) -> None:
    page = (await page_of(front, shop)).at(origin)

    for answer in (await page.config(), await page.ask()):
        assert (answer.status_code, answer.json()["code"]) == (403, "origin_not_allowed")
        assert answer.headers["access-control-allow-origin"] == "*"


async def test_which_pages_may_call(front: LiveEngine, shop: Shop) -> None:
    """From each allowed site, with one Origin; from none if the client allows none."""
    page = await page_of(front, shop, allowed_origins=(ORIGIN, "http://localhost:8000"))
    assert (await page.config()).status_code == 200
    assert (await page.at("http://localhost:8000").config()).status_code == 200
    twice = [("origin", ORIGIN), ("origin", ORIGIN)]
    doubled = await front.http.get(CONFIG, params=page.params, headers=twice)
    assert doubled.status_code == 403

    nowhere = await page_of(front, await open_shop(front.database), allowed_origins=())
    assert (await nowhere.config()).status_code == 403
    assert (await nowhere.at("null").config()).status_code == 403


async def test_an_api_key_works_and_is_noted_once_a_day(front: LiveEngine, shop: Shop) -> None:
    page = (await page_of(front, shop)).of(shop.key)
    assert {a.status_code for a in await asyncio.gather(*(page.config() for _ in range(5)))} == {
        200
    }
    assert (await page.at(None).config()).status_code == 200, "a program has no page"
    assert (await page.at("https://evil.example").config()).status_code == 403

    noted = await rows(front.database, audit_entries, of=shop)
    assert [row["what"] for row in noted] == ["API key used in the widget"]
    (widget,) = await rows(front.database, widgets, of=shop)
    assert widget["api_key_used_at"] is not None

    async with front.database.service() as connection:
        await connection.execute(
            sa.update(widgets)
            .where(widgets.c.client_id == shop.client_id)
            .values(api_key_used_at=utc_now() - timedelta(days=1, seconds=1))
        )
    await page.config()
    assert len(await rows(front.database, audit_entries, of=shop)) == 2


async def test_an_api_key_that_may_not(front: LiveEngine, shop: Shop) -> None:
    """Without the scope for events, revoked, or if the client accepts none."""
    page = (await page_of(front, shop)).of(shop.key)
    counts = await row_counts(front.database, of=shop)

    async def key_is(**values: object) -> httpx.Response:
        async with front.database.service() as connection:
            await connection.execute(
                sa.update(api_keys).where(api_keys.c.id == shop.key_id).values(**values)
            )
        return await page.config()

    lacking = await key_is(scopes=["usage:read"])
    assert (lacking.status_code, lacking.json()["code"]) == (403, "insufficient_scope")
    assert await row_counts(front.database, of=shop) == counts
    assert (await key_is(scopes=["events:write"])).status_code == 200
    revoked = await key_is(is_active=False, revoked_at=utc_now())
    assert (revoked.status_code, revoked.json()["error"]) == (401, "Invalid API key")

    other = await open_shop(front.database)
    closed = (await page_of(front, other, accepts_api_keys=False)).of(other.key)
    refused = await closed.config()
    assert (refused.status_code, refused.json()["code"]) == (403, "api_key_not_accepted")
    assert await rows(front.database, audit_entries, of=other) == []


HEADERS = {
    "access-control-allow-origin": "*",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


async def test_what_every_answer_says(front: LiveEngine, shop: Shop) -> None:
    page = await page_of(front, shop)
    http, params = front.http, page.params
    for status, answer in (
        (200, await page.config()),
        (401, await page.of("x").config()),
        (400, await page.ask("")),
        (405, await http.get(CHAT, params=params)),
        (404, await http.get("/api/widget/nothing", params=params)),
        (415, await http.post(CHAT, params=params, headers=page.headers, content=b"x")),
        (204, await http.options(CHAT)),
    ):
        assert answer.status_code == status, answer.text
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert "set-cookie" not in answer.headers
    assert "access-control-allow-origin" not in (await http.get("/api/billing/usage")).headers


async def test_preflight(front: LiveEngine) -> None:
    asked = {
        "origin": "https://anywhere.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,idempotency-key",
    }
    for name in ("chat", "config", "messages", "seen", "email", "verify"):
        answer = await front.http.options(f"/api/widget/{name}", headers=asked)
        assert (answer.status_code, answer.content) == (204, b"")
        assert answer.headers["access-control-allow-methods"] == "GET, POST"
        allowed = answer.headers["access-control-allow-headers"].split(", ")
        assert {"content-type", "idempotency-key", "x-widget-session", "last-event-id"} == {
            *allowed
        }
        assert answer.headers["access-control-max-age"] == "86400"
