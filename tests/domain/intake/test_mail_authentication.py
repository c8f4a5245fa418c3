"""Authentication-Results: only the statements of the merchant's server."""

from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from domain.intake.event import InboundEvent
from domain.intake.limit_key import limit_key
from domain.intake.mail_authentication import is_of, is_proved
from tests.support.intake.normalized import unified

MX = "mx.shop.example"
PASS = f"{MX}; dmarc=pass header.from=free.example"


@pytest.mark.parametrize(
    "header",
    [
        PASS,
        f"{MX}; dmarc=pass",
        f"{MX} 1; dmarc=pass (p=none) header.from=free.example",
        f"{MX}; DMARC=PASS Header.From=FREE.example",
        "MX.Shop.Example.; dmarc=pass",
        f"{MX}; spf=fail smtp.mailfrom=x@other.example; dmarc=pass header.from=free.example",
        f"{MX}; dkim=pass header.d=free.example",
        f"{MX}; dkim=pass (1024-bit key; no (nested) doubt) header.i=@free.example header.b=a=b",
        f"{MX};dkim = pass header.d = free.example",
        f"{MX}; dkim/1=pass reason=\"good; dmarc=fail\" header.d=free.example",
        f"{MX}; dkim=fail header.d=free.example; dkim=pass header.d=free.example; dmarc=none",
        f"{MX}; spf=pass smtp.mailfrom=jean@free.example",
        f"{MX}; spf=pass smtp.mailfrom=bounce+jean=x.example@free.example",
        f"{MX}; spf=pass (mx: (nested) ok) smtp.mailfrom=free.example smtp.helo=x",
        f"{MX};\r\n\tdkim=pass\r\n header.d=free.example",
        f"(it is) {MX} (yes); auth=none; dmarc=pass",
    ],
)  # fmt: skip
def test_what_proves_a_sender(header: str) -> None:
    assert is_proved("jean@free.example", [header], [MX])


@pytest.mark.parametrize(
    "header",
    [
        "",
        MX,
        f"{MX}; none",
        "mx.other.example; dmarc=pass header.from=free.example",
        "mx.shop.example.evil.example; dmarc=pass",
        f"{MX}; dmarc=fail header.from=free.example; dkim=pass header.d=free.example",
        f"{MX}; dmarc=pass header.from=free.example; dmarc=fail header.from=free.example",
        f"{MX}; dmarc=pass header.from=other.example",
        f"{MX}; dmarc=pass header.from=mail.free.example",
        f"{MX}; dmarc=bestguesspass header.from=free.example",
        f"{MX}; dmarc=temperror; dkim=pass header.d=free.example",
        f"{MX}; dkim=pass header.d=evil.example",
        f"{MX}; dkim=pass header.d=notfree.example",
        f"{MX}; dkim=pass header.d=free.example header.d=evil.example",
        f"{MX}; dkim=pass header.d=mail.free.example",
        f"{MX}; dkim=pass header.d=example",
        f"{MX}; dkim=pass",
        f"{MX}; dkim=neutral header.d=free.example",
        f"{MX}; spf=pass smtp.helo=free.example",
        f"{MX}; spf=pass smtp.mailfrom=jean@free.example@evil.example",
        f"{MX}; spf=softfail smtp.mailfrom=free.example",
        f"{MX}; auth=pass smtp.auth=jean@free.example",
        f"{MX}; x-dmarc=pass",
        f"{MX}; spf=fail (dmarc=pass) smtp.mailfrom=x",
        f"{MX}; spf=fail (; dmarc=pass",
        f'{MX}; spf=fail smtp.mailfrom="x; dmarc=pass',
        f'{MX}; spf=fail smtp.mailfrom="x; dmarc=pass"@evil.example',
        f'{MX}; spf=fail reason="; dmarc=pass header.from=free.example"',
        f'{MX}; "dmarc=pass"',
        f"{MX}; spf=fail smtp.mailfrom=x dmarc=pass",
        f"{MX} dmarc=pass",
        f"({MX}; dmarc=pass) mx.other.example; spf=none",
        f"dmarc=pass; {MX}",
        f"{MX}; dmarc=pass" + " " * 9_000,
    ],
)  # fmt: skip
def test_what_proves_nothing(header: str) -> None:
    assert not is_proved("jean@free.example", [header], [MX])


def test_a_domain_above_proves_one_below() -> None:
    for finding in ("dkim=pass header.d=free.example", "spf=pass smtp.mailfrom=free.example"):
        assert is_proved("jean@mail.free.example", [f"{MX}; {finding}"], [MX])


def test_a_domain_with_other_letters() -> None:
    header = f"{MX}; dkim=pass header.d=xn--caf-dma.example"
    assert is_proved("jean@café.example", [header], [MX])


@pytest.mark.parametrize(
    ("headers", "proved"),
    [
        ([PASS, f"{MX}; dmarc=fail"], True),
        ([f"{MX}; dmarc=fail", PASS], False),
        ([f"{MX}; spf=none", PASS], False),
        (["mx.other.example; dmarc=fail", PASS], True),
        (["mx.other.example; dmarc=pass", f"{MX}; dmarc=fail", PASS], False),
        ([f"{MX}; dmarc=fail (", PASS], False),
    ],
)
def test_only_the_topmost_of_that_server_counts(headers: list[str], proved: bool) -> None:
    """Lower headers may have arrived with the email. An unreadable header may be that server's."""
    assert is_proved("jean@free.example", headers, [MX]) is proved


