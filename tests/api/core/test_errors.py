"""The error table: every error has a row, and exposes no internal detail."""

from typing import cast

import orjson
import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from api.app import create_app
from api.error_response import error_response
from api.errors import ANSWERS
from api.route_family import RouteFamily
from domain.billing.errors import PlanRequired, QuotaExhausted
from domain.core.errors import (
    DomainError,
    EngineUnavailable,
    InternalError,
    MethodNotAllowed,
)
from domain.intake.errors import (
    ClientRateLimited,
    CustomerRateLimited,
    TooManyRequests,
)
from domain.intake.rate_limit import Limit, LimitScope
from domain.privacy.errors import ErasureNotFound
from domain.tenants.errors import (
    AccessDenied,
    ApiKeyMissing,
    ClientIdMissing,
    ClientNotFound,
    InsufficientScope,
    NoClient,
    Unauthenticated,
)
from tests.support.core.engine import settings_of
from tests.support.core.every_error import NOT_FOR_CALLERS, STANDING, all_errors, example

GATEWAY = "/api/engine/gateway"
USAGE = "/api/billing/usage"
EXPORT = "/api/client/export-data"
WIDGET = "/api/widget/chat"


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return create_app(
        settings_of("postgresql://a/b", "c:1", dashboard_url="https://shop.example/dashboard/")
    )


def answer(app: FastAPI, error: DomainError, path: str) -> Response:
    scope = {"type": "http", "path": path, "headers": [], "app": app}
    return error_response(error, "request-1", Request(scope))


def body_of(response: Response) -> dict[str, object]:
    return cast("dict[str, object]", orjson.loads(response.body))


def test_every_error_has_an_answer() -> None:
    assert all_errors() == set(ANSWERS) | NOT_FOR_CALLERS
    assert not set(ANSWERS) & NOT_FOR_CALLERS


def test_codes_are_unique() -> None:
    codes = [kind.code for kind in all_errors()]
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize(
    ("path", "error", "status", "text"),
    [
        (GATEWAY, ClientIdMissing(), 400, "client_id requis"),
        (USAGE, ClientIdMissing(), 400, "Missing client_id"),
        (EXPORT, Unauthenticated(), 401, "Non autorisé"),
        ("/api/copilot/chat", Unauthenticated(), 401, "Non autorisé"),
        (GATEWAY, Unauthenticated(), 401, "Non autorise."),
        (USAGE, Unauthenticated(), 401, "Non autorise."),
        (WIDGET, ApiKeyMissing(), 401, "api_key required"),
        (WIDGET, Unauthenticated(), 401, "Invalid API key"),
        ("/api/widget/config", Unauthenticated(), 401, "Invalid API key"),
        (EXPORT, NoClient(), 403, "Aucun client associé"),
        ("/api/copilot/chat", NoClient(), 403, "Aucun client associé"),
        (USAGE, AccessDenied(), 403, "Acces refuse."),
        (GATEWAY, AccessDenied(), 403, "Acces refuse."),
        (GATEWAY, ClientNotFound(), 404, "Client non trouve"),
        (USAGE, ClientNotFound(), 404, "Client introuvable."),
        (USAGE, MethodNotAllowed(), 405, "Méthode non autorisée"),
        (EXPORT, MethodNotAllowed(), 405, "Méthode non autorisée"),
        (
            GATEWAY,
            QuotaExhausted(STANDING),
            429,
            "Quota de tickets épuisé. Achetez des crédits ou passez à un plan supérieur.",
        ),
        (
            GATEWAY,
            CustomerRateLimited("{eve}@example.com", 1),
            429,
            "Rate limit: 10 messages/10min depasse pour {eve}@example.com",
        ),
        (
            GATEWAY,
            ClientRateLimited(1),
            429,
            "Rate limit: 200 messages/heure depasse pour ce client",
        ),
        (USAGE, InternalError(), 500, "Erreur interne."),
    ],
)
def test_texts_of_the_specification(
    app: FastAPI, path: str, error: DomainError, status: int, text: str
) -> None:
    response = answer(app, error, path)

    assert (response.status_code, body_of(response)["error"]) == (status, text)
    assert response.media_type == "application/json"


def test_plan_gate(app: FastAPI) -> None:
    response = answer(app, PlanRequired(), "/api/dashboard/webhooks")

    assert response.status_code == 402
    assert "réservée au plan Pro" in str(body_of(response)["error"])


def test_every_row_makes_an_answer(app: FastAPI) -> None:
    for kind, row in ANSWERS.items():
        for path in (GATEWAY, USAGE, EXPORT, WIDGET):
            response = answer(app, example(kind), path)
            body = body_of(response)
            assert response.status_code == row.status
            assert body.keys() == {"error", "code", "request_id", *row.fields}
            assert (body["code"], body["request_id"]) == (kind.code, "request-1")


def test_usage_says_nothing_of_what_broke(app: FastAPI) -> None:
    broken = [kind for kind, row in ANSWERS.items() if row.status >= 500]
    assert EngineUnavailable in broken
    for kind in broken:
        assert body_of(answer(app, example(kind), USAGE))["error"] == "Erreur interne."


def test_no_other_text_is_that_of_an_unknown_surface() -> None:
    for kind, row in ANSWERS.items():
        assert RouteFamily.OTHER not in row.on, kind
        assert row.text not in row.on.values(), kind


def test_exhausted_quota_names_the_ways_out(app: FastAPI) -> None:
    assert body_of(answer(app, QuotaExhausted(STANDING), GATEWAY)) == {
        "error": "Quota de tickets épuisé. Achetez des crédits ou passez à un plan supérieur.",
        "code": "quota_exhausted",
        "request_id": "request-1",
        "tickets_used": 50,
        "tickets_limit": 50,
        "credits_balance": 0,
        "upgrade_url": "https://shop.example/dashboard/billing/plan",
        "credits_url": "https://shop.example/dashboard/billing/credits",
    }


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (CustomerRateLimited("eve@example.com", 42.5), "43"),
        (ClientRateLimited(0.2), "1"),
        (ClientRateLimited(0), "1"),
        (TooManyRequests(Limit(LimitScope.USAGE, 60), 12.0), "12"),
        (QuotaExhausted(STANDING), None),
        (Unauthenticated(), None),
    ],
)
def test_retry_after_where_the_wait_is_known(
    app: FastAPI, error: DomainError, seconds: str | None
) -> None:
    assert answer(app, error, GATEWAY).headers.get("retry-after") == seconds


def test_every_401_names_the_scheme(app: FastAPI) -> None:
    for kind, row in ANSWERS.items():
        if kind is InsufficientScope:  # RFC 6750: the required scope
            continue
        for path in (GATEWAY, USAGE, EXPORT, WIDGET):
            challenge = answer(app, example(kind), path).headers.get("www-authenticate")
            assert challenge == ("Bearer" if row.status == 401 else None), kind


def test_errors_do_not_carry_addresses_into_logs() -> None:
    error = CustomerRateLimited("eve@example.com", 1)

    assert "eve" not in f"{error!s}{error!r}"


def test_unmapped_error_is_internal_and_silent(app: FastAPI) -> None:
    response = answer(app, ErasureNotFound("ak_secret"), GATEWAY)

    assert response.status_code == 500
    assert body_of(response) == {
        "error": "Erreur interne.",
        "code": "internal_error",
        "request_id": "request-1",
    }
