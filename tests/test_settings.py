"""Invalid settings are rejected at startup, not at the first sign-in."""

import secrets
from ipaddress import ip_network
from pathlib import Path
from typing import Final

import pytest

from adapters.identity.session_key import new_session_key
from adapters.seal import new_seal_key
from domain.core.errors import InvalidInput
from settings import Settings, load_settings
from tests.support.core import environment_names
from tests.support.core.engine import settings_of
from tests.support.servers.tls import certificate_authority

# Variables that deployments set. Renaming one would break them.
VARIABLES: Final = """
    ACCOUNTS_AN_HOUR
    ADMIN_USER_IDS ALLOW_LOOPBACK_TARGETS BRAIN_API_KEY BRAIN_BASE_URL BRAIN_FALLBACK_API_KEY
    BRAIN_FALLBACK_BASE_URL BRAIN_FALLBACK_MODEL BRAIN_FALLBACK_PRICE_IN BRAIN_FALLBACK_PRICE_OUT
    BRAIN_FALLBACK_SEES_IMAGES BRAIN_INSTALLATION_BUDGET_A_DAY BRAIN_TRIAL_BUDGET_A_DAY
    BRAIN_JUDGE_API_KEY BRAIN_JUDGE_BASE_URL BRAIN_JUDGE_MODEL BRAIN_JUDGE_PRICE_IN
    BRAIN_JUDGE_PRICE_OUT
    BRAIN_MODEL BRAIN_MONTHLY_BUDGET BRAIN_PRICE_IN BRAIN_PRICE_OUT
    BRAIN_RETRY_HOURS_EMAIL BRAIN_RETRY_HOURS_HELPDESK
    BRAIN_SEES_IMAGES BRAIN_USES_TOOLS
    BRAIN_HIDES_PERSONAL_DATA DASHBOARD_URL DATABASE_URL DEMO_SHOPS
    DRY_RUN_LIMIT EMBEDDED_MODEL_DIR EMBEDDING_API_KEY EMBEDDING_BASE_URL EMBEDDING_MODEL
    ENGINE_SECRET HOST
    ERROR_SPOOL INSTANCE_ID
    JWT_ALGORITHMS JWT_AUDIENCE JWT_ISSUER JWT_JWKS_URL LOG_LEVEL MAIL_FROM
    OIDC_CLIENT_ID OIDC_CLIENT_SECRET OIDC_ISSUER OIDC_SCOPES METRICS_HOST METRICS_PORT
    PORT
    PUBLIC_URL
    RATE_LIMITS REVIEW_EXPIRY_HOURS SEAL_KEY SENTRY_DSN SERVICE_NAME
    SESSION_KEY SMTP_URL SWEEP_AFTER_S
    SWEEP_INTERVAL_S TEMPORAL_ADDRESS TEMPORAL_API_KEY TEMPORAL_NAMESPACE TEMPORAL_TLS
    TEMPORAL_TLS_CLIENT_CERT_PATH TEMPORAL_TLS_CLIENT_KEY_PATH TEMPORAL_TLS_SERVER_CA_CERT_PATH
    TEMPORAL_TLS_SERVER_NAME TEMPORAL_UI_URL
    THREAD_ANSWERS_PER_HOUR THREAD_ANSWERS_WITHOUT_PERSON THREAD_EXPIRY_HOURS TRUSTED_PROXIES
    WEBHOOK_ALLOW_PRIVATE_ADDRESSES WEBHOOK_CA_FILE WEBHOOK_CANARY_HOST WORKFLOW_SANDBOX
    PRICE_CREDITS PRICE_CURRENCY PRICE_ENTERPRISE PRICE_PRO PRICE_STARTER STRIPE_API_URL
    STRIPE_SECRET_KEY STRIPE_WEBHOOK_SECRET SHOPIFY_APP_SECRET STRIPE_CONNECT_WEBHOOK_SECRET
    DRAIN_S OTEL_EXPORTER_OTLP_ENDPOINT TEMPORAL_BUILD_ID TEMPORAL_DEPLOYMENT
"""


