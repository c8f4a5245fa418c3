"""Errors for language models: in English, with a next step."""

import re

import pytest

from api.errors import ANSWERS
from api.mcp.advice import ADVICE, advice_on
from domain.billing.errors import QuotaExhausted
from domain.core.errors import (
    BodyTooLarge,
    BodyTooSlow,
    DomainError,
    HeadTooLarge,
    InternalError,
    InvalidRequest,
    MethodNotAllowed,
    RouteNotFound,
    ServerBusy,
    UnsupportedMediaType,
)
from domain.intake.errors import InvalidIdempotencyKey
from domain.runs.errors import RunNotFound

# Raised before a tool is called, or by no tool.
_EDGE = {
    *(BodyTooLarge, BodyTooSlow, HeadTooLarge, InternalError, InvalidRequest, MethodNotAllowed),
    *(RouteNotFound, ServerBusy, UnsupportedMediaType, InvalidIdempotencyKey),
}


def test_advice_is_for_errors_that_rest_knows_too() -> None:
    assert set(ADVICE) <= set(ANSWERS)
    assert not set(ADVICE) & _EDGE


@pytest.mark.parametrize("error", ADVICE, ids=lambda error: error.code)
def test_advice_is_english_and_has_only_facts(error: type[DomainError]) -> None:
    text = ADVICE[error]

    assert text.isascii()
    assert text.endswith(".")
    assert set(re.findall(r"{(\w+)}", text)) <= {"message", "quota", "window_s"}


def test_an_error_without_advice_is_told_in_general() -> None:
    assert advice_on(InternalError()) == (
        "The service failed. Do not repeat the call more than once. (internal_error)"
    )
    assert "(run_not_found)" in advice_on(RunNotFound("x"))


def test_the_quota_is_for_the_owner() -> None:
    assert "owner" in ADVICE[QuotaExhausted]
