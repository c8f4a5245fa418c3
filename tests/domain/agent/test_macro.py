"""A template that a member inserts into a reply."""

import pytest

from domain.agent.brain import Category, Template
from domain.agent.frame import PLAIN_FRAME
from domain.agent.macro import inserted
from domain.intake.event import Channel, UnifiedEvent
from domain.intake.proved_address import ProofKind, ProvedAddress

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
    filled = inserted(_template(body), event, PLAIN_FRAME, brand_name="Chez Nous", has_shop=False)
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
    )
    assert filled.text == "Remboursé : [refund_amount]"


def _template(body: str) -> Template:
    return Template(id="t", name="Suivi", category=Category.ORDER_STATUS, language="fr", body=body)
