"""An email with incomplete headers verifies nothing: the missing part may contain a signature with
`l=`, or another From."""

from collections.abc import Callable
from typing import Final

import pytest

from domain.inbound.inbound_request import InboundRequest
from domain.inbound.platforms.mailgun import MailgunRoutes
from domain.inbound.platforms.postmark import PostmarkInbound
from domain.inbound.platforms.sendgrid import SendgridParse
from domain.inbound.ports import EndpointFacts, Platform
from domain.integrations.providers import AUTHSERV_ID
from tests.support.inbound.mails import (
    Mail,
    by_mailgun,
    by_postmark,
    by_sendgrid,
    multipart,
    sendgrid_key,
    unified,
)

SIGNED: Final = EndpointFacts("integration", is_signed=True)
BEHIND_A_SERVER: Final = EndpointFacts("integration", settings={AUTHSERV_ID: "mx.shop.example"})
DKIM: Final = "{@customer.example : pass}"
PASS: Final = ("Authentication-Results", "mx.shop.example; dmarc=pass")
PART: Final = ("DKIM-Signature", "v=1; d=customer.example; l=20; b=x")

Headers = tuple[tuple[str, str], ...]

MANY: Final[Headers] = (("X-A", "b"),) * 300
LONG: Final[Headers] = (("X-A", "b" * 100_000),)
WIDE: Final[Headers] = (("X-A", "é" * 60_000),)
LINES: Final[Headers] = (("X-A", "\n b" * 2_000),)
CUTS: Final = {
    "300 headers": MANY,
    "100,000 characters": LONG,
    "2,000 lines": LINES,
    "an empty line": (("X-A", "b\n"),),
    "a line of unseen characters": (("X-A", "b\n\u200b"),),
    "a line of a control character": (("X-A", "b\n\x01"),),
    "a line of a delete": (("X-A", "b\n\x7f"),),
    "a line of a vertical tab": (("X-A", "b\n\x0b"),),
    "a bare carriage return": (("X-A", "b\r\r"),),
    "a line that is no header": (("X-A", "b\nDKIM-Signature v=1"),),
}


def is_believed_of_sendgrid(headers: Headers, *, dkim: str = "none", spf: str = "none") -> bool:
    request = sendgrid_key().sign(by_sendgrid(Mail(headers=headers), dkim=dkim, spf=spf))
    return unified(SendgridParse(), request, SIGNED).sender_authenticated


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
def test_a_signature_of_a_part_of_the_text_hides_below_no_cut(cut: Headers) -> None:
    """Attack: an email that the victim signed with `l=`, with text after the signed part."""
    assert is_believed_of_sendgrid((), dkim=DKIM)
    assert not is_believed_of_sendgrid((PART,), dkim=DKIM)
    assert not is_believed_of_sendgrid((*cut, PART), dkim=DKIM)


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
def test_nor_does_a_second_from(cut: Headers) -> None:
    headers = (("From", "ana@customer.example"), *cut)
    assert not is_believed_of_sendgrid(headers, spf="pass")


def test_long_headers_that_are_read_whole_are_believed() -> None:
    assert is_believed_of_sendgrid(MANY[:290], dkim=DKIM)
    assert is_believed_of_sendgrid(WIDE, dkim=DKIM)


def test_headers_that_come_twice_in_a_form_are_not_believed() -> None:
    more = [("headers", "From: ana@customer.example\n")]
    twice = sendgrid_key().sign(by_sendgrid(Mail(headers=(PART,)), dkim=DKIM, more=more))
    assert not unified(SendgridParse(), twice, SIGNED).sender_authenticated


@pytest.mark.parametrize(
    ("platform", "by"),
    [
        (PostmarkInbound(), by_postmark),
        (MailgunRoutes(), by_mailgun),
        (SendgridParse(), by_sendgrid),
    ],
)
def test_cut_headers_prove_nothing_behind_a_server_of_the_merchants(
    platform: Platform, by: Callable[[Mail], InboundRequest]
) -> None:
    whole, cut = Mail(headers=(PASS,)), Mail(headers=(PASS, *MANY))
    in_part = Mail(headers=(PASS, PART))
    assert unified(platform, by(whole), BEHIND_A_SERVER).sender_authenticated
    assert not unified(platform, by(cut), BEHIND_A_SERVER).sender_authenticated
    assert not unified(platform, by(in_part), BEHIND_A_SERVER).sender_authenticated


def test_a_mails_own_header_does_not_take_the_place_of_mailguns_list() -> None:
    """Mailgun posts each header as a field, including one named message-headers."""
    posted = {
        "from": "ana@customer.example",
        "sender": "ana@customer.example",
        "recipient": "help@shop.example",
        "body-plain": "Remboursez-moi",
    }
    own = '[["Authentication-Results", "mx.shop.example; dmarc=fail"]]'
    forged = '[["Authentication-Results", "mx.shop.example; dmarc=pass"]]'
    signed = {"timestamp": "1", "token": "t", "signature": "s"}
    fields = [*posted.items(), *signed.items()]
    for lists in ((forged, own), (own, forged)):
        request = multipart([*fields, *(("message-headers", one) for one in lists)])
        assert not unified(MailgunRoutes(), request, BEHIND_A_SERVER).sender_authenticated
    alone = multipart([*fields, ("message-headers", forged)])
    assert unified(MailgunRoutes(), alone, BEHIND_A_SERVER).sender_authenticated
