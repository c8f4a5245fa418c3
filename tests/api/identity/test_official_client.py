"""The official MCP client connects: discovery, registration, authorization and refresh.

The MCP server behind it is a stub that only knows keys; the user is a browser with a session.
"""

import dataclasses
from collections.abc import Iterator

import httpx2
import pytest
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from adapters.identity.client_documents import HttpClientDocuments
from adapters.system import utc_now
from store.tenants.tables import api_keys
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.identity.consent import Browser, browser_of, form_of, sent_back, works
from tests.support.servers.webhook_receiver import WebhookReceiver, webhook_receiver
from tests.support.tenants.shop import Shop

ORIGIN = "http://127.0.0.1:8080"
SERVER = f"{ORIGIN}/api/mcp"
CALLBACK = "http://localhost:3030/callback"


class Storage:
    """What the client stores when it ends."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Person:
    """A user who consents in a browser to whatever the client requests."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.consents = 0
        self._told: dict[str, str] = {}

    async def open(self, url: str) -> None:
        self.consents += 1
        here = url.removeprefix(ORIGIN)
        page = await self._browser.open(here)
        assert page.status_code == 200, page.text
        self._told = sent_back(await self._browser.send(here, form_of(page)))

    async def answer(self) -> AuthorizationCodeResult:
        told = self._told
        return AuthorizationCodeResult(code=told["code"], state=told["state"], iss=told["iss"])


def guarded(front: LiveEngine, shop: Shop, asked: list[str]) -> ASGIApp:
    """Our API with an MCP resource that requires a key. `asked`: the recorded requests."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        asked.append(f"{scope['method']} {scope['path']}")
        if scope["path"] != "/api/mcp":
            await front.app(scope, receive, send)
            return
        key = Request(scope).headers.get("authorization", "").removeprefix("Bearer ")
        let_in = key.startswith("mcp_") and await works(front, key, shop.client_id)
        challenge = (
            'Bearer error="invalid_token", resource_metadata='
            f'"{ORIGIN}/.well-known/oauth-protected-resource/api/mcp"'
        )
        answer = Response("in") if let_in else Response("", 401, {"www-authenticate": challenge})
        await answer(scope, receive, send)

    return app


@pytest.fixture
async def person(front: LiveEngine, shop: Shop) -> Person:
    return Person(await browser_of(front, shop.owner_user_id))


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def site() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as found:
        yield found


@pytest.fixture
async def api(front: LiveEngine, shop: Shop, asked: list[str]) -> httpx2.ASGITransport:
    return httpx2.ASGITransport(guarded(front, shop, asked))


async def call(
    api: httpx2.ASGITransport, person: Person, storage: Storage, document: str | None = None
) -> str:
    """Send one request as a client that has just started."""
    provider = OAuthClientProvider(
        server_url=SERVER,
        client_metadata=OAuthClientMetadata(
            client_name="Official client", redirect_uris=[AnyUrl(CALLBACK)]
        ),
        storage=storage,
        redirect_handler=person.open,
        callback_handler=person.answer,
        client_metadata_url=document,
    )
    async with httpx2.AsyncClient(transport=api, auth=provider) as http:
        answer = await http.post(SERVER, headers={"mcp-protocol-version": "2026-07-28"})
        assert answer.status_code == 200, answer.text
        return answer.text


async def test_it_lets_itself_in(
    front: LiveEngine, shop: Shop, api: httpx2.ASGITransport, person: Person, asked: list[str]
) -> None:
    storage = Storage()
    assert await call(api, person, storage) == "in"

    assert asked == [
        "POST /api/mcp",
        "GET /.well-known/oauth-protected-resource/api/mcp",
        "GET /.well-known/oauth-authorization-server",
        "POST /api/mcp/register",
        "POST /api/mcp/token",
        "POST /api/mcp",
    ]
    assert storage.tokens is not None
    assert storage.tokens.expires_in is None
    assert storage.tokens.refresh_token == storage.tokens.access_token
    [key] = await rows(front.database, api_keys, client_id=shop.client_id, label="Official client")
    assert key["prefix"] == storage.tokens.access_token[:8]


async def test_it_comes_back_without_a_word(
    api: httpx2.ASGITransport, person: Person, asked: list[str]
) -> None:
    storage = Storage()
    await call(api, person, storage)
    asked.clear()
    assert await call(api, person, storage) == "in"
    assert (asked, person.consents) == (["POST /api/mcp"], 1)


async def test_after_a_revocation_it_asks_again(
    front: LiveEngine, api: httpx2.ASGITransport, person: Person, asked: list[str]
) -> None:
    storage = Storage()
    await call(api, person, storage)
    assert storage.tokens is not None
    before = storage.tokens.access_token
    assert (await front.http.post("/api/mcp/revoke", data={"token": before})).status_code == 200
    asked.clear()

    assert await call(api, person, storage) == "in"

    assert "POST /api/mcp/register" not in asked
    assert (person.consents, storage.tokens.access_token != before) == (2, True)


async def test_it_refreshes_where_clients_look_by_default(
    api: httpx2.ASGITransport, person: Person, asked: list[str]
) -> None:
    """A client that treats its tokens as expired, and has lost our metadata in a restart."""
    storage = Storage()
    await call(api, person, storage)
    assert storage.tokens is not None
    key = storage.tokens.access_token
    storage.tokens = storage.tokens.model_copy(update={"expires_in": -3600})
    asked.clear()

    provider = OAuthClientProvider(
        server_url=SERVER,
        client_metadata=OAuthClientMetadata(redirect_uris=[AnyUrl(CALLBACK)]),
        storage=storage,
    )
    await provider._initialize()
    provider.context.token_expiry_time = 1
    async with httpx2.AsyncClient(transport=api, auth=provider) as http:
        assert (await http.post(SERVER)).text == "in"

    assert asked == ["POST /token", "POST /api/mcp"]
    assert (storage.tokens.access_token, person.consents) == (key, 1)


async def test_it_comes_with_a_document(
    front: LiveEngine,
    shop: Shop,
    api: httpx2.ASGITransport,
    person: Person,
    asked: list[str],
    site: WebhookReceiver,
) -> None:
    resources = front.app.state.resources
    documents = HttpClientDocuments(utc_now, allow_private=True, ca_file=site.ca_file)
    front.app.state.resources = dataclasses.replace(resources, client_documents=documents)
    site.answer(
        200,
        f'{{"client_id": "{site.url}", "client_name": "By document",'
        f' "redirect_uris": ["{CALLBACK}"]}}'.encode(),
    )

    assert await call(api, person, Storage(), site.url) == "in"

    assert "POST /api/mcp/register" not in asked
    assert await rows(front.database, api_keys, client_id=shop.client_id, label="By document")
