"""The AI disclosure: its default, the merchant's text, and where it is added."""

import pytest

from domain.tenants.disclosure import (
    DEFAULT_DISCLOSURE,
    MAX_DISCLOSURE,
    MIN_DISCLOSURE,
    DisclosureStatus,
    check_disclosure,
    disclosed,
    disclosure_line,
    disclosures,
)
from domain.tenants.errors import InvalidSettings


def test_it_is_on_by_default_in_the_customers_language() -> None:
    assert disclosure_line(None, None, "fr") == "Vous échangez avec notre assistant IA."
    assert disclosure_line(DisclosureStatus.ON, {}, "en") == DEFAULT_DISCLOSURE["en"]
    assert disclosure_line("on", {"fr": "Une IA répond."}, "de") == DEFAULT_DISCLOSURE["en"]


def test_the_merchants_words_replace_the_default() -> None:
    texts = check_disclosure({"fr": " Une IA\nvous répond ici. ", "en": " "})
    assert texts == {"fr": "Une IA vous répond ici."}
    assert disclosure_line("on", texts, "fr") == "Une IA vous répond ici."
    assert disclosure_line("on", texts, "en") == DEFAULT_DISCLOSURE["en"]
    assert check_disclosure(DEFAULT_DISCLOSURE) == {}


@pytest.mark.parametrize("status", [one for one in DisclosureStatus if one != "on"])
def test_each_reason_switches_it_off(status: DisclosureStatus) -> None:
    assert disclosure_line(status, {"fr": "Une IA répond."}, "fr") == ""
    assert disclosed("Bonjour.", disclosure_line(status, None, "fr")) == "Bonjour."
    assert disclosures(status, {}) == {}


def test_the_greeting_has_it_in_each_language() -> None:
    assert disclosures(DisclosureStatus.ON, {"en": "AI here."}) == {
        "fr": DEFAULT_DISCLOSURE["fr"], "en": "AI here.",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "."), ("en", "Written with care by our team."), ("en", "Answered by Léa."),
        ("fr", "J'ai rédigé cette réponse."), ("fr", "L'aide de la maison"),
        ("en", "You are not talking to an AI."), ("en", "No AI answers you in this shop."),
        ("en", "An AI never writes our answers."), ("en", "We answer without any chatbot."),
        ("en", "This isn\u2019t a robot, it is Léa."), ("en", "We don't use AI to answer you."),
        ("fr", "Ce n'est pas une IA qui répond."), ("fr", "Jamais une IA ne vous répond."),
        ("fr", "Aucun robot dans notre équipe."), ("fr", "Une réponse écrite sans robot."),
        ("fr", "Votre interlocutrice n\u2019est point une IA"),
    ],
)  # fmt: skip
def test_words_that_hide_the_assistant_are_refused(language: str, text: str) -> None:
    with pytest.raises(InvalidSettings, match="AI assistant"):
        check_disclosure({language: text})


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Answered by our own AI."), ("en", "Written by Léa, our chatbot"),
        ("en", "A virtual assistant wrote this."), ("fr", "L'IA de la boutique vous répond."),
        ("fr", "Réponse automatique de la maison"), ("fr", "Léa, assistante virtuelle"),
    ],
)  # fmt: skip
def test_words_that_name_the_assistant_are_kept(language: str, text: str) -> None:
    assert check_disclosure({language: text}) == {language: text}


def test_what_is_refused_otherwise() -> None:
    with pytest.raises(InvalidSettings, match="fr and en"):
        check_disclosure({"de": "KI"})
    with pytest.raises(InvalidSettings, match="characters"):
        check_disclosure({"en": "AI " + "x" * MAX_DISCLOSURE})
    for short in ("AI", "AI" + "." * (MIN_DISCLOSURE - 3)):
        with pytest.raises(InvalidSettings, match=f"at least {MIN_DISCLOSURE} characters"):
            check_disclosure({"en": short})


def test_it_stands_below_the_answer_once() -> None:
    line = DEFAULT_DISCLOSURE["en"]
    once = disclosed("It is on its way.\n", line)
    assert once == f"It is on its way.\n\n{line}"
    assert disclosed(once, line) == once
    worded = "Hello.\n you  are talking to our AI assistant. \nBye."
    assert disclosed(worded, line) == worded
    assert disclosed(" ", line) == " "


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ("We sent you an email.", "AI"),
        ("I said: you are talking to our AI assistant.", DEFAULT_DISCLOSURE["en"]),
        ("You are talking\nto our AI assistant.", DEFAULT_DISCLOSURE["en"]),
    ],
)
def test_words_within_a_line_do_not_replace_it(answer: str, line: str) -> None:
    assert disclosed(answer, line) == f"{answer}\n\n{line}"
