"""Client authentication at providers with different requirements, and keys without ids."""

from collections.abc import AsyncIterator, Iterator

import pytest

from adapters.connectors.http import open_client
from adapters.identity.jwks import ProviderKeys
from adapters.identity.oidc import OidcProvider, oidc_provider
from domain.identity.errors import ProviderAnswerInvalid
from domain.identity.provider import SignInAttempt
from tests.support.core.engine import settings_of
from tests.support.servers import openid_provider as oidc
from tests.support.servers.http_service import serving
from tests.support.tenants.identity import Clock, Provider, ec_key, identity_provider

ATTEMPT = SignInAttempt("state", "nonce", "verifier")


@pytest.fixture(scope="module")
def there() -> Iterator[oidc.OidcProvider]:
    with serving(oidc.OidcProvider()) as provider:
        yield provider


async def made(there: oidc.OidcProvider, **secret: str) -> AsyncIterator[OidcProvider]:
    settings = settings_of(
        "postgresql://u@h/d", "h:1",
        oidc_issuer=there.url, oidc_client_id="me & you", oidc_scopes="openid email groups",
        **secret,
    )  # fmt: skip
    async with open_client() as http:
        provider = oidc_provider(settings.identity, http, "https://service.example/back", Clock())
        assert provider is not None
        yield provider
        await provider.close()


@pytest.mark.parametrize(
    ("secret", "offered", "shown"),
    [
        ({}, ["client_secret_basic"], {"client_id": "me & you"}),
        (
            {"oidc_client_secret": "a secret"},
            ["client_secret_post"],
            {"client_id": "me & you", "client_secret": "a secret"},
        ),
        ({"oidc_client_secret": "a secret"}, ["private_key_jwt", "client_secret_basic"], {}),
    ],
)
async def test_the_client_shows_who_it_is(
    there: oidc.OidcProvider, secret: dict[str, str], offered: list[str], shown: dict[str, str]
) -> None:
    there.begin_anew()
    there.extra = {"token_endpoint_auth_methods_supported": offered}
    async for provider in made(there, **secret):
        url = await provider.sign_in_url(ATTEMPT)
        assert "client_id=me+%26+you" in url
        assert "scope=openid+email+groups" in url
        with pytest.raises(ProviderAnswerInvalid):  # the provider knows another client
            await provider.person("a code", ATTEMPT)

    asked = there.seen[-1]
    assert asked.body == {
        "grant_type": "authorization_code",
        "code": "a code",
        "code_verifier": "verifier",
        "redirect_uri": "https://service.example/back",
        **shown,
    }
    assert bool(asked.authorization) is not bool(shown)


@pytest.fixture
async def published(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Provider]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with identity_provider() as provider:
        yield provider


async def test_a_token_need_not_name_the_only_key(published: Provider) -> None:
    keys = ProviderKeys(published.url, clock=Clock())
    assert await keys.only() == "first"
    await keys.close()

    published.publish(first=ec_key(), second=ec_key())
    keys = ProviderKeys(published.url, clock=Clock())
    assert await keys.only() is None
    await keys.close()
