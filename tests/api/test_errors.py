"""The error table: every error has its row, and none tells more than it should."""

import inspect

import orjson

from api.errors import ANSWERS, error_response
from domain import errors

# Errors that only operators and activities meet; none of them reaches a route.
NOT_FOR_CALLERS = {
    errors.EscalationNotFound,
    errors.EscalationDecided,
    errors.DraftMissing,
    errors.PlaybookNotFound,
    errors.KeyNotFound,
    errors.InvalidInput,
    errors.MailRefused,
    errors.MailUnreachable,
    errors.MailUnknown,
}


def all_errors() -> set[type[errors.DomainError]]:
    return {
        kind
        for _, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, errors.DomainError)
        and kind not in (errors.DomainError, errors.EventKept)  # these two are only kinds
    }


def test_every_error_has_an_answer() -> None:
    assert all_errors() == set(ANSWERS) | NOT_FOR_CALLERS
    assert not set(ANSWERS) & NOT_FOR_CALLERS


def test_codes_are_unique() -> None:
    codes = [kind.code for kind in all_errors()]
    assert len(codes) == len(set(codes))


def test_texts_of_the_specification() -> None:
    expected = {
        errors.Unauthenticated: (401, "Non autorise."),
        errors.ClientIdMissing: (400, "client_id requis"),
        errors.AccessDenied: (403, "Acces refuse."),
        errors.ClientNotFound: (404, "Client non trouve"),
        errors.MethodNotAllowed: (405, "Méthode non autorisée"),
    }
    for kind, (status, text) in expected.items():
        assert (ANSWERS[kind].status, ANSWERS[kind].text) == (status, text)


def test_unmapped_error_is_internal_and_silent() -> None:
    response = error_response(errors.KeyNotFound("ak_secret"), "request-1")

    assert response.status_code == 500
    assert orjson.loads(response.body) == {
        "error": "Erreur interne.",
        "code": "internal_error",
        "request_id": "request-1",
    }
