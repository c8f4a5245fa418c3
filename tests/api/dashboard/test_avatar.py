"""Users' names, initials and avatar colors."""

import pytest

from api.dashboard.avatar import HUES, display_name, hue, initials


@pytest.mark.parametrize(
    ("email", "said"),
    [
        ("lea.martin@example.com", "LM"),
        ("sophie@example.com", "S"),
        ("jean-luc.o'neil@example.com", "JL"),
        ("user_42.x@example.com", "UX"),
        ("élodie@example.com", "É"),
        ("42@example.com", "?"),
        ("", "?"),
    ],
)
def test_initials(email: str, said: str) -> None:
    assert initials(email) == said


@pytest.mark.parametrize(
    ("email", "said"),
    [
        ("lea.martin@example.com", "Lea Martin"),
        ("sophie@example.com", "Sophie"),
        ("user_42.x@example.com", "User X"),
        ("42@example.com", "42"),
        ("une collègue", "une collègue"),
    ],
)
def test_the_name_in_an_address(email: str, said: str) -> None:
    assert display_name(email) == said


def test_a_person_keeps_a_colour() -> None:
    found = {hue(f"person{number}@example.com") for number in range(100)}

    assert found == {*range(HUES)}
    assert hue("Lea@Example.com") == hue("lea@example.com")
