"""Emails through the three providers: verification, identification and content."""

import json
import tracemalloc
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from time import thread_time
from typing import Final

import orjson
import pytest
from pydantic import JsonValue

from domain.core.attached_file import AttachedFile
from domain.inbound.errors import InboundRefused, RefusalReason, WebhookUnreadable
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity
from domain.inbound.meaning import Nothing
from domain.inbound.platforms.mailgun import MailgunRoutes
from domain.inbound.platforms.postmark import PostmarkInbound
from domain.inbound.platforms.sendgrid import SIGNATURE, TIMESTAMP, SendgridParse
from domain.inbound.ports import Platform
from tests.support.core.each import each
from tests.support.inbound.mails import (
    FACTS,
    SIGNING_KEY,
    Mail,
    by_mailgun,
    by_postmark,
    by_sendgrid,
    multipart,
    sendgrid_key,
    ticket,
    unified,
)

NOW: Final = datetime(2026, 11, 23, 12, tzinfo=UTC)
PHOTO: Final = AttachedFile("colis ouvert.jpg", "image/jpeg", b"\xff\xd8\xff\r\n--xYz\r\n\0")

# sendgrid/sendgrid-python, test/unit/test_eventwebhook.py
OFFICIAL_KEY: Final = (
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpV"
    "KS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g=="
)
OFFICIAL_SIGNATURE: Final = (
    "MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtE"
    "ZtM="
)
OFFICIAL_BODY: Final = (
    b'[{"email":"hello@world.com","event":"dropped","reason":"Bounced Address",'
    b'"sg_event_id":"ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA",'
    b'"sg_message_id":"LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0",'
    b'"smtp-id":"<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>","timestamp":1600112492}]\r\n'
)
OFFICIAL_TIME: Final = "1600112502"


def refusal(platform: Platform, request: InboundRequest, *secrets: str) -> RefusalReason | None:
    try:
        platform.verify(request, secrets, NOW)
    except InboundRefused as refused:
        return refused.reason
    return None


def test_sendgrids_own_vector_is_accepted() -> None:
    request = InboundRequest(
        {SIGNATURE: OFFICIAL_SIGNATURE, TIMESTAMP: OFFICIAL_TIME}, OFFICIAL_BODY
    )
    then = datetime.fromtimestamp(int(OFFICIAL_TIME), UTC)

    SendgridParse().verify(request, (sendgrid_key().public, OFFICIAL_KEY), then)


@each(
    (
        ({}, OFFICIAL_BODY, OFFICIAL_KEY, RefusalReason.SIGNATURE_MISSING),
        ({SIGNATURE: OFFICIAL_SIGNATURE}, OFFICIAL_BODY, OFFICIAL_KEY, "timestamp_missing"),
        (None, OFFICIAL_BODY[:-2], OFFICIAL_KEY, RefusalReason.SIGNATURE_WRONG),
        (None, OFFICIAL_BODY, "MFkw", RefusalReason.SIGNATURE_WRONG),
        (None, OFFICIAL_BODY, "no base64", RefusalReason.SIGNATURE_WRONG),
        (None, OFFICIAL_BODY, OFFICIAL_KEY, RefusalReason.TIMESTAMP_OLD),
        ({SIGNATURE: "AAAA", TIMESTAMP: OFFICIAL_TIME}, b"", OFFICIAL_KEY, "signature_wrong"),
    )
)
def test_sendgrid_is_refused(
    headers: dict[str, str] | None, body: bytes, key: str, reason: str
) -> None:
    official = {SIGNATURE: OFFICIAL_SIGNATURE, TIMESTAMP: OFFICIAL_TIME}

    assert (
        refusal(
            SendgridParse(), InboundRequest(official if headers is None else headers, body), key
        )
        == reason
    )


def test_sendgrid_without_a_key_is_proved_by_its_address() -> None:
    assert refusal(SendgridParse(), InboundRequest({}, b"anything")) is None


@each(
    (
        (timedelta(), (SIGNING_KEY,), None),
        (timedelta(), ("a newer one", SIGNING_KEY), None),
        (timedelta(), ("another",), RefusalReason.SIGNATURE_WRONG),
        # Mailgun retries for 8 hours.
        (-timedelta(hours=8), (SIGNING_KEY,), None),
        (-timedelta(hours=13), (SIGNING_KEY,), RefusalReason.TIMESTAMP_OLD),
        (timedelta(hours=13), (SIGNING_KEY,), RefusalReason.TIMESTAMP_OLD),
    )
)
def test_mailgun_signs_a_time_and_a_token(
    ago: timedelta, secrets: tuple[str, ...], reason: RefusalReason | None
) -> None:
    for files in ((), (PHOTO,)):
        request = by_mailgun(Mail(files=files), at=NOW + ago)
        assert refusal(MailgunRoutes(), request, *secrets) == reason


