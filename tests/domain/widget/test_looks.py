"""The widget's appearance: text is readable on every color."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.core.contrast import CONTRAST, contrast
from domain.tenants.client_settings import COLOR, Branding
from domain.widget.looks import looks


@given(st.from_regex(COLOR, fullmatch=True))
def test_text_can_be_read_on_every_color(color: str) -> None:
    shown = looks(Branding(color=color), "Boutique")

    assert shown.color == color
    assert contrast(shown.color, shown.on_color) >= CONTRAST


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#777777", "#ffffff", 4.48),
        ("#767676", "#ffffff", 4.54),
        ("#0000ff", "#ffffff", 8.59),
        ("#ABCDEF", "#abcdef", 1.0),
    ],
)
def test_contrast_is_that_of_the_standard(one: str, other: str, ratio: float) -> None:
    assert contrast(one, other) == contrast(other, one) == pytest.approx(ratio, abs=0.005)


def test_what_the_client_has_not_set() -> None:
    own = Branding(display_name="Été", logo_url="https://cdn.example/l.svg", color="#ffff00")

    shown = looks(Branding(), "Boutique")
    assert (shown.display_name, shown.on_color, shown.logo_url) == ("Boutique", "#ffffff", None)
    shown = looks(own, "Boutique")
    assert (shown.display_name, shown.on_color) == ("Été", "#000000")
    assert shown.logo_url == own.logo_url
