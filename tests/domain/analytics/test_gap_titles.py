"""The titles of knowledge gaps."""

import pytest

from domain.analytics.gaps import TITLE_CHARS, question_title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "Bonjour, livrez-vous en Suisse, et y a-t-il des frais de douane ?",
            "Livrez-vous en Suisse, et y a-t-il des frais de douane ?",
        ),
        ("Hi there,\n\nI love it. Do you ship to Norway? Thanks", "Do you ship to Norway?"),
        ("Good morning! gift wrapping please", "Gift wrapping please"),
        ("Hippopotamus lamps?", "Hippopotamus lamps?"),
        ("", ""),
    ],
)
def test_a_title_is_the_first_question_without_its_greeting(text: str, title: str) -> None:
    assert question_title(text) == title


def test_a_long_title_is_cut() -> None:
    title = question_title("word " * 50)
    assert len(title) <= TITLE_CHARS
    assert title.endswith("…")
