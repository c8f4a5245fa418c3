"""What OAuth clients request, and what users grant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.identity.errors import OAuthError, OAuthRefused
from domain.identity.grant import access_request, code_digest, code_text, narrowed, written
from domain.tenants.scopes import EVERY_SCOPE, Scope

RESOURCE = "https://engine.example/api/mcp"
GOOD = {
    "response_type": "code",
    "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    "code_challenge_method": "S256",
}


def test_without_a_scope_all_of_them_are_asked_for() -> None:
    assert access_request(GOOD, RESOURCE).scopes == EVERY_SCOPE
    asked = access_request({**GOOD, "scope": "usage:read content:read usage:read"}, RESOURCE)
    assert asked.scopes == (Scope.CONTENT_READ, Scope.USAGE_READ)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"response_type": "token"}, OAuthError.UNSUPPORTED_RESPONSE_TYPE),
        ({"response_type": "code id_token"}, OAuthError.UNSUPPORTED_RESPONSE_TYPE),
        ({"code_challenge_method": "plain"}, OAuthError.INVALID_REQUEST),
        ({"code_challenge": "short"}, OAuthError.INVALID_REQUEST),
        ({"scope": "usage:read keys:write"}, OAuthError.INVALID_SCOPE),
        ({"resource": "https://engine.example"}, OAuthError.INVALID_TARGET),
        ({"resource": f"{RESOURCE}/"}, OAuthError.INVALID_TARGET),
        ({"resource": "https://evil.example/api/mcp"}, OAuthError.INVALID_TARGET),
    ],
)
def test_refused(change: dict[str, str], error: OAuthError) -> None:
    with pytest.raises(OAuthRefused) as refused:
        access_request({**GOOD, **change}, RESOURCE)
    assert refused.value.error is error


@pytest.mark.parametrize("missing", GOOD)
def test_nothing_may_be_missing(missing: str) -> None:
    """Especially PKCE: without a method it would be `plain`."""
    given_ = {name: value for name, value in GOOD.items() if name != missing}
    with pytest.raises(OAuthRefused) as refused:
        access_request(given_, RESOURCE)
    assert refused.value.error is OAuthError.INVALID_REQUEST


@given(st.sets(st.sampled_from(EVERY_SCOPE), min_size=1), st.sets(st.sampled_from(EVERY_SCOPE)))
def test_nothing_is_kept_that_was_not_asked_for(asked: set[Scope], kept: set[Scope]) -> None:
    offered = tuple(scope for scope in EVERY_SCOPE if scope in asked)
    if not asked & kept:
        with pytest.raises(OAuthRefused):
            narrowed(offered, kept)
        return
    left = narrowed(offered, kept)
    assert {*(EVERY_SCOPE if left is None else left)} == asked & kept
    assert {*written(left).split()} == asked & kept


def test_codes() -> None:
    code = code_text(bytes(32))
    assert len(code) == 43
    assert code_digest(code) != code_digest(code_text(b"\1" * 32))
    assert code_digest("") is code_digest(code + "=") is code_digest(code[1:]) is None
