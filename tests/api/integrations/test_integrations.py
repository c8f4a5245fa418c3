"""/api/dashboard/integrations: credentials are never returned."""

import asyncio
import dataclasses
from typing import Any

import httpx
import orjson
import pytest
import structlog

from adapters.connectors.http import open_client
from adapters.connectors.registry import ConnectorRegistry
from domain.core.ports import Sealer
from domain.integrations.integration import Integration
from domain.integrations.ports import Shop as ConnectedShop
from store.integrations.integrations import IntegrationRepository
from store.integrations.tables import integrations
from store.webhooks.tables import webhook_deliveries
from tests.support.content.content import INTEGRATIONS, SHOPIFY, TOKEN
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.reviews.dashboard import code
from tests.support.servers import shopify
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhook_dashboard import is_started
from tests.support.webhooks.webhooks import subscribe

WRONG_PLACE = {"provider": "shopify", "settings": {"access_token": TOKEN}, "credentials": {}}


async def connect(front: LiveEngine, headers: dict[str, str], **body: object) -> dict[str, Any]:
    answer = await front.http.post(INTEGRATIONS, json={**SHOPIFY, **body}, headers=headers)
    assert answer.status_code == 201, answer.text
    assert TOKEN not in answer.text
    made: dict[str, Any] = answer.json()
    return made


