"""POST /api/mcp/register: open to anyone, with limited storage."""

import dataclasses
from datetime import timedelta

import httpx
import pytest

from domain.intake.rate_limit import LimitScope, limits
from store.identity.tables import oauth_clients
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.identity.consent import APP, REGISTER, error_of

QUOTA = limits(dry_runs=1)[LimitScope.REGISTRATION].quota


async def test_a_client_is_registered(front: LiveEngine) -> None:
    answer = await front.http.post(
        REGISTER,
        json={
            "redirect_uris": ["http://localhost:1234/cb", APP],
            "client_name": "  Clau\u202ede\n",
            "token_endpoint_auth_method": "client_secret_post",
            "grant_types": ["authorization_code"],
            "scope": "usage:read",
            "software_id": "x",
        },
    )
    assert answer.status_code == 201
    told = answer.json()
    assert told["client_name"] == "Claude"
    assert told["redirect_uris"] == ["http://localhost:1234/cb", APP]
    assert told["token_endpoint_auth_method"] == "none"
    assert told["grant_types"] == ["authorization_code", "refresh_token"]
    assert "client_secret" not in told
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["access-control-allow-origin"] == "*"
    [row] = await rows(front.database, oauth_clients, id=told["client_id"])
    assert (row["name"], row["network"], row["used_at"]) == ("Claude", "127.0.0.0/24", None)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b'{"redirect_uris": ["http://evil.example/cb"]}', "invalid_redirect_uri"),
        (b'{"redirect_uris": ["https://app.example/cb#x"]}', "invalid_redirect_uri"),
        (b"{}", "invalid_redirect_uri"),
        (b"[]", "invalid_client_metadata"),
        (b"{", "invalid_client_metadata"),
        (b'{"redirect_uris": ["a.b:/"], "client_name": "\\ud800"}', "invalid_client_metadata"),
        (b'{"redirect_uris": ["a.b:/"], "client_name": 1}', "invalid_client_metadata"),
        (b'{"redirect_uris": ["a.b:/"], "redirect_uris": []}', "invalid_client_metadata"),
        (b'{"x": "' + b"a" * 20_000 + b'"}', "invalid_client_metadata"),
    ],
)
async def test_refused(front: LiveEngine, content: bytes, error: str) -> None:
    headers = {"content-type": "application/json"}
    answer = await front.http.post(REGISTER, content=content, headers=headers)
    assert (answer.status_code, error_of(answer)) == (400, error)
    assert answer.headers["cache-control"] == "no-store"


async def test_a_body_that_is_far_too_large(front: LiveEngine) -> None:
    headers = {"content-type": "application/json"}
    answer = await front.http.post(REGISTER, content=b"x" * 2**21, headers=headers)
    assert answer.status_code == 413


async def test_a_large_form_is_refused_before_it_is_parsed(front: LiveEngine) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = await front.http.post(REGISTER, content=b"%" * 17_000, headers=headers)
    assert answer.status_code == 413


async def test_a_flood_from_one_address_ends(front: LiveEngine) -> None:
    async def tried() -> httpx.Response:
        return await front.http.post(REGISTER, json={"redirect_uris": [APP]})

    answers = [await tried() for _ in range(QUOTA + 1)]
    assert [answer.status_code for answer in answers] == [201] * QUOTA + [429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert error_of(answers[-1]) == "temporarily_unavailable"


async def test_what_nobody_used_for_a_day_is_removed(front: LiveEngine) -> None:
    first = (await front.http.post(REGISTER, json={"redirect_uris": [APP]})).json()["client_id"]
    resources = front.app.state.resources
    front.app.state.resources = dataclasses.replace(
        resources,
        work=type(resources.work)(
            resources.database,
            resources.engine,
            lambda: resources.now() + timedelta(hours=24, minutes=1),
            resources.new_id,
        ),
    )
    await front.http.post(REGISTER, json={"redirect_uris": [APP]})
    assert await rows(front.database, oauth_clients, id=first) == []
