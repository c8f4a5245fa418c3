"""The problems of a rejected form: the field's label, and what to enter."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

import api.dashboard
from api.dashboard.problems import FormProblem, field_label, form_problems, said_rule

WORDS = Path(api.dashboard.__file__).parent / "words"


def _words(language: str) -> Mapping[str, object]:
    return {
        name: tomllib.loads((WORDS / language / f"{name}.toml").read_text())
        for name in ("problems", "terms")
    }


def _shown(language: str, english: str, french: str) -> list[str]:
    problems = form_problems(_words(language), {"en": english, "fr": french}, language)
    return [f"{one.label}: {one.text}" for one in problems]


def test_a_known_rule_is_an_instruction_in_the_users_language() -> None:
    reason = ("branding.logo_url: an https URL expected", "branding.logo_url : URL https attendue")

    assert _shown("en", *reason) == ["Logo: Enter an address that starts with https://"]
    assert _shown("fr", *reason) == ["Logo: Saisissez une adresse comme https://boutique.example"]


def test_a_rules_numbers_stay() -> None:
    shown = _shown("en", "title: 1 to 200 characters expected", "title : 1 à 200 caractères")

    assert shown == ["Title: Enter 1 to 200 characters"]


def test_an_unknown_rule_follows_the_label_as_it_is() -> None:
    reason = ("holidays: at most 400 dates", "holidays : 400 dates au plus")

    assert _shown("en", *reason) == ["Holidays: at most 400 dates"]
    assert _shown("fr", *reason) == ["Jours fériés: 400 dates au plus"]


def test_an_actions_field_names_its_action() -> None:
    rule = 'a decimal number in quotes expected, as in "50.00"'
    reason = {"en": f"actions.refund.limits.per_action: {rule}"}

    (problem,) = form_problems(_words("en"), reason, "en")

    assert problem.label == "Refund · Max. per action"
    assert problem.text == "Enter an amount like 50.00"
    assert problem.is_at("actions.refund.limits.per_action")


def test_a_body_without_a_rule_names_its_field() -> None:
    reason = ("field “customer_email”", "champ « customer_email »")

    assert _shown("en", *reason) == ["Customer’s email: This is missing or not valid."]


@pytest.mark.parametrize("english", ["", "the service is busy", "gadget: seven expected"])
def test_a_reason_without_a_labelled_field_has_no_problems(english: str) -> None:
    assert form_problems(_words("en"), {"en": english}, "en") == ()


@pytest.mark.parametrize(
    ("path", "name", "is_there"),
    [
        ("branding.color", "color", True),
        ("url", "url", True),
        ("events", "events:ticket.resolved", True),
        ("url", "label", False),
        ("actions.refund.limits.currency", "actions.cancel_order.limits.currency", False),
    ],
)
def test_a_problem_is_at_the_field_of_its_path(path: str, name: str, is_there: bool) -> None:
    assert FormProblem(path, "label", "text").is_at(name) is is_there


@pytest.mark.parametrize("language", ["en", "fr"])
def test_no_label_and_no_rule_is_empty(language: str) -> None:
    words = _words(language)

    assert field_label(words, "limits.nothing") == ""
    assert said_rule(words, "nothing of the kind") == ""
