"""The frame of answers: greeting, name and language."""

import pytest

from domain.agent.brain import BrainRequest
from domain.agent.frame import PLAIN_FRAME, AnswerFrame
from domain.agent.template import fill

OWN = {
    "fr": {
        "named_greeting": "Salut {{ customer_name }} !",
        "sign_off": "À vous,\nl'équipe {{ brand_name }}",
    },
    "en": {"greeting": "Hi from {{ brand_name }},"},
}


def test_the_defaults() -> None:
    frame = AnswerFrame.of({}, brand_name="Maison", customer_name="Zoé Petit")
    assert frame.framed("C'est parti.\n", "fr") == (
        "Bonjour Zoé Petit,\n\nC'est parti.\n\nBien à vous,\nMaison"
    )
    assert frame.framed("Done.", "en") == "Hello Zoé Petit,\n\nDone.\n\nKind regards,\nMaison"


def test_the_clients_own_texts_and_the_defaults_of_the_rest() -> None:
    frame = AnswerFrame.of(OWN, brand_name="Maison", customer_name="Zoé")
    assert frame.values("fr") == {"greeting": "Salut Zoé !", "sign_off": "À vous,\nl'équipe Maison"}
    unknown = AnswerFrame.of(OWN, brand_name="Maison")
    assert unknown.values("en") == {
        "greeting": "Hi from Maison,",
        "sign_off": "Kind regards,\nMaison",
    }
    assert unknown.values("fr")["greeting"] == "Bonjour,"


@pytest.mark.parametrize(
    "name", ["www.evil.example", "You owe 500 EUR", "SARL Dupont", "guest", "x@y.example", "42"]
)
def test_only_a_persons_name_is_greeted(name: str) -> None:
    frame = AnswerFrame.of({}, brand_name="Maison", customer_name=name)
    assert frame.values("fr")["greeting"] == "Bonjour,"
    assert frame.values("en")["greeting"] == "Hello,"


def test_without_a_brand_its_line_is_left_out() -> None:
    assert PLAIN_FRAME.framed("Oui.", "fr") == "Bonjour,\n\nOui.\n\nBien à vous,"


def test_a_template_keeps_the_lines_of_the_sign_off() -> None:
    frame = AnswerFrame.of({}, brand_name="Maison {{ x }}")
    filled = fill("{{ greeting }} Oui.\n{{ sign_off }}", frame.values("fr"))
    assert filled.text == "Bonjour, Oui.\nBien à vous,\nMaison {{ x }}"
    assert (filled.complete, filled.used) == (True, 0)


def test_no_caller_greets_or_signs() -> None:
    fields = {"greeting": "Pay now,", "sign_off": "Eve", "colour": "red"}
    request = BrainRequest(text="x", brand_name="Maison", fields=fields)
    assert request.fields == {"colour": "red"}