def test_a_signature_of_mailguns_documentation() -> None:
    """For a webhook about a sent email, which is signed like a received email."""
    event = {
        "signature": {
            "timestamp": str(int(NOW.timestamp())),
            "token": "a" * 50,
            "signature": "0" * 64,
        },
        "event-data": {"event": "delivered"},
    }
    request = InboundRequest({"content-type": "application/json"}, json.dumps(event).encode())

    assert refusal(MailgunRoutes(), request, SIGNING_KEY) is RefusalReason.SIGNATURE_WRONG
    assert MailgunRoutes().identify(request) == Identity("a" * 50, "event.delivered")
    assert "event.delivered" not in MailgunRoutes.topics


@each(
    (
        (multipart([("token", "a"), ("signature", "b")]), RefusalReason.TIMESTAMP_MISSING),
        (multipart([("timestamp", "1"), ("token", "a")]), RefusalReason.SIGNATURE_MISSING),
        (
            multipart([("timestamp", "1"), ("token", "a"), ("token", "b"), ("signature", "c")]),
            RefusalReason.SIGNATURE_MISSING,
        ),
        (InboundRequest({"content-type": "text/plain"}, b"a=b"), RefusalReason.UNREADABLE),
        (InboundRequest({"content-type": "application/json"}, b"{}"), RefusalReason.UNREADABLE),
    )
)
def test_mailgun_is_refused(request: InboundRequest, reason: RefusalReason) -> None:
    assert refusal(MailgunRoutes(), request, SIGNING_KEY) == reason


def test_a_mail_says_the_same_whoever_hands_it_over() -> None:
    mail = Mail(
        message_id="<m2@customer.example>",
        subject="Re: Ma commande #1001",
        text="Voilà la photo.\n\nLe lun. 23 nov. 2026, la boutique a écrit :\n> Une photo ?",
        headers=(("In-Reply-To", "<r1@shop.example>"), ("References", "<m1@x> <r1@shop.example>")),
        files=(PHOTO,),
    )
    for platform, request in (
        (PostmarkInbound(), by_postmark(mail)),
        (MailgunRoutes(), by_mailgun(mail)),
        (SendgridParse(), by_sendgrid(mail)),
    ):
        taken = ticket(platform, request)
        event = unified(platform, request)
        assert taken.message_key == "<m2@customer.example>"
        assert taken.attachments == (PHOTO,)
        assert taken.event.event_type == "email.inbound"
        assert taken.event.source == platform.provider
        assert (event.customer_email, event.customer_name) == ("ana@customer.example", "Ana")
        assert (event.subject, event.text) == ("Re: Ma commande #1001", "Voilà la photo.")
        assert event.message_id == "<m2@customer.example>"
        assert event.references == ("<m1@x>", "<r1@shop.example>")
        assert event.reply_allowed
        assert not event.sender_authenticated


@each(
    (
        ({"headers": (("Auto-Submitted", "auto-replied"),)},),
        ({"headers": (("List-Id", "<news.shop.example>"),)},),
        ({"headers": (("X-Auto-Response-Suppress", "All"),)},),
        ({"envelope_from": ""},),
        ({"author": "MAILER-DAEMON@customer.example"},),
        ({"author": "help@shop.example", "envelope_from": "help@shop.example"},),
    )
)
def test_what_no_person_wrote_is_not_answered(changed: dict[str, object]) -> None:
    mail = Mail(**changed)  # type: ignore[arg-type]
    for platform, request in (
        (PostmarkInbound(), by_postmark(mail)),
        (MailgunRoutes(), by_mailgun(mail)),
        (SendgridParse(), by_sendgrid(mail)),
    ):
        event = unified(platform, request)
        assert not event.reply_allowed or event.customer_email is None, platform.provider


def test_deliveries_are_named_as_their_provider_names_them() -> None:
    mail = Mail(message_id="<m1@customer.example>")
    nameless = by_sendgrid(Mail())

    assert PostmarkInbound().identify(by_postmark(mail, provider_id="p")).dedup_key == "p"
    assert MailgunRoutes().identify(by_mailgun(mail, token="t")).dedup_key == "t"
    assert SendgridParse().identify(by_sendgrid(mail)).dedup_key == "<m1@customer.example>"
    assert SendgridParse().identify(nameless).dedup_key == f"sha256:{nameless.digest.hex()}"
    assert ticket(MailgunRoutes(), by_mailgun(Mail(), token="t")).message_key == "t"
    long = SendgridParse().identify(by_sendgrid(Mail(message_id=f"<{'m' * 249}>"))).dedup_key
    assert len(long) <= 250


def test_postmarks_other_records_and_its_trial_are_no_tickets() -> None:
    bounce = PostmarkInbound().identify(by_postmark(Mail(), provider_id="p", RecordType="Bounce"))
    trial = by_postmark(Mail(), provider_id="22c74902-a0c1-4511-804f-341342852c90")
    meaning = PostmarkInbound().read(trial, PostmarkInbound().identify(trial), FACTS)

    assert bounce == Identity("bounce:p", "bounce")
    assert bounce.topic not in PostmarkInbound.topics
    assert meaning == Nothing("provider_test")


