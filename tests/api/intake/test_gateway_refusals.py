"""POST /api/engine/gateway, every rejection: exact status and text, nothing stored."""

from collections.abc import AsyncIterator

import httpx
import pytest

from adapters.system import new_ulid, utc_now
from store.tenants.keys import KeyRepository
from tests.support.core.engine import ENGINE_SECRET, GATEWAY, LiveEngine
from tests.support.core.rows import row_counts
from tests.support.tenants.shop import Shop, open_shop

NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"  # an unknown client's id

UNKNOWN_KEY = "ak_" + "0" * 32


@pytest.fixture
async def engine(front: LiveEngine) -> LiveEngine:
    """No rejection needs a worker."""
    return front


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": f"Bearer {UNKNOWN_KEY}"},
        {"authorization": "Bearer ak_short"},
        {"authorization": f"Bearer {UNKNOWN_KEY.upper()}"},
        {"authorization": "Bearer " + "a" * 10_000},
        {"authorization": "Basic YWs6"},
        {"authorization": "Bearer  "},
        {"x-engine-secret": ""},
        {"x-engine-secret": "wrong"},
        {"x-internal-secret": "wrong"},
        {"authorization": f"Bearer {ENGINE_SECRET}"},
    ],
)
async def test_unknown_caller(engine: LiveEngine, headers: dict[str, str]) -> None:
    answer = await engine.http.post(GATEWAY, content=b"not even json", headers=headers)

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    body = answer.json()
    assert body["error"] == "Non autorise."
    assert body["code"] == "unauthenticated"
    assert body["request_id"] == answer.headers["x-request-id"]


async def test_key_in_the_query_is_no_key(engine: LiveEngine, shop: Shop) -> None:
    answer = await engine.http.post(f"{GATEWAY}?api_key={shop.key}", json={})

    assert answer.status_code == 401


async def test_two_authorization_headers(engine: LiveEngine, shop: Shop) -> None:
    headers = [("authorization", f"Bearer {shop.key}")] * 2

    answer = await engine.http.post(GATEWAY, json={}, headers=headers)

    assert answer.status_code == 401


async def test_revoked_key_stops_at_once(engine: LiveEngine, shop: Shop) -> None:
    async with engine.database.service() as connection:
        await KeyRepository(connection).revoke(shop.key_id, utc_now())

    assert (await engine.post(shop, message="x")).status_code == 401


async def test_key_revoked_while_the_body_came(engine: LiveEngine, shop: Shop) -> None:
    """A key revoked between authentication and admission is not admitted."""

    async def slow_body() -> AsyncIterator[bytes]:
        yield b'{"client_id": "'
        async with engine.database.service() as connection:
            await KeyRepository(connection).revoke(shop.key_id, utc_now())
        yield f'{shop.client_id}"}}'.encode()

    headers = {**shop.headers, "content-type": "application/json"}
    answer = await engine.http.post(GATEWAY, content=slow_body(), headers=headers)

    assert answer.status_code == 401
    assert (await row_counts(engine.database, of=shop))["engine_events"] == 0


async def test_wrong_secret_falls_through_to_the_key(engine: LiveEngine, shop: Shop) -> None:
    headers = {"x-engine-secret": "wrong", **shop.headers}

    answer = await engine.http.post(GATEWAY, json={}, headers=headers)

    assert answer.status_code == 400


@pytest.mark.parametrize("client_id", [None, "", "  ", 5, {}, [], True])
async def test_client_id_missing(engine: LiveEngine, shop: Shop, client_id: object) -> None:
    answer = await engine.http.post(
        GATEWAY, json={"client_id": client_id, "message": "x"}, headers=shop.headers
    )

    assert (answer.status_code, answer.json()["error"]) == (400, "client_id requis")


async def test_another_client_looks_like_none(engine: LiveEngine, shop: Shop) -> None:
    """A key's holder cannot distinguish an existing client from a missing one."""
    other = await open_shop(engine.database)

    bodies = []
    for client_id in (other.client_id, new_ulid(), "not-a-ulid"):
        answer = await engine.http.post(
            GATEWAY, json={"client_id": client_id}, headers=shop.headers
        )
        assert answer.status_code == 403
        body = answer.json()
        body.pop("request_id")
        bodies.append(body)
    assert bodies == [{"error": "Acces refuse.", "code": "access_denied"}] * 3


