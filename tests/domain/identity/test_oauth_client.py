"""OAuth clients' own metadata."""

import pytest

from domain.identity.errors import OAuthError, OAuthRefused
from domain.identity.oauth_client import MAX_NAME, clean_name, client_of_document, described_client

URI = "https://app.example/cb"
URL = "https://app.example/client.json"


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Claude", "Claude"),
        ("  My \t\n app ", "My app"),
        ("Sup\u202etroppus", "Suptroppus"),
        ("zero\u200bwidth\u2066", "zerowidth"),
        ("bell\x07 nul\0 escape\x1b[31m", "bell nul escape[31m"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("\ue000 ", ""),
        ("x" * 1_000_000, "x" * MAX_NAME),
    ],
)
def test_names_are_one_line_of_what_is_seen(written: str, name: str) -> None:
    assert clean_name(written) == name


def test_what_is_not_known_is_ignored() -> None:
    client = described_client(
        "id",
        {
            "redirect_uris": [URI, URI],
            "client_name": "App",
            "token_endpoint_auth_method": "client_secret_post",
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "logo_uri": "http://127.0.0.1/",
            "jwks": {"keys": []},
        },
    )
    assert (client.name, client.redirect_uris, client.label) == ("App", (URI,), "App")
    assert described_client("id", {"redirect_uris": [URI]}).label == "MCP: app.example"


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        ({}, OAuthError.INVALID_REDIRECT_URI),
        ({"redirect_uris": []}, OAuthError.INVALID_REDIRECT_URI),
        ({"redirect_uris": URI}, OAuthError.INVALID_REDIRECT_URI),
        ({"redirect_uris": [URI, 1]}, OAuthError.INVALID_REDIRECT_URI),
        ({"redirect_uris": [f"{URI}{n}" for n in range(11)]}, OAuthError.INVALID_REDIRECT_URI),
        ({"redirect_uris": [URI, "http://evil.example"]}, OAuthError.INVALID_REDIRECT_URI),
        ({"redirect_uris": [URI], "client_name": 1}, OAuthError.INVALID_CLIENT_METADATA),
        (
            {"redirect_uris": [URI], "grant_types": ["client_credentials"]},
            OAuthError.INVALID_CLIENT_METADATA,
        ),
        (
            {"redirect_uris": [URI], "response_types": ["token"]},
            OAuthError.INVALID_CLIENT_METADATA,
        ),
    ],
)
def test_refused(metadata: dict[str, object], error: OAuthError) -> None:
    with pytest.raises(OAuthRefused) as refused:
        described_client("id", metadata)
    assert refused.value.error is error


@pytest.mark.parametrize(
    "more",
    [
        {"client_id": f"{URL}?x"},
        {"client_id": None},
        {"token_endpoint_auth_method": "client_secret_post"},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"client_secret": "s"},
        {"redirect_uris": ["http://app.example/cb"]},
    ],
)
def test_a_document_that_is_no_good(more: dict[str, object]) -> None:
    good: dict[str, object] = {"client_id": URL, "redirect_uris": [URI]}
    assert client_of_document(URL, good).id == URL
    with pytest.raises(OAuthRefused):
        client_of_document(URL, {**good, **more})
