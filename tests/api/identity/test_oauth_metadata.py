"""The metadata that OAuth clients find, at every location where they look."""

import httpx
import pytest

from domain.tenants.scopes import EVERY_SCOPE
from tests.support.core.engine import LiveEngine

ORIGIN = "http://127.0.0.1:8080"  # without PUBLIC_URL
_PROTECTED = "/.well-known/oauth-protected-resource"
RESOURCE = [_PROTECTED, f"{_PROTECTED}/api/mcp"]
SERVER = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/api/mcp",
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/api/mcp",
    "/api/mcp/.well-known/openid-configuration",
]


def callable_by_any_page(answer: httpx.Response) -> bool:
    headers = answer.headers
    return (
        headers["access-control-allow-origin"] == "*"
        and "access-control-allow-credentials" not in headers
    )


@pytest.mark.parametrize("path", RESOURCE)
async def test_of_the_resource(front: LiveEngine, path: str) -> None:
    answer = await front.http.get(path)
    assert answer.json() == {
        "resource": f"{ORIGIN}/api/mcp",
        "authorization_servers": [ORIGIN],
        "scopes_supported": [*EVERY_SCOPE],
        "bearer_methods_supported": ["header"],
        "resource_name": "Service",
    }
    assert callable_by_any_page(answer)


@pytest.mark.parametrize("path", SERVER)
async def test_of_the_server(front: LiveEngine, path: str) -> None:
    answer = await front.http.get(path)
    told = answer.json()
    assert told["issuer"] == ORIGIN
    assert told["authorization_endpoint"] == f"{ORIGIN}/authorize"
    assert told["token_endpoint"] == f"{ORIGIN}/api/mcp/token"
    assert told["registration_endpoint"] == f"{ORIGIN}/api/mcp/register"
    assert told["revocation_endpoint"] == f"{ORIGIN}/api/mcp/revoke"
    assert told["code_challenge_methods_supported"] == ["S256"]
    assert told["token_endpoint_auth_methods_supported"] == ["none"]
    assert told["authorization_response_iss_parameter_supported"] is True
    assert told["client_id_metadata_document_supported"] is True
    assert callable_by_any_page(answer)


@pytest.mark.parametrize("path", [SERVER[0], RESOURCE[0], "/api/mcp/token", "/api/mcp/register"])
async def test_a_page_may_ask_first(front: LiveEngine, path: str) -> None:
    answer = await front.http.options(
        path,
        headers={
            "origin": "https://inspector.example",
            "access-control-request-method": "POST",
            "access-control-request-headers": "content-type,mcp-protocol-version",
        },
    )
    assert answer.status_code == 204
    assert callable_by_any_page(answer)
    assert "mcp-protocol-version" in answer.headers["access-control-allow-headers"].lower()


async def test_no_page_may_ask_for_consent(front: LiveEngine) -> None:
    for answer in (await front.http.get("/authorize"), await front.http.post("/authorize")):
        assert "access-control-allow-origin" not in answer.headers
