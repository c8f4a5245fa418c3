"""Whether an email's sender is verified: by the provider's own statement, never by
sender-controlled data."""

from typing import Final

from domain.inbound.platforms.mailgun import MailgunRoutes
from domain.inbound.platforms.postmark import PostmarkInbound
from domain.inbound.platforms.sendgrid import SendgridParse
from domain.inbound.ports import EndpointFacts
from domain.integrations.providers import AUTHSERV_ID
from tests.support.core.each import each
from tests.support.inbound.mails import (
    Mail,
    by_mailgun,
    by_postmark,
    by_sendgrid,
    sendgrid_key,
    unified,
)

SIGNED: Final = EndpointFacts("integration", is_signed=True)
FORGED: Final = (
    ("Authentication-Results", "mx.shop.example; dmarc=pass header.from=customer.example"),
    ("X-Mailgun-Dkim-Check-Result", "Pass"),
    ("X-Mailgun-Spf", "Pass"),
    ("X-Spam-Tests", "DKIM_SIGNED,DKIM_VALID,DKIM_VALID_AU,SPF_PASS"),
    ("Received-SPF", "Pass (sender SPF authorized) envelope-from=ana@customer.example"),
    ("DKIM", "{@customer.example : pass}"),
    ("SPF", "pass"),
)


def test_headers_that_a_sender_can_write_prove_nothing() -> None:
    mail = Mail(headers=FORGED)
    for platform, request in (
        (PostmarkInbound(), by_postmark(mail)),
        (MailgunRoutes(), by_mailgun(mail)),
        (SendgridParse(), sendgrid_key().sign(by_sendgrid(mail))),
    ):
        assert not unified(platform, request, SIGNED).sender_authenticated, platform.provider


def test_the_mail_server_that_all_mails_pass_is_believed() -> None:
    facts = EndpointFacts("integration", settings={AUTHSERV_ID: "mx.shop.example"})
    for platform, by in (
        (PostmarkInbound(), by_postmark),
        (MailgunRoutes(), by_mailgun),
        (SendgridParse(), by_sendgrid),
    ):
        assert unified(platform, by(Mail(headers=FORGED)), facts).sender_authenticated
        topmost = ("Authentication-Results", "mx.shop.example; dmarc=fail")
        assert not unified(
            platform, by(Mail(headers=(topmost, *FORGED))), facts
        ).sender_authenticated


PASS: Final = "{@customer.example : pass}"


@each(
    (
        ({"dkim": PASS}, {}, True, True),
        ({"dkim": PASS}, {}, False, False),  # the request was not signed
        ({"dkim": "{@example : pass}"}, {}, True, False),
        ({"dkim": "{@other.example : pass}"}, {}, True, False),
        ({"dkim": "{@news.customer.example : pass}"}, {}, True, False),
        ({"dkim": "{@customer.example : fail}"}, {}, True, False),
        ({"dkim": "{@customer.example : pass, @evil.example : pass}"}, {}, True, False),
        ({"dkim": PASS}, {"author": "ana@eu.customer.example"}, True, True),
        ({"dkim": PASS}, {"author": "a@customer.example, b@customer.example"}, True, False),
        ({"dkim": PASS}, {"headers": (("From", "b@customer.example"),)}, True, False),
        ({"dkim": PASS}, {"headers": (("DKIM-Signature", "v=1; l=20; b=x"),)}, True, False),
        ({"dkim": PASS}, {"headers": (("DKIM-Signature", "v=1; b=x"),)}, True, True),
        ({"dkim": PASS}, {"headers": (("Reply-To", "eve@evil.example"),)}, True, False),
        ({"dkim": PASS, "more": (("dkim", PASS),)}, {}, True, False),  # one belongs to a stranger
        ({"spf": "pass"}, {}, True, True),
        ({"spf": "pass"}, {"envelope_from": "eve@evil.example"}, True, False),
        ({"spf": "pass"}, {"envelope_from": "customer.example"}, True, False),
        ({"spf": "pass"}, {"envelope_from": ""}, True, False),
        ({"spf": "softfail"}, {}, True, False),
        ({"spf": "pass", "more": (("envelope", "{}"),)}, {}, True, False),
    )
)
def test_what_sendgrid_itself_found_is_believed(
    told: dict[str, object], changed: dict[str, object], is_signed: bool, expected: bool
) -> None:
    request = sendgrid_key().sign(by_sendgrid(Mail(**changed), **told))  # type: ignore[arg-type]
    facts = EndpointFacts("integration", is_signed=is_signed)

    assert unified(SendgridParse(), request, facts).sender_authenticated is expected
