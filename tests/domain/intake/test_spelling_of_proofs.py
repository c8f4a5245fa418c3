"""A verified address covers its own mailbox, not another one with the same customer key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.intake.customer_email import customer_key, spells_its_key
from domain.intake.event import InboundEvent
from domain.intake.normalization import normalize

MX = "mx.shop.example"
ANOTHERS = ("x@maß.de", "ｖictim@free.example", "ſtrasse@free.example", "\u212aim@free.example")
"""Each is a separate mailbox with another one's key."""


def vouched(address: str, event_type: str = "shopify.ticket.created") -> InboundEvent:
    return InboundEvent(
        event_type=event_type,
        customer_email=address,
        message="Où en est ma commande 1043 ?",
        payload={"customer_verified": True},
    )


def mailed(address: str, result: str) -> InboundEvent:
    domain = address.rpartition("@")[2]
    headers = {
        "From": address,
        "Authentication-Results": f"{MX}; dmarc={result} header.from={domain}",
    }
    return InboundEvent(
        event_type="email.received", message="Remboursez 1043", payload={"headers": headers}
    )


@pytest.mark.parametrize("address", ANOTHERS)
@pytest.mark.parametrize(
    "event_type", ["shopify.ticket.created", "widget.chat.message", "prestashop.ticket.created"]
)
def test_a_vouched_address_is_not_the_mailbox_of_its_key(address: str, event_type: str) -> None:
    """Attack: an account at the shop with an address that folds to the victim's."""
    assert customer_key(address) != address

    event = normalize(vouched(address, event_type), fallback_ticket_id="t")

    assert event.proved is None
    assert not event.may_read
    assert not event.may_act


@pytest.mark.parametrize("result", ["pass", "none"])
@pytest.mark.parametrize("address", ANOTHERS)
def test_a_mail_is_not_of_the_mailbox_of_its_key(address: str, result: str) -> None:
    """Attack: an authenticated email from `maß.de`, and one whose answer goes to its sender."""
    event = normalize(mailed(address, result), fallback_ticket_id="t", authserv_ids=(MX,))

    assert event.proved is None
    assert not event.mailed_back
    assert not event.may_read


@pytest.mark.parametrize("address", ["Lea@Free.Example", " lea@free.example ", "léa@free.example"])
def test_case_and_spaces_are_the_same_mailbox(address: str) -> None:
    assert spells_its_key(address)
    event = normalize(vouched(address), fallback_ticket_id="t")
    assert event.may_act


@given(local=st.text(min_size=1, max_size=12), domain=st.text(min_size=1, max_size=12))
def test_what_is_proved_is_the_address_itself(local: str, domain: str) -> None:
    event = normalize(vouched(f"{local}@{domain}"), fallback_ticket_id="t")

    if event.proved is not None:
        shown = "".join(
            mark.lower() if mark.isascii() else mark for mark in event.customer_email or ""
        )
        assert event.proved.address == shown
