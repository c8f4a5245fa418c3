"""The protocol over HTTP: both revisions, with the official client and by hand."""

import asyncio

import httpx
import pytest
from mcp.shared.exceptions import MCPError

from api.mcp.catalogue import TOOLS
from store.core.tables import error_reports
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually
from tests.support.tenants.mcp_client import (
    AT,
    BEFORE,
    CURRENT,
    MCP,
    REVISIONS,
    call,
    connected,
    message,
    revoke,
)
from tests.support.tenants.shop import Shop, open_shop

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}


@pytest.mark.parametrize("revision", REVISIONS)
async def test_the_official_client_finds_everything(
    front: LiveEngine, shop: Shop, revision: str
) -> None:
    async with connected(front, shop.key, revision) as client:
        tools = (await client.list_tools()).tools
        resources = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        prompts = (await client.list_prompts()).prompts
        usage = await client.call_tool("get_usage", {})

        assert client.protocol_version == revision
    assert [tool.name for tool in tools] == list(TOOLS)
    assert [one.uri for one in resources] == ["webhook-events://all"]
    assert [one.uri_template for one in templates] == [
        "knowledge://{id}",
        "webhook-events://{event}",
    ]
    assert [one.name for one in prompts] == ["answer_like_our_team", "find_knowledge_gaps"]
    assert usage.structured_content["usage"]["plan"] == "pro"


async def test_the_official_client_learns_the_revision_by_itself(
    front: LiveEngine, shop: Shop
) -> None:
    async with connected(front, shop.key, "auto") as client:
        assert client.protocol_version == CURRENT


@pytest.mark.parametrize("presented", ["", "Bearer ak_" + "0" * 32, "Bearer mcp_x", "Basic eA=="])
async def test_without_a_key_the_way_to_one_is_told(front: LiveEngine, presented: str) -> None:
    headers = {"authorization": presented} if presented else {}

    answer = await front.http.post(AT + MCP, json=PING, headers=headers)

    assert answer.status_code == 401
    assert answer.json()["code"] == "unauthenticated"
    challenges = answer.headers.get_list("www-authenticate")
    assert len(challenges) == 1
    assert challenges[0].startswith(
        'Bearer error="invalid_token", '
        f'resource_metadata="{AT}/.well-known/oauth-protected-resource/api/mcp", scope="'
    )


async def test_a_session_token_is_no_key(front: LiveEngine, owner: dict[str, str]) -> None:
    answer = await front.http.post(AT + MCP, json=PING, headers=owner)

    assert answer.status_code == 401


async def test_a_revoked_key_is_refused_at_once(front: LiveEngine, shop: Shop) -> None:
    await call(front, shop, "get_usage")
    await revoke(front, shop)

    answer = await message(front, shop, "tools/call", {"name": "get_usage", "arguments": {}})

    assert answer.status_code == 401


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_there_are_no_streams_and_no_sessions(
    front: LiveEngine, shop: Shop, method: str
) -> None:
    answer = await front.http.request(method, AT + MCP, headers=shop.headers)

    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"
    assert answer.json()["code"] == "method_not_allowed"


async def test_the_path_has_one_spelling(front: LiveEngine, shop: Shop) -> None:
    answer = await front.http.post(AT + MCP + "/", json=PING, headers=shop.headers)

    assert answer.status_code == 404
    assert answer.json()["code"] == "route_not_found"


async def test_another_sites_page_is_refused(front: LiveEngine, shop: Shop) -> None:
    """DNS rebinding: a page whose name resolves to this machine sends its own name."""
    for headers in ({"origin": "https://evil.example"}, {"origin": "null"}):
        answer = await message(front, shop, "ping", {}, **headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "access_denied")
    rebound = await message(front, shop, "ping", {}, host="evil.example")
    assert rebound.status_code == 400
    assert (await message(front, shop, "ping", {}, origin=AT)).status_code == 200
    inspector = await message(front, shop, "ping", {}, origin="http://localhost:6274")
    assert inspector.status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "method": "tools/list"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "\\u0000"}}',
        b"[" * 100_000,
        b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
        b"\xff\xfe",
    ],
    ids=["cut", "batch", "repeated key", "NUL", "brackets", "deep", "no UTF-8"],
)
async def test_what_cannot_be_read_is_a_parse_error(
    front: LiveEngine, shop: Shop, body: bytes
) -> None:
    answer = await front.http.post(
        AT + MCP, content=body, headers={**shop.headers, "content-type": "application/json"}
    )

    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == -32700