@pytest.mark.parametrize("client_id", [NOBODY, "not-a-ulid", "8" * 26])
async def test_unknown_client_for_an_internal_worker(engine: LiveEngine, client_id: str) -> None:
    answer = await engine.http.post(
        GATEWAY, json={"client_id": client_id}, headers={"x-engine-secret": ENGINE_SECRET}
    )

    assert (answer.status_code, answer.json()["error"]) == (404, "Client non trouve")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"x"',
        b"{",
        b'{"a": NaN}',
        b'{"a": 1e999}',
        b'{"a": Infinity}',
        b'{"a": "\\ud800"}',
        b'{"a": "\\u0000"}',
        b'{"\\u0000": 1}',
        b'{"a": "\xff"}',
        '{"a": 1}'.encode("utf-16"),
        b'\xef\xbb\xbf{"a": 1}',
        b'{"a": 1, "a": 2}',
        b'{"a": {"b": 1, "b": 1}}',
        b'{"a": 9223372036854775808}',
        b'{"a": ' + b"9" * 5000 + b"}",
        b'{"a": ' + b"[" * 32 + b"]" * 32 + b"}",
        b"[" * 100_000,
    ],
)
async def test_body_that_is_no_object(engine: LiveEngine, shop: Shop, body: bytes) -> None:
    answer = await engine.http.post(
        GATEWAY, content=body, headers={**shop.headers, "content-type": "application/json"}
    )

    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid_body"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("is_test", "true"),
        ("is_test", 1),
        ("is_test", None),
        ("event_type", 5),
        ("event_type", "x" * 201),
        ("source", ["a"]),
        ("source", "x" * 201),
        ("message", {"a": 1}),
        ("message", "x" * 100_001),
        ("customer_email", "x" * 321),
        ("customer_email", "a@b.example\r\nBcc: c@d.example"),
        ("html_body", "x" * 500_001),
    ],
)
async def test_field_of_the_wrong_kind(
    engine: LiveEngine, shop: Shop, field: str, value: object
) -> None:
    answer = await engine.post(shop, **{field: value})

    assert answer.status_code == 400
    assert field in answer.json()["error"]


# U+061C, and the marks, embeddings, overrides and isolates: the Unicode property Bidi_Control.
BIDI_CONTROLS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize("control", BIDI_CONTROLS, ids=ascii)
async def test_address_that_reorders_what_is_read(
    engine: LiveEngine, shop: Shop, control: str
) -> None:
    answer = await engine.post(shop, customer_email=f"a{control}b@shop.example")

    assert answer.status_code == 400
    assert "customer_email" in answer.json()["error"]


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "text/plain"},
        {"content-type": ""},
        {"content-type": "application/json; charset=latin-1"},
        {"content-type": "application/json; charset=utf-8; charset=latin-1"},
        {"content-type": "application/json; profile=x"},
        {"content-type": "application/json, application/json"},
        {"content-type": "application/json", "content-encoding": "gzip"},
        [("content-type", "application/json")] * 2,
        [("content-type", "application/json"), ("content-type", "text/plain")],
        [("content-type", "application/json"), *[("content-encoding", "identity")] * 2],
        [
            ("content-type", "application/json"),
            ("content-encoding", "identity"),
            ("content-encoding", "gzip"),
        ],
    ],
)
async def test_other_media_types(
    engine: LiveEngine, shop: Shop, headers: dict[str, str] | list[tuple[str, str]]
) -> None:
    given = httpx.Headers(headers)
    answer = await engine.http.post(
        GATEWAY, content=b"{}", headers=[*given.multi_items(), *shop.headers.items()]
    )

    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "application/json; charset=utf-8;"},
        {"content-type": "application/json;"},
        {"content-type": "application/json ; ; charset=utf-8"},
        {"content-type": 'Application/JSON;charset="UTF-8"'},
        {"content-type": "application/json", "content-encoding": "Identity"},
    ],
)
async def test_json_by_other_words(engine: LiveEngine, shop: Shop, headers: dict[str, str]) -> None:
    """The body is parsed, and rejected for its missing fields."""
    answer = await engine.http.post(GATEWAY, content=b"{}", headers={**shop.headers, **headers})

    assert (answer.status_code, answer.json()["code"]) == (400, "client_id_missing")


async def test_body_over_one_mebibyte(engine: LiveEngine, shop: Shop) -> None:
    answer = await engine.post(shop, extra="x" * 1024 * 1024)

    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])
async def test_other_methods(engine: LiveEngine, method: str) -> None:
    answer = await engine.http.request(method, GATEWAY)

    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"
    if method != "HEAD":
        assert answer.json()["error"] == "Méthode non autorisée"


@pytest.mark.parametrize("path", ["/", "/api", f"{GATEWAY}/", "/api/engine/Gateway"])
async def test_unknown_paths(engine: LiveEngine, path: str) -> None:
    answer = await engine.http.post(path, json={})

    assert (answer.status_code, answer.json()["code"]) == (404, "route_not_found")


async def test_refusals_keep_nothing(engine: LiveEngine, shop: Shop) -> None:
    before = await row_counts(engine.database, of=shop)

    for body in ({"message": 5}, {"is_test": "no"}, {"event_type": "x" * 300}):
        assert (await engine.post(shop, **body)).status_code == 400
    await engine.http.post(
        GATEWAY, json={"client_id": new_ulid()}, headers={"x-engine-secret": ENGINE_SECRET}
    )

    assert await row_counts(engine.database, of=shop) == before