def test_nothing_is_proved_where_no_server_is_named() -> None:
    assert not is_proved("jean@free.example", [PASS], [])
    assert is_proved("jean@free.example", [PASS], ["mx1.shop.example", MX])


@given(st.text(alphabet=' ;=()"\\abdmrcpsi.\n', max_size=200))
def test_any_header_is_read(header: str) -> None:
    is_proved("jean@free.example", [header, f"{MX};{header}"], [MX])


RAW = f"Authentication-Results: {MX};\r\n dmarc=pass\r\n\theader.from=free.example\r\n"


@pytest.mark.parametrize(
    ("headers", "proved"),
    [
        ({"Authentication-Results": PASS}, True),
        ({"authentication-results": [PASS, f"{MX}; dmarc=fail"]}, True),
        ({"Authentication-Results": [f"{MX}; dmarc=fail", PASS]}, False),
        ([{"name": "AUTHENTICATION-RESULTS", "value": PASS}], True),
        ([["authentication-results", f"{MX}; spf=none"], ["authentication-results", PASS]], False),
        (f"Received: by x\r\n{RAW}From: jean@free.example\r\n", True),
        (f"{RAW}From: jean@evil.example\r\n", False),
        (f"{RAW}From: jean@free.example\r\nFrom: eve@evil.example\r\n", False),
        (f"{RAW}From: jean@free.example, eve@evil.example\r\n", False),
        (f"Subject: x\r\n\r\n{RAW}", False),
        (f"Subject: x\u2028{RAW}", False),
        ("Subject: x\r\nX-Old-Authentication-Results: " + PASS, False),
        ({"ARC-Authentication-Results": f"i=1; {PASS}"}, False),
        (None, False),
    ],
)  # fmt: skip
def test_headers_in_a_payload(headers: JsonValue, proved: bool) -> None:
    payload: dict[str, JsonValue] = {"from": "Jean <jean@free.example>", "headers": headers}
    for event in (
        unified("email.inbound", payload, authserv_ids=(MX,)),
        unified("email.inbound", payload, authserv_ids=(MX,), customer_email="Jean@Free.example"),
    ):
        assert event.sender_authenticated is proved
        assert event.customer_email is not None
        assert event.customer_email.lower() == "jean@free.example"
    assert not unified("email.inbound", payload).sender_authenticated


@pytest.mark.parametrize(
    ("event_type", "payload", "given", "authenticated"),
    [
        ("email.inbound", {}, "jean@free.example", False),
        ("email.inbound", {"customer_verified": True}, "jean@free.example", True),
        ("email.inbound", {"customer_verified": True, "from": "jean@free.example"}, None, True),
        ("email.inbound", {"customer_verified": "yes"}, "jean@free.example", False),
        ("email.inbound", {"customer_verified": False}, "jean@free.example", False),
        ("shopify.ticket.created", {}, "jean@free.example", True),
        ("zendesk.ticket.created", {}, "jean@free.example", False),
        ("zendesk.ticket.created", {"customer_verified": True}, "jean@free.example", True),
        ("widget.message", {}, "jean@free.example", False),
    ],
)
def test_who_vouches(
    event_type: str, payload: dict[str, JsonValue], given: str | None, authenticated: bool
) -> None:
    event = unified(event_type, payload, customer_email=given)
    assert event.sender_authenticated is authenticated


def test_a_pass_proves_only_the_sender() -> None:
    """The email does not verify another person whom the caller names."""
    mail: dict[str, JsonValue] = {
        "from": "jean@free.example", "headers": {"Authentication-Results": PASS},
    }  # fmt: skip
    event = unified("email.inbound", mail, customer_email="ana@x.example", authserv_ids=(MX,))
    assert (event.customer_email, event.sender_authenticated) == ("ana@x.example", False)


_IDEOGRAPHS = "".join(chr(0x4E00 + number * 7 % 9_000) for number in range(7_900))


@pytest.mark.parametrize(
    "field", ["dkim=pass header.d", "spf=pass smtp.mailfrom", "dkim=pass header.i"]
)
def test_a_domain_that_is_too_long_is_not_encoded(field: str) -> None:
    """The standard library encodes a label in quadratic time: this one takes 8 s."""
    header = f"{MX}; {field}={_IDEOGRAPHS}"
    event = InboundEvent(
        event_type="email.inbound",
        payload={
            "from": "a@b.example",
            "text": "hi",
            "headers": [["authentication-results", header]],
        },
    )
    started = thread_time()

    key = limit_key(event, [MX])
    proved = [
        is_proved("a@b.example", [header], [MX]),
        is_proved(f"a@{_IDEOGRAPHS}", [PASS], [MX]),
        is_proved("a@" + "é." * 3_900, [PASS], [MX]),
        is_of(f"a@{_IDEOGRAPHS}", _IDEOGRAPHS),
    ]

    assert thread_time() - started < 0.5
    assert key is not None
    assert key.is_claim
    assert proved == [False] * 4


def test_a_domain_of_other_letters_is_compared_in_ascii() -> None:
    header = f"{MX}; dkim=pass header.d=xn--caf-dma.example"
    assert is_proved("jean@café.example", [header], [MX])
    assert is_proved("jean@xn--caf-dma.example", [f"{MX}; dkim=pass header.d=café.example"], [MX])
    assert not is_proved(f"jean@{'é' * 64}.example", [PASS], [MX])
