"""Sign-in through a third-party provider: `oidc-provider-mock`, which runs without a network."""

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
from oidc_provider_mock import User, run_server_in_thread

from adapters.identity.oidc import OidcProvider
from tests.support.core.engine import LiveEngine
from tests.support.identity.oidc import SHOP, is_in, new_sub, to_provider, verified
from tests.support.identity.sign_in import browser, csrf_in, new_address
from tests.support.tenants.identity import Clock


@pytest.fixture
def person() -> User:
    return User(sub=new_sub(), claims=verified(new_address()))


@pytest.fixture
def issuer(person: User, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
    with run_server_in_thread(user_claims=[person]) as server:
        yield f"http://localhost:{server.server_port}"


async def test_somebody_signs_in_and_out(provided: LiveEngine, person: User, issuer: str) -> None:
    resources = provided.app.state.resources
    real = OidcProvider(
        resources.provider._http,
        issuer=issuer,
        client_id="the-service",
        client_secret="any",
        scopes="openid email",
        redirect_uri="http://127.0.0.1/app/oidc/callback",
        clock=Clock(),
    )
    provided.app.state.resources = replace(resources, provider=real)
    async with browser(provided) as client, httpx.AsyncClient(trust_env=False) as outside:
        for arrives_at in (SHOP, "/app"):
            page = await to_provider(client)
            sent = await outside.post(page, data={"sub": person.sub})
            back = await client.get(sent.headers["location"])
            assert (back.status_code, back.headers.get("location")) == (303, arrives_at), back.text
            if arrives_at == SHOP:
                await client.post(SHOP, data={"brand_name": "Maison Lin"})
            home = (await client.get("/app/me")).text
            assert str(person.claims["email"]) in home
            await client.post("/app/sign-out", data={"csrf": csrf_in(home)})
            assert not await is_in(client)
        left = await client.get("/app/signed-out")
        assert f'href="{issuer}/oauth2/end_session?client_id=the-service' in left.text

        refused = await outside.post(await to_provider(client), data={"action": "deny"})
        assert (await client.get(refused.headers["location"])).status_code == 400
    await real.close()
