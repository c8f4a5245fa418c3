"""Apostrophes and French spaces in the pages' texts; numbers, amounts and plural forms."""

from datetime import date
from zoneinfo import ZoneInfo

import pytest

from adapters.system import utc_now
from api.dashboard.formats import Formats
from api.dashboard.pages import LANGUAGES, Pages
from api.dashboard.typography import typeset
from domain.core.money import Money
from domain.core.service_name import ServiceName

NARROW = "\u202f"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Motif : l'ordre", f"Motif{NARROW}: l’ordre"),
        ("« {name} » ?", f"«{NARROW}{{name}}{NARROW}»{NARROW}?"),
        ("80 % de 20 000 articles", f"80{NARROW}% de 20{NARROW}000 articles"),
        ("https://boutique.example", "https://boutique.example"),
    ],
)
def test_french_has_its_spaces(text: str, shown: str) -> None:
    assert typeset(text, "fr") == shown
    assert typeset(text, "en") == text.replace("'", "’")


def test_texts_of_pages_and_of_errors_are_typeset() -> None:
    pages = Pages(ServiceName("Support"))
    assert pages.say("fr", "frame.colon", {}) == f"{NARROW}: "
    assert pages.say("fr", "errors.loosening_held", {}).count(NARROW) == 1
    for language in LANGUAGES:
        assert "'" not in pages.say(language, "loosenings.empty", {})


def _formats(language: str) -> Formats:
    return Formats(language, ZoneInfo("UTC"), utc_now())


@pytest.mark.parametrize(("language", "none"), [("en", "0 days"), ("fr", "0 day")])
def test_a_count_has_its_plural(language: str, none: str) -> None:
    fmt = _formats(language)
    assert fmt.count("{count} day|{count} days", 0) == none
    assert fmt.count("{count} day|{count} days", 1) == "1 day"
    assert fmt.count("{count} day|{count} days", 2) == "2 days"


@pytest.mark.parametrize(
    ("currency", "english", "french"),
    [
        ("EUR", "€1,234.50", f"1{NARROW}234,50\u00a0€"),
        ("CHF", "CHF\u00a01,234.50", f"1{NARROW}234,50\u00a0CHF"),
    ],
)
def test_money_is_written_as_its_language_writes_it(
    currency: str, english: str, french: str
) -> None:
    amount = Money(minor=123_450, currency=currency)
    assert _formats("en").money(amount) == english
    assert _formats("fr").money(amount) == french


def test_dollars_of_a_model() -> None:
    assert [_formats("en").dollars(one) for one in (0, 120, 3_960_000)] == [
        "$0.00",
        "$0.0001",
        "$3.96",
    ]


def test_the_first_of_a_month_in_french() -> None:
    assert _formats("fr").day(date(2026, 12, 1)) == "1er déc. 2026"
    assert _formats("en").day(date(2026, 12, 1)) == "1 Dec 2026"
