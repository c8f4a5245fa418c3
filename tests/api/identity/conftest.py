"""The service with sign-in through another identity provider."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest

from adapters.identity.oidc import oidc_provider
from tests.support.core.engine import LiveEngine, as_if_new, live_engine
from tests.support.core.temporal import TemporalServer
from tests.support.identity.oidc import new_sub, open_account
from tests.support.identity.sign_in import browser, new_address
from tests.support.servers.http_service import serving
from tests.support.servers.openid_provider import CLIENT_ID, CLIENT_SECRET, OidcProvider
from tests.support.tenants.identity import Clock

ORIGIN = "http://127.0.0.1"


@pytest.fixture(scope="session")
def shared_provider() -> Iterator[OidcProvider]:
    with serving(OidcProvider()) as provider:
        yield provider


@pytest.fixture(scope="session")
async def shared_provided(
    shared_database_url: str, shared_temporal: TemporalServer, shared_provider: OidcProvider
) -> AsyncIterator[LiveEngine]:
    async with live_engine(
        shared_database_url,
        shared_temporal.address,
        "default",
        oidc_issuer=shared_provider.url,
        oidc_client_id=CLIENT_ID,
        oidc_client_secret=CLIENT_SECRET,
        public_url=ORIGIN,
    ) as engine:
        yield engine


@pytest.fixture
def provider(shared_provider: OidcProvider) -> OidcProvider:
    shared_provider.begin_anew()
    return shared_provider


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def provided(
    shared_provided: LiveEngine,
    provider: OidcProvider,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[LiveEngine]:
    """The service, which has not contacted the provider yet."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with as_if_new(shared_provided) as engine:
        resources = engine.app.state.resources
        known = oidc_provider(
            engine.settings.identity,
            resources.provider._http,
            f"{ORIGIN}/app/oidc/callback",
            clock,
        )
        assert known is not None
        engine.app.state.resources = replace(resources, provider=known)
        yield engine
        await known.close()


@pytest.fixture
async def sub(provided: LiveEngine, provider: OidcProvider) -> str:
    """Return the subject of a user with an account."""
    sub = new_sub()
    async with browser(provided) as client:
        await open_account(client, provider, sub, new_address())
    provider.seen.clear()
    return sub
