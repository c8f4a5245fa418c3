"""The official MCP client with the running stack, from a new account to a new sign-in."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp.client.auth import OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl

from api.mcp.catalogue import TOOLS
from embedded.kept_mails import mails_in
from embedded.ports import free_port
from tests.support.core.command_line import dev_stack, ready_url
from tests.support.core.mail_parts import plain_text
from tests.support.core.waiting import eventually
from tests.support.identity.consent import form_of, sent_back
from tests.support.identity.sign_in import SAME_ORIGIN

CALLBACK = "http://localhost:3030/callback"
EMAIL = "marie@maison-lin.example"


class KeptTokens:
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

    @property
    def key(self) -> str:
        assert self.tokens is not None
        return self.tokens.access_token


class Merchant:
    """A user with a browser, who consents to what the client requests."""

    def __init__(self, http: httpx.AsyncClient, mails: Path) -> None:
        self.http = http
        self.consents = 0
        self._mails = mails
        self._told: dict[str, str] = {}

    async def sign_up(self) -> None:
        form = {"email": EMAIL, "brand_name": "Maison Lin", "next": "/app"}
        asked = await self.http.post("/app/sign-up", data=form)
        assert asked.status_code == 200, asked.text
        given = {"email": EMAIL, "code": await eventually(self._code), "next": "/app"}
        done = await self.http.post("/app/verify", data=given)
        assert done.status_code == 303, done.text

    async def _code(self) -> str | None:
        for kept in mails_in(self._mails):
            mail = message_from_bytes(kept.read_bytes(), policy=policy.default)
            found = re.search(r"\b[0-9]{6}\b", plain_text(mail))
            if found and str(mail["To"]) == EMAIL:
                return found.group()
        return None

    async def open(self, url: str) -> None:
        self.consents += 1
        page = await self.http.get(url)
        assert page.status_code == 200, page.text
        assert "Official client" in page.text
        self._told = sent_back(await self.http.post(url, data=form_of(page)))

    async def answer(self) -> AuthorizationCodeResult:
        told = self._told
        return AuthorizationCodeResult(code=told["code"], state=told["state"], iss=told["iss"])


@asynccontextmanager
async def started(
    url: str, merchant: Merchant, storage: KeptTokens, *, stale: bool = False
) -> AsyncIterator[Client]:
    """A client that has just started. `stale`: it treats its tokens as expired."""
    provider = OAuthClientProvider(
        server_url=f"{url}/api/mcp",
        client_metadata=OAuthClientMetadata(
            client_name="Official client", redirect_uris=[AnyUrl(CALLBACK)]
        ),
        storage=storage,
        redirect_handler=merchant.open,
        callback_handler=merchant.answer,
    )
    if stale:
        await provider._initialize()
        provider.context.token_expiry_time = 1
    async with (
        httpx2.AsyncClient(auth=provider, timeout=60, trust_env=False) as http,
        Client(streamable_http_client(f"{url}/api/mcp", http_client=http)) as client,
    ):
        yield client


async def _told(client: Client, name: str, /, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, (name, result.content)
    told: dict[str, Any] = result.structured_content
    return told


async def _call_every_tool(client: Client) -> None:
    listed = {tool.name for tool in (await client.list_tools()).tools}
    message = "Bonjour, est-ce que vous pourriez me rappeler pour en discuter ?"
    event = {"message": message, "event_type": "shopify.ticket.created"}
    pushed = await _told(client, "push_event", **event, customer_email="a@b.example")
    found = await _told(client, "search_conversations", words="rappeler")
    conversation_id = found["conversations"][0]["conversation_id"]
    suggested = {"body": "Trente jours.", "language": "fr", "reason": "asked twice"}
    given: dict[str, dict[str, Any]] = {
        "get_conversation": {"conversation_id": conversation_id},
        "get_run": {"run_id": pushed["run_id"]},
        "list_reviews": {},
        "draft_reply": {"conversation_id": conversation_id},
        "simulate_message": event,
        "search_knowledge": {"query": "retours"},
        "suggest_knowledge_entry": {"title": "Retours", **suggested},
        "suggest_template": {"name": "Retours", "category": "other", **suggested},
        "list_templates": {},
        "list_playbooks": {},
        "get_usage": {},
        "get_metrics": {},
        "list_webhook_deliveries": {},
    }
    for name, arguments in given.items():
        await _told(client, name, **arguments)
    assert {"push_event", "search_conversations", *given} == listed == set(TOOLS)


async def _logs_in_works_and_comes_back(url: str, mails: Path) -> None:
    browser = httpx.AsyncClient(
        base_url=url, headers={**SAME_ORIGIN, "accept-language": "en"}, trust_env=False, timeout=40
    )
    async with browser:
        merchant, storage = Merchant(browser, mails), KeptTokens()
        await merchant.sign_up()
        async with started(url, merchant, storage) as client:
            await _call_every_tool(client)
        first = storage.key

        async with started(url, merchant, storage, stale=True) as client:
            await _told(client, "get_usage")
        assert (storage.key, merchant.consents) == (first, 1)

        gone = await browser.post("/api/mcp/revoke", data={"token": first})
        assert gone.status_code == 200
        async with started(url, merchant, storage) as client:
            await _told(client, "get_usage")
        assert storage.key != first
        assert merchant.consents == 2


@pytest.mark.slow
def test_an_mcp_client_lets_itself_into_the_running_stack(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with dev_stack(data, "--no-tour", "--port", str(free_port())) as process:
        asyncio.run(_logs_in_works_and_comes_back(ready_url(process), data / "mail"))