def identity_settings(**more: object) -> Settings:
    return settings_of("postgresql://u@h/d", "h:1", **more)


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment without variables."""
    for name in VARIABLES.split():
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_variables() -> None:
    assert {*VARIABLES.split()} == environment_names.ALL
    assert {"DATABASE_URL", "TEMPORAL_ADDRESS", "SEAL_KEY"} == environment_names.REQUIRED


def test_public_url(environment: pytest.MonkeyPatch) -> None:
    assert identity_settings().server.origin == "http://127.0.0.1:8080"
    assert identity_settings(host="0.0.0.0", port=81).server.origin == "http://127.0.0.1:81"
    assert identity_settings(host="::1", port=81).server.origin == "http://[::1]:81"
    for url in ("https://engine.example", "http://localhost:8080", "https://10.0.0.1:8443"):
        assert identity_settings(public_url=url).server.origin == url
    for url in (
        *("http://engine.example", "https://engine.example/", "https://engine.example/a"),
        *("https://u@engine.example", "https://Engine.example", "engine.example", "https://"),
    ):
        with pytest.raises(InvalidInput, match="PUBLIC_URL"):
            identity_settings(public_url=url)


def test_numbers_stay_on_loopback(environment: pytest.MonkeyPatch) -> None:
    assert identity_settings(host="0.0.0.0", metrics_port=9464).watch.metrics_host == "127.0.0.1"
    assert identity_settings(metrics_host="10.0.0.1").watch.metrics_host == "10.0.0.1"


def test_trusted_proxies(environment: pytest.MonkeyPatch) -> None:
    both = identity_settings(trusted_proxies="10.0.0.0/8, ::1").server.proxies
    assert both == (ip_network("10.0.0.0/8"), ip_network("::1"))
    assert identity_settings().server.proxies == ()
    with pytest.raises(InvalidInput, match="TRUSTED_PROXIES"):
        identity_settings(trusted_proxies="10.0.0.1/8")


def test_environment_is_read(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("DATABASE_URL", "postgresql://u@h/d")
    environment.setenv("temporal_address", "h:1")
    environment.setenv("SEAL_KEY", new_seal_key())
    environment.setenv("PORT", "8081")
    environment.setenv("HOST", "")
    environment.setenv("WORKFLOW_SANDBOX", "1")
    environment.setenv("SWEEP_AFTER_S", "0.5")

    settings = load_settings(SWEEP_AFTER_S="7")

    assert (settings.database.url, settings.temporal.address) == ("postgresql://u@h/d", "h:1")
    assert (settings.server.host, settings.server.port) == ("127.0.0.1", 8081)
    assert settings.temporal.sandbox
    assert settings.sweep.after_s == 7
    assert settings.mail.sender == "support@localhost"


def test_all_that_is_wrong_is_named(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("SEAL_KEY", "secret-of-mine")
    environment.setenv("PORT", "0")
    environment.setenv("BRAIN_PRICE_IN", "1")
    environment.setenv("WEBHOOK_CA_FILE", "/nowhere.pem")

    with pytest.raises(InvalidInput) as caught:
        load_settings(DATABASE_URL="mysql://u:secret-of-mine@h/d")

    told = str(caught.value)
    assert told.startswith("not configured: DATABASE_URL (")
    for name in (
        "PORT (",
        "SEAL_KEY (",
        "BRAIN_PRICE_IN and BRAIN_PRICE_OUT: ",
        "WEBHOOK_CA_FILE (",
    ):
        assert f"; {name}" in told
    assert "; TEMPORAL_ADDRESS is not set" in told
    assert "secret-of-mine" not in told


@pytest.mark.parametrize(
    "wrong",
    [
        {"jwt_algorithms": "HS256"},
        {"jwt_algorithms": "RS256,HS256"},
        {"jwt_algorithms": "none"},
        {"jwt_algorithms": "RS256,"},
        {"jwt_algorithms": ""},
        {"jwt_jwks_url": "http://login.example/jwks"},
        {"jwt_jwks_url": "http://127.0.0.1.evil.example/jwks"},
        {"jwt_jwks_url": "file:///etc/passwd"},
        {"jwt_jwks_url": "https://"},
        {"jwt_jwks_url": "https://login.example:port/"},
        {"jwt_jwks_url": None},
        {"jwt_issuer": None},
        {"jwt_audience": None},
        {"session_key": "nonsense"},
        {"session_key": new_session_key() + ",nonsense"},
    ],
)
def test_settings_that_are_refused(wrong: dict[str, object]) -> None:
    good: dict[str, object] = {
        "jwt_jwks_url": "https://login.example/jwks", "jwt_issuer": "i", "jwt_audience": "a"
    }  # fmt: skip
    identity_settings(**good)
    (name,) = wrong

    with pytest.raises(InvalidInput, match=rf"not configured: .*\b{name.upper()}\b"):
        identity_settings(**{**good, **wrong})


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"oidc_issuer": None}, "OIDC_ISSUER and OIDC_CLIENT_ID: both of them or none"),
        ({"oidc_client_id": None}, "OIDC_ISSUER and OIDC_CLIENT_ID: both of them or none"),
        (
            {"oidc_issuer": None, "oidc_client_id": None},
            "OIDC_CLIENT_SECRET needs OIDC_ISSUER and OIDC_CLIENT_ID",
        ),
        (
            {"jwt_issuer": "https://login.example"},
            "OIDC_ISSUER and JWT_ISSUER must be the same, to the letter",
        ),
        ({"oidc_issuer": "http://login.example"}, r"OIDC_ISSUER \(Value error, an https:// URL .*"),
        ({"oidc_scopes": "email profile"}, r"OIDC_SCOPES \(Value error, space-separated scopes .*"),
    ],
)
def test_half_an_openid_provider_is_refused(wrong: dict[str, object], told: str) -> None:
    good: dict[str, object] = {
        "oidc_issuer": "https://login.example/", "oidc_client_id": "us",
        "oidc_client_secret": "a secret of ours", "jwt_jwks_url": "https://login.example/jwks",
        "jwt_issuer": "https://login.example/", "jwt_audience": "a",
    }  # fmt: skip
    assert identity_settings(**good).identity.has_other_provider

    with pytest.raises(InvalidInput, match=f"^not configured: {told}$") as caught:
        identity_settings(**{**good, **wrong})

    assert "a secret of ours" not in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"engine_secret": "hunter2"},
        {"engine_secret": "changeme" * 4},
        {"engine_secret": "a" * 64},
        {"engine_secret": "0123456789abcdef0123456789abcde"},
        {"seal_key": "A" * 43 + "="},
        {"seal_key": new_seal_key() + "," + "A" * 43 + "="},
        {"seal_key": new_seal_key()[:-4]},
    ],
)
def test_secrets_that_can_be_guessed(wrong: dict[str, object]) -> None:
    ((name, secret),) = wrong.items()

    with pytest.raises(InvalidInput, match=rf"not configured: {name.upper()} \(") as caught:
        identity_settings(**wrong)

    assert str(secret) not in str(caught.value)


def test_secrets_that_cannot() -> None:
    for secret in (*(secrets.token_hex(16) for _ in range(100)), secrets.token_hex(32)):
        identity_settings(engine_secret=secret)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"stripe_secret_key": "secret-of-ours"}, "STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET"),
        ({"stripe_webhook_secret": "secret-of-ours"}, "STRIPE_SECRET_KEY and STRIPE_WEBHOOK"),
        ({"stripe_api_url": "http://stripe.example"}, "STRIPE_API_URL"),
        ({"price_currency": "JPY"}, "PRICE_CURRENCY"),
        ({"shopify_app_secret": "one-secret,two-secret,three-secret"}, "SHOPIFY_APP_SECRET"),
        ({"stripe_connect_webhook_secret": "short"}, "STRIPE_CONNECT_WEBHOOK_SECRET"),
        ({"price_starter": "149.00"}, "a higher plan must cost more"),
        ({"price_enterprise": "100.00"}, "a higher plan must cost more"),
        ({"price_pro": "a lot"}, "PRICE_"),
        ({"price_credits": "100"}, "PRICE_"),
    ],
)
def test_prices_and_payments_that_are_refused(wrong: dict[str, object], named: str) -> None:
    with pytest.raises(InvalidInput, match=named) as caught:
        identity_settings(**wrong)
    assert "secret-of-ours" not in str(caught.value)


def test_an_authority_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with certificate_authority() as authority:
        settings = identity_settings(webhook_ca_file=authority.file)
        assert settings.webhooks.ca_file == authority.file
    empty = tmp_path / "empty.pem"
    empty.touch()
    for wrong in (empty, tmp_path / "nowhere.pem", tmp_path):
        with pytest.raises(InvalidInput, match="a file of certificates"):
            identity_settings(webhook_ca_file=wrong)


def test_temporal_settings_that_contradict_one_another_are_refused(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with certificate_authority() as authority, certificate_authority() as other:
        key, certificate = map(str, authority.key_and_certificate())
        others_key, _ = map(str, other.key_and_certificate())
        cert, private = "temporal_tls_client_cert_path", "temporal_tls_client_key_path"
        for more, named in (
            ({cert: certificate}, "both of them or none"),
            ({private: key}, "both of them or none"),
            ({cert: certificate, private: others_key}, "TEMPORAL_TLS_CLIENT_KEY_PATH"),
            ({cert: certificate, private: str(tmp_path / "missing")}, "TLS_CLIENT_KEY_PATH"),
            ({cert: str(tmp_path / "missing"), private: key}, "TLS_CLIENT_CERT_PATH"),
            ({"temporal_tls_server_ca_cert_path": key}, "TEMPORAL_TLS_SERVER_CA_CERT_PATH"),
            ({"temporal_tls": "false", "temporal_api_key": "secret-of-ours"}, "TEMPORAL_TLS"),
            ({"temporal_tls": "perhaps"}, "TEMPORAL_TLS"),
        ):
            with pytest.raises(InvalidInput, match=named) as refused:
                settings_of("postgresql://u@h/d", "h:1", **more)
            assert "secret-of-ours" not in str(refused.value)
        with pytest.raises(InvalidInput, match="TEMPORAL_ADDRESS"):
            settings_of("postgresql://u@h/d", "temporal.example")

        for more, encrypted in (
            ({}, False),
            ({"temporal_tls": "true"}, True),
            ({"temporal_api_key": "x"}, True),
            ({cert: certificate, private: key}, True),
            ({"temporal_tls_server_name": "x"}, True),
        ):
            settings = settings_of("postgresql://u@h/d", "h:1", **more)
            assert settings.temporal.is_encrypted is encrypted
