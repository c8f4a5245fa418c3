"""The texts of the starter templates."""

import re
from itertools import count

from domain.agent.intent import Intent
from domain.agent.plan import PLACEHOLDERS
from domain.agent.template import FRAME_NAMES, KNOWN_NAMES, names
from domain.content.content import (
    check_language,
    check_line,
    check_not_for,
    check_template_body,
)
from domain.content.starter_templates import starter_templates

_IDS = count()
STARTERS = starter_templates(lambda: f"{next(_IDS):04}")
# About the looked-up order, and nothing that a caller sends.
FACTS = {"order_status", "order_placed_on", "tracking_url"}
# Statements that only our action, or a human, can make true.
PROMISE = re.compile(
    r"\b(?:we (?:will|are going|shall)|we'll|will be (?:sent|refunded|cancelled|replaced)"
    r"|nous (?:allons|vous (?:rembours|renv|tiendr|recontact)\w+|ouvrons|lançons)"
    r"|sera (?:envoyée?|remboursée?|annulée?|remplacée?)|revenons vers vous)\b",
    re.IGNORECASE,
)


def test_each_is_as_an_author_could_have_saved_it() -> None:
    for one in STARTERS:
        assert check_line("name", one.name) == one.name
        assert check_template_body(one.body) == one.body
        assert check_language(one.language, one.body) == one.language
        assert check_not_for(one.not_for) == one.not_for
        assert one.is_starter


def test_each_needs_nothing_but_what_is_known() -> None:
    for one in STARTERS:
        assert names(one.body) >= FRAME_NAMES
        assert names(one.body) <= KNOWN_NAMES
        assert "cher" not in one.body.lower().split()


def test_both_languages_answer_the_same_intents_with_the_same_facts() -> None:
    french, english = (
        [(one.intent, names(one.body)) for one in STARTERS if one.language == language]
        for language in ("fr", "en")
    )
    assert french == english
    assert len({intent for intent, _ in french}) >= 20


def test_names_are_unique() -> None:
    assert len({one.name for one in STARTERS}) == len(STARTERS)


def test_only_placeholders_promise_that_something_is_done() -> None:
    for one in STARTERS:
        promised = names(one.body) & PLACEHOLDERS
        assert bool(promised) == (one.intent in (Intent.REFUND, Intent.CANCEL_ORDER))
        assert promised or not PROMISE.search(one.body), one.body


def test_the_orders_facts_come_from_the_shop_alone() -> None:
    """A caller may send an order number, but no text states that order's status on this basis."""
    for one in STARTERS:
        if "order_number" in names(one.body) and not names(one.body) & PLACEHOLDERS:
            assert names(one.body) & FACTS, one.name