async def test_connect_list_disconnect(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    with structlog.testing.capture_logs() as lines:
        made = await connect(front, owner)
        listed = await front.http.get(INTEGRATIONS, headers=owner)
    assert made.keys() == {
        "id", "provider", "status", "settings", "error_code", "connected_at", "disconnected_at",
        "problem",
    }  # fmt: skip
    assert made.pop("problem") == "action_unreachable"
    assert (made["status"], made["settings"]) == ("connected", {"shop": "acme.myshopify.com"})
    assert listed.json() == {"integrations": [made], "next_cursor": None}
    assert TOKEN not in listed.text + str(lines)
    assert "integration connected" in {line["event"] for line in lines}
    sealer = front.app.state.resources.sealer
    async with front.database.tenant(shop.tenant) as connection:
        (live,) = await IntegrationRepository(connection, shop.tenant).connected()
    assert orjson.loads(sealer.unseal(live.sealed)) == {"access_token": TOKEN}

    one = f"{INTEGRATIONS}/{made['id']}"
    for _ in range(2):
        assert (await front.http.delete(one, headers=owner)).status_code == 204
    row = await only_row(front.database, integrations, of=shop)
    assert (row["status"], row["sealed"]) == ("disconnected", "")


@pytest.mark.parametrize(("token", "problem"), [(shopify.TOKEN, None), (TOKEN, "not_authorized")])
async def test_connecting_says_what_the_agent_would_meet(
    front: LiveEngine, shop: Shop, owner: dict[str, str], token: str, problem: str | None
) -> None:
    """A later test returns the same. The connection does not change in either case."""
    resources = front.app.state.resources
    async with open_client() as outside:
        with shopify.shopify_server() as server:
            front.app.state.resources = dataclasses.replace(
                resources, connectors=_At(server.url, resources.sealer, outside)
            )
            made = await connect(front, owner, credentials={"access_token": token})
            one = f"{INTEGRATIONS}/{made['id']}"
            tried = await front.http.post(f"{one}/test", headers=owner)
            await front.http.delete(one, headers=owner)
            ended = await front.http.post(f"{one}/test", headers=owner)
    assert (made["status"], made["problem"]) == ("connected", problem)
    assert (tried.status_code, tried.json()) == (200, {"problem": problem})
    assert token not in tried.text
    assert code(ended) == (404, "integration_not_found")


class _At(ConnectorRegistry):
    """Connectors that call one server, whatever the connection's address: a merchant cannot name an
    address on this machine."""

    def __init__(self, url: str, sealer: Sealer, http: httpx.AsyncClient) -> None:
        super().__init__(sealer, http, allow_loopback=True)
        self._url = url

    def shop(self, integration: Integration) -> ConnectedShop:
        settings = {**integration.settings, "base_url": self._url}
        return super().shop(integration.model_copy(update={"settings": settings}))


async def test_connecting_anew_ends_the_one_before(
    front: LiveEngine, owner: dict[str, str]
) -> None:
    first = await connect(front, owner)
    second = await connect(front, owner, settings={"shop": "other.myshopify.com"})
    listed = (await front.http.get(INTEGRATIONS, headers=owner)).json()["integrations"]
    assert [(one["id"], one["status"]) for one in listed] == [
        (first["id"], "disconnected"),
        (second["id"], "connected"),
    ]


async def test_many_at_once_leave_one(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    await asyncio.gather(*(connect(front, owner) for _ in range(5)))
    states = [row["status"] for row in await rows(front.database, integrations, of=shop)]
    assert sorted(states) == ["connected", *["disconnected"] * 4]


async def test_merchants_systems_are_told(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """Sent at once if Temporal is available."""
    await subscribe(front.database, shop, sealer=front.app.state.resources.sealer)
    made = await connect(front, owner)
    await front.http.delete(f"{INTEGRATIONS}/{made['id']}", headers=owner)
    told = await rows(front.database, webhook_deliveries, of=shop)
    assert len(told) == 2
    for delivery in told:
        assert await is_started(front, shop, delivery["id"])


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"provider": "demo_shop", "settings": {"path": "/etc/passwd"}, "credentials": {}},
         "provider"),
        ({**SHOPIFY, "settings": {}}, "settings.shop"),
        ({**SHOPIFY, "settings": {"shop": f"{TOKEN}.example.com"}}, "settings.shop"),
        ({**SHOPIFY, "settings": {**SHOPIFY["settings"], "base_url": "http://127.0.0.1:8081"}},
         "settings"),
        (WRONG_PLACE, "settings.access_token"),
        ({"provider": "zendesk", "credentials": {},
          "settings": {"subdomain": "acme", "email": "a@acme.example"}}, "credentials"),
        ({**SHOPIFY, "credentials": {TOKEN: "x"}}, "credentials"),
        ({**SHOPIFY, "credentials": {"access_token": f"{TOKEN} x"}}, "credentials.access_token"),
        ({**SHOPIFY, "credentials": {"access_token": ""}}, "credentials.access_token"),
    ],
)  # fmt: skip
async def test_what_breaks_a_rule_is_named_and_not_repeated(
    front: LiveEngine, shop: Shop, owner: dict[str, str], wrong: dict[str, Any], named: str
) -> None:
    with structlog.testing.capture_logs() as lines:
        answer = await front.http.post(INTEGRATIONS, json=wrong, headers=owner)
    assert code(answer) == (400, "invalid_integration")
    assert f"« {named} »" in answer.json()["error"]
    assert TOKEN not in answer.text + str(lines)
    assert await rows(front.database, integrations, of=shop) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {**SHOPIFY, "credentials": {"access_token": [TOKEN]}},
        {**SHOPIFY, "credentials": TOKEN},
        {**SHOPIFY, "provider": TOKEN},
        {**SHOPIFY, TOKEN: 1},
    ],
)
async def test_what_has_another_shape_is_not_repeated_either(
    front: LiveEngine, owner: dict[str, str], wrong: dict[str, Any]
) -> None:
    with structlog.testing.capture_logs() as lines:
        answer = await front.http.post(INTEGRATIONS, json=wrong, headers=owner)
    assert code(answer) == (400, "invalid_body")
    assert TOKEN not in answer.text + str(lines)


def test_the_document_says_that_credentials_only_go_in(front: LiveEngine) -> None:
    schema = front.app.openapi()["components"]["schemas"]["ConnectBody"]
    assert schema["properties"]["credentials"]["additionalProperties"]["writeOnly"] is True
