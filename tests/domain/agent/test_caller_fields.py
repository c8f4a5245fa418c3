"""Which fields of an event an answer may repeat."""

from typing import Any, Final

import pytest

from domain.agent.brain import BrainRequest, Category, Citation, Template
from domain.agent.caller_fields import answer_fields, states_order_fact
from domain.intake.event import Channel, UnifiedEvent
from domain.intake.order_number import is_order_number
from domain.intake.proved_address import ProofKind, ProvedAddress
from tests.support.agent.grounding import unsupported

ADDRESS: Final = "a@b.example"
NAMES: Final = {"customer_name": "Léa Martin", "first_name": "Léa"}
ORDER_FACTS: Final = {"tracking_url": "https://x.example", "order_status": "partie"}
FIELDS: Final = {
    **NAMES, **ORDER_FACTS, "order_number": "1042", "subject": "Ma commande",
    "customer_email": ADDRESS, "iban": "FR76", "review_link": "https://y.example",
}  # fmt: skip


def _event(channel: Channel, by: ProofKind | None = None, **more: Any) -> UnifiedEvent:
    proved = ProvedAddress(address=ADDRESS, by=by) if by else None
    known: dict[str, Any] = {"customer_email": ADDRESS, "fields": FIELDS, **more}
    return UnifiedEvent(channel=channel, proved=proved, **known)


@pytest.mark.parametrize("has_shop", [False, True])
@pytest.mark.parametrize("channel", Channel)
def test_an_unverified_caller_states_an_order_number_and_a_name_to_itself(
    channel: Channel, has_shop: bool
) -> None:
    given = answer_fields(_event(channel), has_shop=has_shop)
    names = {} if channel in (Channel.EMAIL, Channel.HELPDESK) else NAMES
    assert given == {"order_number": "1042", **names}


@pytest.mark.parametrize("by", [ProofKind.VOUCHED, ProofKind.MAIL])
def test_a_caller_that_vouches_states_the_facts_of_a_shop_that_is_not_connected(
    by: ProofKind,
) -> None:
    event = _event(Channel.EMAIL, by)
    assert answer_fields(event, has_shop=False) == FIELDS
    connected = answer_fields(event, has_shop=True)
    assert connected == {name: FIELDS[name] for name in FIELDS if name not in ORDER_FACTS}


def test_a_caller_that_vouches_for_no_customer_states_the_facts() -> None:
    event = _event(Channel.API, customer_email=None, is_vouched=True)
    assert answer_fields(event, has_shop=False) == FIELDS
    ticket = _event(Channel.HELPDESK, customer_email=None, is_vouched=True)
    assert answer_fields(ticket, has_shop=False) == {"order_number": "1042"}


def test_a_code_proves_no_field_of_the_ticket() -> None:
    given = answer_fields(_event(Channel.HELPDESK, ProofKind.CODE), has_shop=False)
    assert given == {"order_number": "1042", "customer_email": ADDRESS, **NAMES}


def test_a_name_that_is_no_name_is_left_out() -> None:
    fields = {"customer_name": "evil.com", "name": "Win 50 EUR", "colour": "red"}
    event = _event(Channel.EMAIL, ProofKind.VOUCHED, fields=fields)
    assert answer_fields(event, has_shop=False) == {"colour": "red"}


@pytest.mark.parametrize("written", ["1042", "#1042", "A-1042", "XKBKNABJK", "1042-B", "7"])
def test_an_order_number_alone(written: str) -> None:
    assert is_order_number(written)


@pytest.mark.parametrize(
    "written",
    ["", "https://x.example/1042", "x.example", "1042 x.example", "0899123456", "20 EUR",
     "1042 or 1043", "call 1042", "+33899123456", "2026-11-12"],
)  # fmt: skip
def test_what_is_more_than_an_order_number(written: str) -> None:
    assert not is_order_number(written)
    event = _event(Channel.API, fields={"order_number": written})
    assert answer_fields(event, has_shop=False) == {}


def test_the_placeholders_of_an_order() -> None:
    stated = {"tracking_url", "Tracking_URL", "order_total", "order_items", "ORDER_STATUS"}
    assert all(map(states_order_fact, stated))
    assert not any(map(states_order_fact, ("order_number", "subject", "colour")))


@pytest.mark.parametrize(("has_shop", "is_source"), [(False, True), (True, False)])
def test_a_callers_link_is_no_source_for_itself(has_shop: bool, is_source: bool) -> None:
    template = Template(
        id="t", name="Avis", category=Category.OTHER, language="fr",
        body="Donnez votre avis : {{ review_link }}",
    )  # fmt: skip
    request = BrainRequest.about(
        _event(Channel.API, ProofKind.VOUCHED), brand_name="Boutique", has_shop=has_shop,
        templates=(template,), passages=(),
    )  # fmt: skip
    source = Citation(kind="template", id="t", title="Avis")
    answer = "Donnez votre avis : https://y.example"
    assert (unsupported(answer, (source,), request) == ()) is is_source
