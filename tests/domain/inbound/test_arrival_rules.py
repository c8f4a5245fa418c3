"""Checks on an inbound request: headers, age, signature, account, secret."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.seal import FernetSealer, new_seal_key
from domain.inbound.app_level import account_of
from domain.inbound.endpoint import (
    SECRETS_OF_OURS,
    TOKEN_BYTES,
    made_secret,
    seal_endpoint_secret,
    token_digest,
    token_of,
    unseal_endpoint_secret,
)
from domain.inbound.errors import InboundAddressUnknown, InboundRefused
from domain.inbound.headers import headers_of_platform, kept_headers
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.platform_catalogue import PLATFORMS, platform_of
from domain.inbound.webhook_signature import check_age, matches, signed_seconds
from domain.integrations.providers import PROVIDERS, Provider
from tests.support.core.each import each

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
AT = NOW.timestamp()


@each(
    [
        ((AT,), False),
        ((AT - 300,), False),
        ((AT - 301,), True),
        ((AT + 301,), False),
        ((AT + 301, True), True),
        ((AT + 300, True), False),
    ]
)
def test_age(when: tuple[float, ...], refused: bool) -> None:
    signed_at, both_ways = when[0], len(when) > 1
    try:
        check_age(signed_at, NOW, both_ways=both_ways)
    except InboundRefused:
        assert refused
    else:
        assert not refused


@given(st.text(), st.lists(st.text(), max_size=3))
def test_only_what_is_expected_matches(given_text: str, expected: list[str]) -> None:
    assert matches(expected, given_text) == (
        given_text.encode(errors="replace") in [one.encode(errors="replace") for one in expected]
    )


@given(st.text())
def test_any_text_is_a_time_or_refused(text: str) -> None:
    try:
        assert signed_seconds(text) == int(text)
    except InboundRefused:
        assert not (text.isascii() and text.isdigit() and len(text) <= 12)


def test_headers() -> None:
    """Cookies and proxy headers are never seen; credentials are never stored."""
    came = headers_of_platform(
        [
            ("Content-Type", "application/json"),
            ("X-Shopify-Topic", "orders/paid"),
            ("X-Shopify-Hmac-Sha256", "proof"),
            ("X-Inbound-Secret", "hush"),
            ("Stripe-Signature", "t=1,v1=0"),
            ("X-Zendesk-Webhook-Signature-Timestamp", "then"),
            ("Cookie", "a"), ("Cookie", "b"),
            ("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-For", "192.0.2.2"),
        ]
    )  # fmt: skip

    assert "cookie" not in came
    assert len(came) == 6
    assert kept_headers(came) == {
        "content-type": "application/json",
        "x-shopify-topic": "orders/paid",
    }
    with pytest.raises(InboundRefused):
        headers_of_platform([("X-Shopify-Topic", "a"), ("x-shopify-topic", "a")])


@each(
    [
        (Provider.STRIPE, {"account": "acct_1"}, {}, "acct_1"),
        (Provider.STRIPE, {"account": ["acct_1"]}, {}, None),
        (Provider.STRIPE, {}, {}, None),
        (Provider.SHOPIFY, {}, {"x-shopify-shop-domain": "a.myshopify.com"}, None),
        (
            Provider.SHOPIFY,
            {"order_status_url": "https://a.myshopify.com/1/orders/2"},
            {"x-shopify-shop-domain": "a.myshopify.com"},
            "a.myshopify.com",
        ),
        (
            Provider.SHOPIFY,
            {"order_status_url": "https://a.myshopify.com@b.example/1/orders/2"},
            {"x-shopify-shop-domain": "a.myshopify.com"},
            None,
        ),
        (Provider.SHOPIFY, {"shop_domain": "a"}, {"shopify-shop-domain": "a"}, "a"),
        (Provider.SHOPIFY, {"myshopify_domain": "b"}, {"x-shopify-shop-domain": "a"}, "refused"),
        (Provider.SHOPIFY, {"shop_domain": "b"}, {}, "refused"),
        (Provider.SHOPIFY, [], {"x-shopify-shop-domain": "a"}, "refused"),
        (Provider.STRIPE, [], {}, "refused"),
    ]
)
def test_the_account(
    provider: Provider, body: object, headers: dict[str, str], account: str | None
) -> None:
    request = InboundRequest(headers, json.dumps(body).encode())
    try:
        assert account_of(provider, request) == account
    except InboundRefused:
        assert account == "refused"


@given(st.binary(min_size=TOKEN_BYTES, max_size=TOKEN_BYTES))
def test_tokens(random_bytes: bytes) -> None:
    token = token_of(random_bytes)

    assert len(token) == 43
    assert len(token_digest(token) or b"") == 32
    for other in (token[:-1], token + "A", token[:-1] + "=", token + "\n"):
        assert token_digest(other) is None


def test_a_sealed_secret_cannot_be_moved() -> None:
    """For any content: platform secrets contain slashes."""
    sealer = FernetSealer(new_seal_key())
    sealed = seal_endpoint_secret(sealer, "client", "one", "a/b+c/d==")

    assert unseal_endpoint_secret(sealer, "client", "one", sealed) == "a/b+c/d=="
    with pytest.raises(ValueError, match="another"):
        unseal_endpoint_secret(sealer, "client", "two", sealed)
    assert made_secret(b"\x00" * 24) == "whsec_" + "00" * 24


def test_each_provider_that_sends_has_its_platform() -> None:
    assert set(PROVIDERS) - set(PLATFORMS) == {Provider.DEMO_SHOP, Provider.SLACK}
    for provider, platform in PLATFORMS.items():
        assert platform_of(provider.value) is platform
        # The service creates a secret for platforms that sign but issue none.
        if provider in SECRETS_OF_OURS:
            assert platform.signs
            assert not platform.needs_secret
    for unknown in ("slack", "demo_shop", "Shopify", ""):
        with pytest.raises(InboundAddressUnknown):
            platform_of(unknown)
