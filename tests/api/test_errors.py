"""The error table: every error has its row, and none tells more than it should."""

import inspect
from typing import cast

import orjson
import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from api.app import create_app
from api.errors import ANSWERS, error_response
from api.surface import Surface
from domain import content_errors, erasure_errors, errors, escalation_errors, webhook_errors
from domain.period import Period
from domain.quota import Standing
from domain.rate_limit import Limit, Scope
from tests.support.engine import settings_of

GATEWAY = "/api/engine/gateway"
USAGE = "/api/billing/usage"
EXPORT = "/api/client/export-data"
WIDGET = "/api/widget/chat"

# Errors that only operators and activities meet; none of them reaches a route.
NOT_FOR_CALLERS = {
    errors.PlaybookNotFound,
    errors.KeyNotFound,
    errors.InvalidInput,
    erasure_errors.ErasureNotFound,
    webhook_errors.Deferred,
}

STANDING = Standing(period=Period("2026-11"), tickets_used=50, tickets_limit=50, credits_balance=0)
# One of every error that is made with something.
EXAMPLES: dict[type[errors.DomainError], errors.DomainError] = {
    type(error): error
    for error in (
        errors.InvalidBody("{reason} {nothing}"),
        errors.InvalidQuery("{parameter} {nothing}"),
        escalation_errors.EscalationClaimed("review-1", "user-1"),
        errors.AnswerTimeout("event-1"),
        errors.AnswerDelayed("event-1"),
        errors.AnswerUnknown("event-1"),
        errors.CustomerRateLimited("eve@example.com", 42.5),
        errors.ClientRateLimited(0.2),
        errors.QuotaExhausted(STANDING),
        errors.TooManyRequests(Limit(Scope.USAGE, 60), 12.0),
        webhook_errors.InvalidWebhook("{reason} {nothing}"),
        content_errors.InvalidContent("message", "{reason} {nothing}"),
        content_errors.InvalidSettings("message", "{reason} {nothing}"),
        content_errors.InvalidIntegration("message", "{reason} {nothing}"),
        content_errors.TooMuchContent(1_000),
    )
}


def all_errors() -> set[type[errors.DomainError]]:
    return {
        kind
        for module in (errors, content_errors, erasure_errors, escalation_errors, webhook_errors)
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, errors.DomainError)
        and kind not in (errors.DomainError, errors.NoAnswer)  # these two are only kinds
    }


def example(kind: type[errors.DomainError]) -> errors.DomainError:
    return EXAMPLES.get(kind) or kind()


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return create_app(
        settings_of("postgresql://a/b", "c:1", dashboard_url="https://shop.example/dashboard/")
    )


def answer(app: FastAPI, error: errors.DomainError, path: str) -> Response:
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
        (GATEWAY, errors.ClientIdMissing(), 400, "client_id requis"),
        (USAGE, errors.ClientIdMissing(), 400, "Missing client_id"),
        (EXPORT, errors.Unauthenticated(), 401, "Non autorisé"),
        ("/api/copilot/chat", errors.Unauthenticated(), 401, "Non autorisé"),
        (GATEWAY, errors.Unauthenticated(), 401, "Non autorise."),
        (USAGE, errors.Unauthenticated(), 401, "Non autorise."),
        (WIDGET, errors.ApiKeyMissing(), 401, "api_key required"),
        (WIDGET, errors.Unauthenticated(), 401, "Invalid API key"),
        ("/api/widget/config", errors.Unauthenticated(), 401, "Invalid API key"),
        (EXPORT, errors.NoClient(), 403, "Aucun client associé"),
        ("/api/copilot/chat", errors.NoClient(), 403, "Aucun client associé"),
        (USAGE, errors.AccessDenied(), 403, "Acces refuse."),
        (GATEWAY, errors.AccessDenied(), 403, "Acces refuse."),
        (GATEWAY, errors.ClientNotFound(), 404, "Client non trouve"),
        (USAGE, errors.ClientNotFound(), 404, "Client introuvable."),
        (USAGE, errors.MethodNotAllowed(), 405, "Méthode non autorisée"),
        (EXPORT, errors.MethodNotAllowed(), 405, "Méthode non autorisée"),
        (
            GATEWAY,
            errors.QuotaExhausted(STANDING),
            429,
            "Quota de tickets épuisé. Achetez des crédits ou passez à un plan supérieur.",
        ),
        (
            GATEWAY,
            errors.CustomerRateLimited("{eve}@example.com", 1),
            429,
            "Rate limit: 10 messages/10min depasse pour {eve}@example.com",
        ),
        (
            GATEWAY,
            errors.ClientRateLimited(1),
            429,
            "Rate limit: 200 messages/heure depasse pour ce client",
        ),
        (USAGE, errors.InternalError(), 500, "Erreur interne."),
    ],
)
def test_texts_of_the_specification(
    app: FastAPI, path: str, error: errors.DomainError, status: int, text: str
) -> None:
    response = answer(app, error, path)

    assert (response.status_code, body_of(response)["error"]) == (status, text)
    assert response.media_type == "application/json"


def test_plan_gate(app: FastAPI) -> None:
    response = answer(app, errors.PlanRequired(), "/api/dashboard/webhooks")

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
    assert errors.EngineUnavailable in broken
    for kind in broken:
        assert body_of(answer(app, example(kind), USAGE))["error"] == "Erreur interne."


def test_no_other_text_is_that_of_an_unknown_surface() -> None:
    for kind, row in ANSWERS.items():
        assert Surface.OTHER not in row.on, kind
        assert row.text not in row.on.values(), kind


def test_exhausted_quota_names_the_ways_out(app: FastAPI) -> None:
    assert body_of(answer(app, errors.QuotaExhausted(STANDING), GATEWAY)) == {
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
        (errors.CustomerRateLimited("eve@example.com", 42.5), "43"),
        (errors.ClientRateLimited(0.2), "1"),
        (errors.ClientRateLimited(0), "1"),
        (errors.TooManyRequests(Limit(Scope.USAGE, 60), 12.0), "12"),
        (errors.QuotaExhausted(STANDING), None),
        (errors.Unauthenticated(), None),
    ],
)
def test_retry_after_where_the_wait_is_known(
    app: FastAPI, error: errors.DomainError, seconds: str | None
) -> None:
    assert answer(app, error, GATEWAY).headers.get("retry-after") == seconds


def test_every_401_names_the_scheme(app: FastAPI) -> None:
    for kind, row in ANSWERS.items():
        for path in (GATEWAY, USAGE, EXPORT, WIDGET):
            challenge = answer(app, example(kind), path).headers.get("www-authenticate")
            assert challenge == ("Bearer" if row.status == 401 else None), kind


def test_errors_do_not_carry_addresses_into_logs() -> None:
    error = errors.CustomerRateLimited("eve@example.com", 1)

    assert "eve" not in f"{error!s}{error!r}"


def test_unmapped_error_is_internal_and_silent(app: FastAPI) -> None:
    response = answer(app, errors.KeyNotFound("ak_secret"), GATEWAY)

    assert response.status_code == 500
    assert body_of(response) == {
        "error": "Erreur interne.",
        "code": "internal_error",
        "request_id": "request-1",
    }
