"""Another identity provider that is unavailable, slow or inconsistent."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from adapters.system import utc_now
from domain.identity.provider import ATTEMPT_LASTS
from tests.support.core.engine import LiveEngine
from tests.support.core.waiting import eventually
from tests.support.identity.oidc import (
    CALLBACK,
    START,
    come_back,
    is_in,
    new_sub,
    open_account,
    to_provider,
    verified,
)
from tests.support.identity.sign_in import browser, new_address
from tests.support.servers.http_service import Fault
from tests.support.servers.openid_provider import OidcProvider
from tests.support.tenants.identity import Clock


@pytest.mark.parametrize("fault", [Fault.CUT, Fault.STATUS, Fault.GARBAGE, Fault.HUGE])
async def test_a_provider_that_is_away_is_told_of(
    provided: LiveEngine, provider: OidcProvider, fault: Fault, clock: Clock
) -> None:
    """At each of the three requests to it. Afterwards sign-in works again."""
    sub, email = new_sub(), new_address()
    async with browser(provided) as client:
        provider.fail_next(fault, "/.well-known/openid-configuration")
        away = await client.get(START)
        assert (away.status_code, "is not responding" in away.text) == (503, True)
        # Concurrent requests do not query the provider again.
        assert (await client.get(START)).status_code == 503
        assert provider.asked_for("/.well-known/openid-configuration") == 1
        clock.now += 5

        provider.fail_next(fault, "/token")
        answer = await come_back(client, provider, sub, verified(email))
        assert answer.status_code == 503
        provider.fail_next(fault, "/jwks")
        assert (await come_back(client, provider, sub, verified(email))).status_code == 502
        clock.now += 5
        if fault is not Fault.HUGE:
            provider.fail_next(fault, "/userinfo")
            assert (await come_back(client, provider, sub)).status_code == 503

        await open_account(client, provider, sub, email)
        assert await is_in(client)


async def test_what_the_provider_said_of_itself_lasts_while_it_is_away(
    provided: LiveEngine, provider: OidcProvider, clock: Clock
) -> None:
    async with browser(provided) as client:
        await to_provider(client)
        clock.now += 7200
        provider.fail_next(Fault.CUT, "/.well-known/openid-configuration")
        await to_provider(client)
        assert provider.asked_for("/.well-known/openid-configuration") == 2
        provider.extra = {"authorization_endpoint": f"{provider.url}/authorize?moved=1"}
        clock.now += 5
        assert "moved=1" in await to_provider(client)


@pytest.mark.parametrize(
    "said",
    [
        {"issuer": "https://login.example"},
        {"authorization_endpoint": "http://login.example/authorize"},
        {"token_endpoint": "file:///etc/passwd"},
        {"id_token_signing_alg_values_supported": ["HS256", "none"]},
    ],
)
async def test_a_provider_that_says_what_cannot_be(
    provided: LiveEngine, provider: OidcProvider, said: dict[str, object]
) -> None:
    provider.extra = said
    async with browser(provided) as client:
        assert (await client.get(START)).status_code == 503


async def test_a_provider_that_does_not_know_us(
    provided: LiveEngine, provider: OidcProvider
) -> None:
    async with browser(provided) as client:
        provider.fail_next(Fault.STATUS, "/token", status=401)
        answer = await come_back(client, provider, new_sub(), verified(new_address()))
        assert answer.status_code == 502


async def test_who_takes_too_long_starts_again(
    provided: LiveEngine, provider: OidcProvider
) -> None:
    resources = provided.app.state.resources
    async with browser(provided) as client:
        back = provider.answer_to(await to_provider(client), new_sub())
        late = utc_now() + ATTEMPT_LASTS + timedelta(seconds=1)
        provided.app.state.resources = replace(resources, now=lambda: late)
        answer = await client.get(CALLBACK, params=back)
    assert answer.status_code == 400
    assert provider.asked_for("/token") == 0


@pytest.mark.slow
@pytest.mark.parametrize("fault", [Fault.HANG, Fault.DRIP])
@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/token"])
async def test_a_provider_that_never_ends_is_given_up(
    provided: LiveEngine, provider: OidcProvider, fault: Fault, path: str
) -> None:
    """No resource of ours is blocked: other requests are served."""
    pool = provided.app.state.resources.database.engine.pool

    async def asked() -> bool:
        return provider.asked_for(path) == 1

    async with browser(provided) as client, browser(provided) as other:
        provider.fail_next(fault, path)
        waiting = asyncio.create_task(
            client.get(START)
            if path != "/token"
            else come_back(client, provider, new_sub(), verified(new_address()))
        )
        await eventually(asked)
        assert pool.checkedout() == 0
        assert (await other.get("/app/sign-in")).status_code == 200
        assert not waiting.done()
        assert (await asyncio.wait_for(waiting, 12)).status_code == 503
