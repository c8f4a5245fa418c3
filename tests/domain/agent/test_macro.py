"""A template that a member inserts into a reply."""

from domain.agent.brain import Category, Template
from domain.agent.frame import PLAIN_FRAME
from domain.agent.macro import inserted
from domain.intake.event import Channel, UnifiedEvent


def test_it_is_filled_from_the_message() -> None:
    body = "Commande {{ order_number }}, {{ pays | 'France' }} : {{ tracking_url }}"
    event = UnifiedEvent(channel=Channel.EMAIL, order_number="1042", fields={"tracking_url": "u"})
    filled = inserted(_template(body), event, PLAIN_FRAME, brand_name="Chez Nous")
    assert (filled.text, filled.missing) == ("Commande 1042, France : u", ())


def test_what_is_not_known_stays_for_the_member() -> None:
    event = UnifiedEvent(channel=Channel.EMAIL)
    filled = inserted(
        _template("{{ greeting }} Suivi : {{ tracking_url }}"),
        event,
        PLAIN_FRAME,
        brand_name="Chez Nous",
    )
    assert filled.text.endswith("Suivi : [tracking_url]")
    assert filled.missing == ("tracking_url",)


def test_a_field_promises_no_action() -> None:
    event = UnifiedEvent(channel=Channel.EMAIL, fields={"refund_amount": "49,00 €"})
    filled = inserted(
        _template("Remboursé : {{ refund_amount }}"), event, PLAIN_FRAME, brand_name="Chez Nous"
    )
    assert filled.text == "Remboursé : [refund_amount]"


def _template(body: str) -> Template:
    return Template(id="t", name="Suivi", category=Category.ORDER_STATUS, language="fr", body=body)
