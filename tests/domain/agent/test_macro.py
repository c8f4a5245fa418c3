"""A template that a member inserts into a reply."""

from datetime import date

import pytest

from domain.agent.brain import Category, Template
from domain.agent.frame import PLAIN_FRAME
from domain.agent.macro import inserted
from domain.intake.event import Channel, UnifiedEvent
from domain.intake.proved_address import ProofKind, ProvedAddress
from tests.support.agent.llm_brain import ORDER

TODAY = date(2026, 11, 30)
FIELDS = {
    "customer_name": "http://evil.example",
    "first_name": "Call 0899 123 456",
    "subject": "Refund approved, see evil.example",
    "tracking_url": "https://evil.example/pay",
    "order_number": "1042",
}
BODY = "{{ customer_name | client }} {{ first_name | }} {{ subject | }} {{ tracking_url | }}"


def test_it_is_filled_from_the_message() -> None:
    body = "Commande {{ order_number }}, {{ pays | 'France' }} : {{ tracking_url }}"
    fields = {"tracking_url": "u", "order_number": "1042"}
    proved = ProvedAddress(address="a@b.example", by=ProofKind.VOUCHED)
    event = UnifiedEvent(
        channel=Channel.EMAIL, customer_email="a@b.example", proved=proved, fields=fields
    )
    filled = inserted(
        _template(body),
        event,
        PLAIN_FRAME,
        brand_name="Chez Nous",
        has_shop=False,
        order=None,
        today=TODAY,
    )
    assert (filled.text, filled.missing) == ("Commande 1042, France : u", ())


@pytest.mark.parametrize("channel", Channel)
def test_an_unverified_author_writes_nothing_of_it(channel: Channel) -> None:
    """Attack: a member inserts a macro into a reply to a victim, filled with a stranger's name,
    subject and link."""
    event = UnifiedEvent(
        channel=channel,
        customer_email="victim@example.net",
        customer_name=FIELDS["customer_name"],
        subject=FIELDS["subject"],
        order_number="1042",
        fields=FIELDS,
    )
    filled = inserted(
        _template(f"{BODY} {{{{ order_number }}}}"),
        event,
        PLAIN_FRAME,
        brand_name="Chez Nous",
        has_shop=False,
        order=None,
        today=TODAY,
    )
    assert filled.text.split() == ["client", "1042"]


def test_what_is_not_known_stays_for_the_member() -> None:
    event = UnifiedEvent(channel=Channel.EMAIL)
    filled = inserted(
        _template("{{ greeting }} Suivi : {{ tracking_url }}"),
        event,
        PLAIN_FRAME,
        brand_name="Chez Nous",
        has_shop=False,
        order=None,
        today=TODAY,
    )
    assert filled.text.endswith("Suivi : [tracking_url]")
    assert filled.missing == ("tracking_url",)


def test_a_field_promises_no_action() -> None:
    event = UnifiedEvent(channel=Channel.EMAIL, fields={"refund_amount": "49,00 €"})
    filled = inserted(
        _template("Remboursé : {{ refund_amount }}"),
        event,
        PLAIN_FRAME,
        brand_name="Chez Nous",
        has_shop=False,
        order=None,
        today=TODAY,
    )
    assert filled.text == "Remboursé : [refund_amount]"


def _template(body: str) -> Template:
    return Template(id="t", name="Suivi", category=Category.ORDER_STATUS, language="fr", body=body)


def test_the_order_found_fills_it_before_the_message() -> None:
    order = ORDER.model_copy(
        update={"number": "1044", "tracking_url": "https://track.example/1044"}
    )
    filled = inserted(
        _template("{{ order_number }} {{ tracking_url }} {{ refund_amount }}"),
        UnifiedEvent(channel=Channel.EMAIL, order_number="1042", fields={"order_number": "1042"}),
        PLAIN_FRAME,
        brand_name="Chez Nous",
        has_shop=True,
        order=order,
        today=TODAY,
    )
    assert filled.text == "1044 https://track.example/1044 [refund_amount]"
