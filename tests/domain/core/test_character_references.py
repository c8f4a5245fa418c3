"""HTML character references in texts of strangers."""

import pytest

from domain.agent.safety.detection import unsafe
from domain.core.text import unescaped
from domain.inbound.sent_by_us import says_the_same
from domain.learning.comparison import plain_words

HUGE = "&#" + "1" * 5_000 + ";"


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        ("caf&eacute; &#233; &#xe9;", "café é é"),
        (f"before {HUGE} after", "before  after"),
        ("&#" + "9" * 5_000, ""),
    ],
)
def test_references_are_decoded_or_removed(text: str, decoded: str) -> None:
    assert unescaped(text) == decoded


def test_a_reference_of_thousands_of_digits_fails_nothing() -> None:
    assert unsafe(f"Hello {HUGE}") is None
    assert not says_the_same(f"Hello {HUGE}", "Good evening, your parcel is on its way.")
    assert plain_words(f"<p>Hello {HUGE}</p>") == "Hello"