async def test_the_strict_edge_holds(front: LiveEngine, shop: Shop) -> None:
    large = await message(front, shop, "ping", {"a": "x" * 1_100_000})
    form = await front.http.post(AT + MCP, data={"a": "b"}, headers=shop.headers)

    assert (large.status_code, large.json()["code"]) == (413, "body_too_large")
    assert (form.status_code, form.json()["code"]) == (415, "unsupported_media_type")


async def test_blanks_around_a_headers_value_are_no_part_of_it(
    front: LiveEngine, shop: Shop
) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": CURRENT,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    answer = await message(
        front,
        shop,
        "tools/call",
        {"name": "get_usage", "arguments": {}, "_meta": meta},
        **{
            "mcp-protocol-version": CURRENT,
            "mcp-method": "tools/call",
            "mcp-name": "get_usage \t",
        },
    )

    assert answer.status_code == 200, answer.text


async def test_no_session_is_kept(front: LiveEngine, shop: Shop) -> None:
    began = await message(
        front,
        shop,
        "initialize",
        {
            "protocolVersion": BEFORE,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    )

    assert began.json()["result"]["protocolVersion"] == BEFORE
    assert "mcp-session-id" not in began.headers
    assert "x-request-id" in began.headers
    assert began.headers["ratelimit-policy"] == '"mcp";q=240;w=60'


async def test_unknown_names_say_what_there_is(front: LiveEngine, shop: Shop) -> None:
    async with connected(front, shop.key) as client:
        for asked in (
            client.call_tool("delete_everything", {}),
            client.get_prompt("nothing", {}),
            client.get_prompt("answer_like_our_team", {}),
            client.read_resource("knowledge://x"),
            client.read_resource("file:///etc/passwd"),
            client.read_resource("webhook-events://none"),
        ):
            with pytest.raises(MCPError) as refused:
                await asked
            assert refused.value.error.code == -32602


async def test_each_client_has_a_limit_of_its_own(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    answers = [await message(front, shop, "ping", {}) for _ in range(241)]

    assert [answer.status_code for answer in answers] == [200] * 240 + [429]
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert (await message(front, other, "ping", {})).status_code == 200


async def test_many_at_once_get_their_own_answers(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database, brand="Andere")

    async def templates(of: Shop) -> list[str]:
        result = await call(front, of, "list_playbooks")
        return [one["playbook_id"] for one in result["structuredContent"]["playbooks"]]

    found = await asyncio.gather(*(templates(of) for of in (shop, other) * 20))

    assert found == [[shop.playbook_id], [other.playbook_id]] * 20


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("search_knowledge", {"query": "lamp"}), ("search_conversations", {"words": "lamp"})],
)
async def test_a_clients_searches_wait_for_one_another(
    front: LiveEngine, shop: Shop, tool: str, arguments: dict[str, str]
) -> None:
    """Earlier, accounts that continuously searched all their content blocked an API process."""
    other = await open_shop(front.database)
    async with front.app.state.resources.searches.turn(shop.tenant):
        crowd = [asyncio.ensure_future(call(front, shop, tool, **arguments)) for _ in range(20)]
        refused, _ = await asyncio.wait(crowd, return_when=asyncio.FIRST_COMPLETED)
        answered = await call(front, other, tool, **arguments)
        at_once = await call(front, shop, "list_playbooks")
    ended = await asyncio.gather(*crowd)

    assert all("Too many calls at once" in str(one.result()) for one in refused)
    assert not answered["isError"]
    assert not at_once["isError"]
    assert sum(not one["isError"] for one in ended) == 15


async def test_a_failure_of_ours_tells_nothing_and_is_reported(
    front: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the secret cause")

    monkeypatch.setattr("api.mcp.tools.account.usage_record", fail)
    answer = await message(front, shop, "tools/call", {"name": "get_usage", "arguments": {}})

    result = answer.json()["result"]
    assert result["isError"]
    text = result["content"][0]["text"]
    assert answer.headers["x-request-id"] in text
    assert "secret" not in text
    reports = await _reports(front, answer)
    assert [one["code"] for one in reports] == ["internal_error"]


async def _reports(front: LiveEngine, answer: httpx.Response) -> list[dict[str, object]]:
    async def found() -> list[dict[str, object]] | None:
        request_id = answer.headers["x-request-id"]
        return await rows(front.database, error_reports, request_id=request_id) or None

    return await eventually(found)
