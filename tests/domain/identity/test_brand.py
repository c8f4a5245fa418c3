"""A shop's name is one visible line, for any input."""

import pytest

from domain.identity.brand import brand_name
from domain.identity.errors import InvalidBrandName


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  Maison   Lin ", "Maison Lin"),
        ("Maison\r\nBcc: eve@evil.example", "Maison Bcc: eve@evil.example"),
        ("Maison\u202eniL", "MaisonniL"),
        ("Mai\0son\u200b", "Maison"),
        ("Épicerie « 東京 » 🧺", "Épicerie « 東京 » 🧺"),
        ("x" * 100, "x" * 100),
    ],
)
def test_what_is_kept(typed: str, kept: str) -> None:
    assert brand_name(typed) == kept


@pytest.mark.parametrize("typed", ["", "  ", "\r\n", "\u202e\u200b", "x" * 101, "x" * 400])
def test_what_is_no_name(typed: str) -> None:
    with pytest.raises(InvalidBrandName):
        brand_name(typed)
