"""Texts shortened for lists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.core.plain_text import shortened


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("Where is my parcel?", 19, "Where is my parcel?"),
        ("Where is my parcel?", 18, "Where is my…"),
        ("Where is my parcel?", 13, "Where is my…"),
        ("Where is my parcel?", 12, "Where is my…"),
        ("Where is my parcel?", 11, "Where is…"),
        ("Hello, where is it?", 8, "Hello…"),
        ("Où est mon colis\u202f?", 17, "Où est mon colis…"),
        ("Donaudampfschifffahrt", 10, "Donaudamp…"),
    ],
)
def test_a_long_text_is_cut_after_a_word(text: str, most: int, shown: str) -> None:
    assert shortened(text, most) == shown


@given(st.text("ab ,.\n", max_size=60), st.integers(1, 50))
def test_a_shortened_text_is_a_beginning(text: str, most: int) -> None:
    shown = shortened(text, most)
    assert len(shown) <= most
    if shown != text:
        assert shown.endswith("…")
        assert text.startswith(shown[:-1])