def test_a_charset_is_honoured_and_a_costly_one_is_not() -> None:
    text = "Où est ma commande, déjà payée 10 € ?"
    honoured = by_sendgrid(Mail(text=text), charsets={"text": "windows-1252"})
    costly = by_sendgrid(Mail(text=text), charsets={"subject": "punycode"})

    assert unified(SendgridParse(), honoured).text == text
    assert unified(SendgridParse(), costly).subject == "Ma commande"


def test_a_broken_attachment_does_not_lose_the_mail() -> None:
    request = by_postmark(Mail(), Attachments=[{"Name": "a.png", "Content": "%%%"}, {}])

    assert [file.data for file in ticket(PostmarkInbound(), request).attachments] == [b"", b""]


@each(
    (
        (PostmarkInbound(), InboundRequest({}, b"{"), "not_a_mail"),
        (PostmarkInbound(), InboundRequest({}, b"{" * 100_000), "not_a_mail"),
        (PostmarkInbound(), InboundRequest({}, b'{"MessageID": ""}'), "not_a_mail"),
        (SendgridParse(), multipart([("email", "From: a@b\n\nhello")]), "raw_mime"),
        (SendgridParse(), multipart([("text", "no headers")]), "headers_broken"),
        (SendgridParse(), InboundRequest({}, b""), "not_a_form"),
        (MailgunRoutes(), multipart([("body-mime", "x")]), "raw_mime"),
        (MailgunRoutes(), multipart([("message-headers", "[" * 9_000)]), "headers_broken"),
    )
)
def test_what_is_no_mail_is_said_to_be_none(
    platform: Platform, request: InboundRequest, reason: str
) -> None:
    with pytest.raises(WebhookUnreadable, match=reason):
        platform.read(request, Identity("key", "inbound"), FACTS) or platform.identify(request)


def test_what_postgresql_cannot_keep_is_left_out_of_a_mail() -> None:
    """An email that always fails to be stored would block its client's other emails."""
    nul = "\0"
    mail = Mail(
        author=f"Ana {nul}<ana@customer.example>",
        subject=f"Ma{nul} commande",
        text=f"Bonjour{nul}",
        html=f"<p>Bonjour{nul}</p>",
        message_id=f"<{'a' * 300}{nul}@customer.example>",
        headers=(("X-Name", f"{nul}\ud800"),),
    )
    plain = replace(mail, headers=(("X-Name", nul),))
    for platform, request in (
        (MailgunRoutes(), by_mailgun(mail)),
        (PostmarkInbound(), by_postmark(plain)),
        (SendgridParse(), by_sendgrid(plain)),
    ):
        came = ticket(platform, request)
        assert rb"\u0000" not in orjson.dumps(came.event.payload)
        assert came.message_key.isprintable()
        assert "Bonjour" in str(came.event.payload["text"])


# A parser would create 750 MB of Python objects for the values in the first body.
EVENT: Final = (
    b'{"signature":{"timestamp":1,"token":"t","signature":"s"},"event-data":{"event":"x"},"z":'
)
HOSTILE_JSON: Final[Mapping[str, tuple[Platform, bytes]]] = {
    "lists": (PostmarkInbound(), b'{"MessageID":"1","z":[' + b"[1]," * 6_000_000 + b"1]}"),
    "objects": (PostmarkInbound(), b'{"MessageID":"1",' + b'"z":{"b":0},' * 1_000_000 + b'"z":0}'),
    "event": (MailgunRoutes(), EVENT + b"[" + b"[1]," * 100_000 + b"1]}"),
    "long event": (MailgunRoutes(), EVENT + b'"' + b"z" * 1024 * 1024 + b'"}'),
}


@pytest.mark.parametrize("shape", HOSTILE_JSON)
def test_a_body_of_millions_of_values_is_not_parsed(shape: str) -> None:
    platform, body = HOSTILE_JSON[shape]
    request = InboundRequest({"content-type": "application/json"}, body)
    started = thread_time()
    tracemalloc.start()
    try:
        with pytest.raises(WebhookUnreadable):
            platform.identify(request)
        with pytest.raises(WebhookUnreadable):
            platform.read(request, Identity("1", "inbound"), FACTS)
        if platform.signs:
            assert refusal(platform, request, "secret") is RefusalReason.UNREADABLE
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 4 * len(body) + 1_000_000
    assert thread_time() - started < 3


def test_a_mail_with_the_most_headers_and_files_is_read() -> None:
    files: list[JsonValue] = [{"Name": "a", "ContentType": "b", "ContentLength": 0}] * 500
    people: list[JsonValue] = [{"Email": "a@x.example", "Name": "A", "MailboxHash": ""}] * 1_000
    headers: list[JsonValue] = [{"Name": f"X-{place}", "Value": '\\"[{,'} for place in range(1_000)]

    request = by_postmark(
        Mail(), Attachments=files, Headers=headers, ToFull=people, CcFull=people, BccFull=people
    )

    assert len(ticket(PostmarkInbound(), request).attachments) == 500
