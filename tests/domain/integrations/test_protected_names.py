"""Names that imitate carriers, banks or the service are not shown in emails."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.core.service_name import ServiceName
from domain.integrations.protected_names import mailable_name


@pytest.mark.parametrize(
    "name",
    [
        "DHL Express Support", "dhlexpresssupport", "D H L", "D.H.L. colis", "DНL", "dh1", "ＤＨＬ",
        "𝐃𝐇𝐋", "D\u200bHL", "ꓓꓧꓡ", "DᏂL", "UPS-colis", "upsfrance", "Chr0nopost",
        "LaPoste", "La  Poste", "PayPaI", "Paypa1", "pаypаl", "PAΥPAL", "Arnazon", "H5BC",
        "Credit-Agricole alerte", "Sоciété Générale", "Groupe BNP", "Agent de support",
    ],
)  # fmt: skip
def test_look_alikes(name: str) -> None:
    assert mailable_name(name, None) == ""
    assert mailable_name(name, "contact@shop.example") == "shop.example"


@pytest.mark.parametrize(
    "name",
    [
        "Boutique", "Maison Lin", "Pushups", "Cups & Mugs", "Été & Fils", "King Shop", "Amazonia",
        "stripes & dots", "Service", "Club Ring", "Кофе Shop", "Tシャツ Shop", "naïve café",
    ],
)  # fmt: skip
def test_names_of_shops(name: str) -> None:
    assert mailable_name(name, None) == name


def test_a_name_is_shown_under_its_own_domain() -> None:
    assert mailable_name("DHL Express", "support@dhl.com") == "DHL Express"
    assert mailable_name("DHL Express", "support@mail.dhl.com") == "DHL Express"
    assert mailable_name("DHL Express", "support@evildhl.com") == "evildhl.com"


@pytest.mark.parametrize(
    "name", ["Relay Desk", "relay-desk support", "RelayDesk", "ReIay Desk", "R3lay D3sk Client"]
)
def test_the_services_own_name_is_shown_by_nobody(name: str) -> None:
    """It is reserved for its own emails: sign-in codes, invitations, notices to owners."""
    own = ServiceName("Relay Desk")
    assert mailable_name(name, None, own) == ""
    assert mailable_name(name, "contact@shop.example", own) == "shop.example"
    assert mailable_name(name, None, ServiceName("Other")) == name


def test_a_word_of_many_shops_is_protected_alone() -> None:
    for name in ("Service", "Service Client", "SERVICE support"):
        assert mailable_name(name, None, ServiceName("Service")) == ""
    assert mailable_name("Service Vélo", None, ServiceName("Service")) == "Service Vélo"


@given(st.text(max_size=200))
def test_any_text_has_an_answer(name: str) -> None:
    assert mailable_name(name, None) in (name, "")
