"""A connection's fields: complete, nothing else, and no secret in an error message."""

import pytest

from domain.core.errors import InvalidInput
from domain.integrations.integration import Integration, check_credentials, check_settings
from domain.integrations.providers import PROVIDERS, Provider

SETTINGS: dict[Provider, dict[str, str]] = {
    Provider.SHOPIFY: {"shop": "acme-2.myshopify.com"},
    Provider.STRIPE: {},
    Provider.DEMO_SHOP: {"path": "/tmp/shop.sqlite"},  # noqa: S108 - it is not opened
    Provider.ZENDESK: {"subdomain": "acme", "email": "agent+ai@acme.example"},
    Provider.GORGIAS: {"domain": "acme", "email": "support@acme.example"},
    Provider.WOOCOMMERCE: {"url": "https://shop.acme.example/fr"},
    Provider.PRESTASHOP: {"url": "https://shop.acme.example:8443"},
    Provider.INTERCOM: {"admin_id": "991"},
    Provider.FRESHDESK: {"domain": "acme", "email": "agent@acme.example"},
    **{one: {} for one in (Provider.MAILGUN, Provider.POSTMARK, Provider.SENDGRID)},
    **{one: {} for one in (Provider.SLACK, Provider.GENERIC)},
}
CREDENTIALS: dict[Provider, dict[str, str]] = {
    Provider.SHOPIFY: {"access_token": "shpat_CANARY"},
    Provider.STRIPE: {"api_key": "sk_CANARY"},
    Provider.DEMO_SHOP: {},
    Provider.ZENDESK: {"api_token": "CANARY"},
    Provider.GORGIAS: {"email": "agent@acme.example", "api_key": "CANARY"},
    Provider.WOOCOMMERCE: {"consumer_key": "ck_CANARY", "consumer_secret": "cs_CANARY"},
    Provider.PRESTASHOP: {"webservice_key": "CANARY"},
    Provider.INTERCOM: {"access_token": "CANARY"},
    Provider.FRESHDESK: {"api_key": "CANARY"},
    **{one: {} for one in (Provider.MAILGUN, Provider.POSTMARK, Provider.SENDGRID)},
    Provider.SLACK: {"webhook_url": "https://hooks.slack.com/services/T0/B0/CANARY"},
    Provider.GENERIC: {},
}


@pytest.mark.parametrize("provider", Provider)
def test_complete(provider: Provider) -> None:
    check_settings(provider, SETTINGS[provider])
    check_settings(provider, {**SETTINGS[provider], "base_url": "http://127.0.0.1:8081"})
    check_credentials(provider, CREDENTIALS[provider])


@pytest.mark.parametrize("provider", Provider)
def test_all_of_it_and_nothing_else(provider: Provider) -> None:
    settings, credentials = SETTINGS[provider], CREDENTIALS[provider]
    for name in settings:
        with pytest.raises(InvalidInput, match=name):
            check_settings(provider, {k: v for k, v in settings.items() if k != name})
    for name in credentials:
        others = {k: v for k, v in credentials.items() if k != name}
        if not others and PROVIDERS[provider].may_listen:
            check_credentials(provider, others)
            continue
        with pytest.raises(InvalidInput, match=name):
            check_credentials(provider, others)
    with pytest.raises(InvalidInput):
        check_settings(provider, {**settings, "more": "x"})
    with pytest.raises(InvalidInput):
        check_credentials(provider, {**credentials, "more": "x"})


@pytest.mark.parametrize(
    ("provider", "change"),
    [
        (Provider.SHOPIFY, {"shop": "acme.example"}),
        (Provider.SHOPIFY, {"shop": "evil.example/.myshopify.com"}),
        (Provider.SHOPIFY, {"shop": "a.b.myshopify.com"}),
        (Provider.SHOPIFY, {"shop": "acme.myshopify.com\n"}),
        (Provider.ZENDESK, {"subdomain": "acme.zendesk.com"}),
        (Provider.ZENDESK, {"subdomain": "evil.example/"}),
        (Provider.ZENDESK, {"subdomain": "-acme"}),
        (Provider.ZENDESK, {"subdomain": ""}),
        (Provider.ZENDESK, {"email": "agent"}),
        (Provider.ZENDESK, {"email": "a:b@acme.example"}),
        (Provider.GORGIAS, {"domain": "acme@evil.example"}),
        (Provider.GORGIAS, {"email": "a@b, c@d"}),
        (Provider.WOOCOMMERCE, {"url": "http://shop.example"}),
        (Provider.WOOCOMMERCE, {"url": "https://shop"}),
        (Provider.WOOCOMMERCE, {"url": "https://user@shop.example"}),
        (Provider.PRESTASHOP, {"url": "https://shop.example/?x=1"}),
        (Provider.PRESTASHOP, {"url": "https://shop.example\n"}),
        (Provider.STRIPE, {"account": "acct_1/../2"}),
        (Provider.STRIPE, {"base_url": "https://evil.example"}),
        (Provider.STRIPE, {"base_url": "http://127.0.0.1.evil.example:80"}),
        (Provider.STRIPE, {"base_url": "http://127.0.0.1:80@evil.example:80"}),
        (Provider.STRIPE, {"base_url": "http://169.254.169.254:80"}),
    ],
)
def test_a_setting_cannot_lead_elsewhere(provider: Provider, change: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(change))):
        check_settings(provider, {**SETTINGS[provider], **change})


@pytest.mark.parametrize("secret", ["", " ", "CANARY\r\nX-Admin: 1", "CANARY é", "C" * 1001])
def test_a_secret_that_cannot_be_sent(secret: str) -> None:
    with pytest.raises(InvalidInput, match="api_token") as caught:
        check_credentials(Provider.ZENDESK, {"api_token": secret})
    assert "CANARY" not in str(caught.value)
    assert "CCC" not in str(caught.value)


def test_a_secret_in_the_wrong_place_is_not_repeated() -> None:
    for settings in ({"api_token": "CANARY"}, {"CANARY": "x"}, {"email": "CANARY"}):
        with pytest.raises(InvalidInput) as caught:
            check_settings(Provider.ZENDESK, {**SETTINGS[Provider.ZENDESK], **settings})
        assert "CANARY" not in str(caught.value)
    with pytest.raises(InvalidInput) as caught:
        check_credentials(Provider.ZENDESK, {"api_token=CANARY": "x"})
    assert "CANARY" not in str(caught.value)


def test_what_is_sealed_is_not_shown() -> None:
    integration = Integration(id="i", provider=Provider.STRIPE, sealed="CANARY")

    assert "CANARY" not in f"{integration} {integration!r}"
