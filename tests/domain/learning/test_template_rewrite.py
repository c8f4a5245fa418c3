"""A correction applied to a template: its placeholders remain, or it is unchanged."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.agent.template import fill, names
from domain.learning.template_rewrite import rewritten_template
from domain.learning.word_diff import word_diff

BODY = (
    "Bonjour {{ customer_name | }},\nLa commande {{ order_number }} part sous 3 jours.\n{{ brand }}"
)
DRAFT = "Bonjour Anne,\nLa commande 1042 part sous 3 jours.\nBoutique"


def _rewritten(draft: str, sent: str, body: str = BODY) -> str | None:
    return rewritten_template(body, draft, word_diff(draft, sent))


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (DRAFT.replace("3 jours", "5 jours ouvrés"), BODY.replace("3 jours", "5 jours ouvrés")),
        (f"Merci. {DRAFT}", f"Merci. {BODY}"),
        (f"{DRAFT}\nÀ bientôt", f"{BODY}\nÀ bientôt"),
        (f"{DRAFT}\n", BODY),
        (DRAFT.replace("1042", "1043"), None),
        (DRAFT.replace(" Anne", ""), None),
        (f"{DRAFT} {{{{ order_total }}}}", None),
        ("Tout autre chose.", None),
    ],
    ids=["a fact", "before", "after", "a blank", "a value", "a value lost", "braces", "all of it"],
)
def test_what_becomes_of_the_template(sent: str, expected: str | None) -> None:
    assert _rewritten(DRAFT, sent) == expected


@pytest.mark.parametrize(
    ("body", "draft"),
    [
        ("Bonjour {{ name }}.", "Bonsoir Anne."),
        ("Bonjour.", "Bonjour. Et plus."),
        ("Bonjour {{ name }}.", "Bonjour Anne. Et plus"),
    ],
    ids=["other words", "more", "more after a value"],
)
def test_a_draft_that_is_not_the_filled_template(body: str, draft: str) -> None:
    assert _rewritten(draft, f"{draft} !", body) is None


WORDS = st.lists(st.sampled_from(["un", "deux", "trois,", "\n", "30"]), max_size=6).map(" ".join)


@settings(max_examples=150)
@given(
    st.lists(WORDS, min_size=2, max_size=5), WORDS, WORDS, st.sampled_from(["Anne", "1042", "un"])
)
def test_no_placeholder_is_lost_or_made(
    literals: list[str], before: str, after: str, value: str
) -> None:
    body = " {{ name }} ".join(literals)
    draft = fill(body, {"name": value}).text

    found = _rewritten(draft, f"{before} {draft} {after}", body)

    if found is not None:
        assert found.count("{{ name }}") == len(literals) - 1
        assert names(found) == names(body)
        filled = fill(found, {"name": value}).text
        assert filled.split() == f"{before} {draft} {after}".split()
