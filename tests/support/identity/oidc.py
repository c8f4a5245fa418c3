"""Sign-in with a browser at another identity provider."""

from collections.abc import Mapping

import httpx

from adapters.system import new_ulid
from tests.support.servers.openid_provider import Claims, OidcProvider

START = "/app/oidc/start"
CALLBACK = "/app/oidc/callback"
SHOP = "/app/oidc/shop"
FROM_PROVIDER = {"sec-fetch-site": "cross-site"}


def new_sub() -> str:
    return f"oidc|{new_ulid()}"


def verified(email: str) -> Claims:
    return {"email": email, "email_verified": True}


async def to_provider(client: httpx.AsyncClient, next_page: str = "/app") -> str:
    """Return the URL at which the browser signs in."""
    answer = await client.get(START, params={"next": next_page})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


async def come_back(
    client: httpx.AsyncClient,
    provider: OidcProvider,
    sub: str,
    claims: Claims | None = None,
    *,
    next_page: str = "/app",
    brings: Mapping[str, str] | None = None,
) -> httpx.Response:
    """Return the response after the user has signed in at the provider. `brings`: parameters that
    replace or extend the provider's."""
    back = provider.answer_to(await to_provider(client, next_page), sub, claims)
    return await client.get(CALLBACK, params={**back, **(brings or {})}, headers=FROM_PROVIDER)


async def open_account(
    client: httpx.AsyncClient, provider: OidcProvider, sub: str, email: str
) -> None:
    answer = await come_back(client, provider, sub, verified(email))
    assert (answer.status_code, answer.headers.get("location")) == (303, SHOP), answer.text
    answer = await client.post(SHOP, data={"brand_name": "Maison Lin"})
    assert (answer.status_code, answer.headers.get("location")) == (303, "/app"), answer.text


async def is_in(client: httpx.AsyncClient) -> bool:
    return (await client.get("/app")).status_code == 200
