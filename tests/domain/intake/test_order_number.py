"""Which order a customer writes about."""

import pytest

from domain.intake.order_number import find_order_number
from tests.support.intake.normalized import unified


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Ma commande #1234 svp", "1234"),
        ("commande n° 1234.", "1234"),
        ("Commande numéro : FR-10023", "FR-10023"),
        ("order 1234?", "1234"),
        ("Order no. 5544, thanks", "5544"),
        ("#FR1001", "FR1001"),
        ("commande n° XKBKNABJK", "XKBKNABJK"),
        ("commande 06 12 34 56 78", None),
        ("commande 0612345678", None),
        ("call +33612345678", None),
        ("commande du 12 mars 2026", None),
        ("commande 12/03/2026", None),
        ("commande 2026-03-12", None),
        ("my order 2025", None),
        ("I want to order 2000 units", None),
        ("my order is 14 days late", None),
        ("the order is late", None),
        ("https://x.fr/p#12345 &#1234;", None),
    ],
)
def test_order_number_in_text(text: str, number: str | None) -> None:
    assert find_order_number(text) == number
    assert unified("api_direct", message=text).order_number == number


def test_order_number_in_payload_wins() -> None:
    assert unified("api_direct", {"order_id": 77}, message="#1234").order_number == "77"
    assert unified("api_direct", {"order": {"name": "#88"}}, message="#1234").order_number == "88"
