"""The error codes in the OpenAPI document, from the table in `api/errors.py`."""

from collections import defaultdict
from typing import Any, Final

from api.errors import ANSWERS
from domain.billing.errors import PlanRequired, QuotaExhausted
from domain.core.errors import (
    BodyTooLarge,
    BodyTooSlow,
    DomainError,
    HeadTooLarge,
    InternalError,
    MethodNotAllowed,
    ServerBusy,
    UnsupportedMediaType,
)
from domain.inbound.errors import InboundRefused
from domain.intake.errors import IdempotencyKeyReused, RunInProgress
from domain.tenants.errors import AccessDenied, ClientIdMissing, ClientNotFound, Unauthenticated

_EXAMPLES: Final[tuple[type[DomainError], ...]] = (
    ClientIdMissing,
    Unauthenticated,
    PlanRequired,
    AccessDenied,
    ClientNotFound,
    MethodNotAllowed,
    BodyTooSlow,
    RunInProgress,
    BodyTooLarge,
    UnsupportedMediaType,
    IdempotencyKeyReused,
    QuotaExhausted,
    HeadTooLarge,
    InternalError,
    ServerBusy,
)
"""For each status, the error in the examples."""

_QUOTA: Final[dict[str, object]] = {
    "tickets_used": 5000,
    "tickets_limit": 5000,
    "credits_balance": 0,
    "upgrade_url": "https://support.example/app/billing/plan",
    "credits_url": "https://support.example/app/billing/credits",
}


def describe_errors(schemas: dict[str, Any]) -> None:
    """Add the schema `ErrorCode`, and make the error's `code` refer to it. `x-error-codes` states
    the statuses and the additional fields of each code."""
    codes: dict[str, dict[str, set[str | int]]] = defaultdict(
        lambda: {"statuses": set(), "fields": set()}
    )
    for error, answer in ANSWERS.items():
        codes[error.code]["statuses"].add(answer.status)
        codes[error.code]["fields"].update(answer.fields)
    schemas["ErrorCode"] = {
        "type": "string",
        "enum": sorted(codes),
        "description": (
            "Stable code of an error. `x-error-codes` states the HTTP statuses and the additional "
            "fields of each code. New codes may be added without notice."
        ),
        "x-error-codes": {
            code: {
                "statuses": sorted(codes[code]["statuses"]),
                "fields": sorted(codes[code]["fields"]),
            }
            for code in sorted(codes)
        },
    }
    described = schemas["ErrorBody"]["properties"]["code"]["description"]
    schemas["ErrorBody"]["properties"]["code"] = {
        "$ref": "#/components/schemas/ErrorCode",
        "description": described,
    }


def example_of(status: int) -> dict[str, object]:
    """Return an example of an error body with this status."""
    chosen = (one for one in (*_EXAMPLES, *ANSWERS) if ANSWERS[one].status == status)
    error = next(chosen, InboundRefused)  # A platform determines the status of its refusals.
    answer = ANSWERS[error]
    facts = _QUOTA if error is QuotaExhausted else {}
    return {
        "error": answer.text,
        "code": error.code,
        "request_id": "01J9ZQ4Z8N3V5X7B2C4D6E8F0H",
        **{name: facts[name] for name in answer.fields if name in facts},
    }
