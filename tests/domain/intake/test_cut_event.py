"""The preview of an event that is too expensive to parse."""

import pytest

from domain.intake.cut_event import CUT_CHARS, cut_event
from domain.intake.event import InboundEvent


def test_the_beginning_of_a_message_without_its_markup() -> None:
    html = "<p>Where is <b>my</b> order?</p>" + "<style>@bbb{" * 40_000
    event = InboundEvent(
        event_type="email.inbound",
        customer_email="a@b.example",
        payload={"subject": "Order\r\nX: y", "html_body": html},
    )

    cut = cut_event(event, fallback_ticket_id="T")

    assert cut.text.startswith("Where is  my  order?")
    assert len(cut.text) <= CUT_CHARS
    assert (cut.subject, cut.customer_email) == ("Order X: y", "a@b.example")


def test_a_person_knows_whom_to_answer() -> None:
    mail = InboundEvent(event_type="email.inbound", payload={"from": "Emma <Emma@b.example>"})

    assert cut_event(mail, fallback_ticket_id="T").customer_email == "emma@b.example"


def test_nothing_is_concluded_from_it() -> None:
    """Its customer is unverified, and no order number is read from it."""
    message = "Refund order 1042! " * 10_000
    cut = cut_event(InboundEvent(event_type="api", message=message), fallback_ticket_id="T")

    assert (cut.order_numbers, cut.customer_verified, cut.sender_authenticated) == (
        (),
        False,
        False,
    )
    assert (cut.ticket_id, cut.ticket_named) == ("T", False)


@pytest.mark.parametrize("payload", [{}, {"text": ["no", "text"]}, {"message": {"body": 1}}])
def test_an_event_without_a_text(payload: dict[str, object]) -> None:
    event = InboundEvent.model_validate({"event_type": "api", "payload": payload})
    assert cut_event(event, fallback_ticket_id="T").text == ""
