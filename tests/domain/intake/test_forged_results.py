"""Authentication-Results that a sender forged below the merchant's own: no unreadable header,
truncation or second header list makes them count."""

from typing import Final

import pytest
from pydantic import JsonValue

from domain.intake.mail_authentication import is_proved
from tests.support.intake.normalized import unified

MX: Final = "mx.shop.example"
VICTIM: Final = "jean@free.example"
FORGED: Final = f"{MX}; dmarc=pass header.from=free.example"
FAILED: Final = f"{MX}; dmarc=fail header.from=free.example"
RESULTS: Final = "Authentication-Results"

UNREADABLE: Final = (
    "",
    " ",
    ";",
    "; dmarc=fail",
    MX + "; dmarc=fail (",
    MX + '; dmarc=fail reason="',
    MX + "; dmarc=fail header.from",
    MX + "; fail",
    MX + " 2; dmarc=fail",
    MX + " one; dmarc=fail",
    MX + "; dmarc=fail reason=" + "x" * 8_000,
    "mx(a server).shop.example; dmarc=fail",
    f'"{MX}"; dmarc=fail',
    f'"{MX}" 1; dmarc=fail',
    "=?utf-8?q?mx=2Eshop=2Eexample?=; dmarc=fail",
    "=?utf-8?b?bXguc2hvcC5leGFtcGxlOyBkbWFyYz1mYWls?=",
    f"{MX}; =?utf-8?q?dmarc=3Dfail?=",
    "mx.shop\N{FULLWIDTH FULL STOP}example; dmarc=fail",
    "mx.shop\u00adexample; dmarc=fail",
    "spf=fail smtp.mailfrom=evil.example; dmarc=fail action=none",
)
"""What the merchant's server could have written, or its form after transport."""


@pytest.mark.parametrize("own", UNREADABLE)
def test_no_header_below_an_unreadable_one_is_believed(own: str) -> None:
    assert is_proved(VICTIM, [FORGED], [MX])
    assert not is_proved(VICTIM, [own, FORGED], [MX])
    assert not is_proved(VICTIM, ["mx.other.example; spf=none", own, FORGED], [MX])


def is_authenticated(payload: dict[str, JsonValue]) -> bool:
    whole: dict[str, JsonValue] = {"from": f"Jean <{VICTIM}>", **payload}
    return unified("email.inbound", whole, authserv_ids=(MX,)).sender_authenticated


@pytest.mark.parametrize("own", UNREADABLE)
def test_nor_in_the_headers_of_a_payload(own: str) -> None:
    shapes: tuple[JsonValue, ...] = (
        [[RESULTS, own], [RESULTS, FORGED]],
        [{"name": RESULTS, "value": own}, {"name": RESULTS, "value": FORGED}],
        {RESULTS: [own, FORGED]},
        f"{RESULTS}: {own}\r\n{RESULTS}: {FORGED}\r\n",
    )
    for headers in shapes:
        assert not is_authenticated({"headers": headers})
    assert not is_authenticated({RESULTS: [own, FORGED]})


NO_TEXTS: Final[tuple[JsonValue, ...]] = (
    None,
    False,
    {"raw": FAILED},
    [],
    [[FAILED]],
    2**80,
)


@pytest.mark.parametrize("own", NO_TEXTS)
def test_no_header_below_one_that_is_no_text_is_believed(own: JsonValue) -> None:
    assert not is_authenticated({"headers": [[RESULTS, own], [RESULTS, FORGED]]})
    assert not is_authenticated({"headers": {RESULTS: [own, FORGED]}})
    assert not is_authenticated({RESULTS: [own, FORGED]})


@pytest.mark.parametrize(
    "beside",
    [
        f"{RESULTS}: {FAILED}",
        {"header": RESULTS, "value": FAILED},
        [RESULTS, MX, "dmarc=fail"],
        [7, FAILED],
    ],
)
def test_a_list_with_something_else_among_its_headers_proves_nothing(beside: JsonValue) -> None:
    assert not is_authenticated({"headers": [beside, [RESULTS, FORGED]]})


@pytest.mark.parametrize(
    "block",
    [
        f"{RESULTS} {FAILED}\r\n{RESULTS}: {FORGED}\r\n",
        f" {RESULTS}: {FAILED}\r\n{RESULTS}: {FORGED}\r\n",
        f"{RESULTS}: {FORGED}\r\n\u200b\r\nFrom: eve@evil.example\r\n",
        f"{RESULTS}: {FORGED}\r\n\x01\r\nFrom: eve@evil.example\r\n",
        f"{RESULTS}: {FORGED}\r\n\r\nFrom: eve@evil.example\r\n",
        f"{RESULTS}: {FORGED}\r\rFrom: eve@evil.example\r",
        f'{{"{RESULTS}": "{FAILED}", "{RESULTS}": "{FORGED}"}}',
        f'[{{"name": "{RESULTS}", "value": "{FAILED}", "value": "{FORGED}"}}]',
    ],
)
def test_a_block_with_a_line_that_is_no_header_proves_nothing(block: str) -> None:
    assert not is_authenticated({"headers": block})


SECOND_FROM: Final = ["From", "eve@evil.example"]


@pytest.mark.parametrize(
    "headers",
    [
        [[RESULTS, FORGED], ["From", VICTIM], *[["X-A", "b"]] * 298, SECOND_FROM],
        f"{RESULTS}: {FORGED}\nFrom: {VICTIM}\n" + "X-A: b\n" * 299 + "From: eve@evil.example\n",
        f"{RESULTS}: {FORGED}\nFrom: {VICTIM}\nX-A: {'b' * 100_000}\nFrom: eve@evil.example\n",
        f"{RESULTS}: {FORGED}\nFrom: {VICTIM}\nX-A: b\n" + " b\n" * 1_998 + "From: e@evil.example",
        {RESULTS: FORGED, "From": VICTIM, **{f"X-{n}": "b" for n in range(298)}, "FROM": "e@x.y"},
        {RESULTS: FORGED, "From": VICTIM, "X-A": ["b"] * 301},
        [[RESULTS, FORGED], ["From", f"{VICTIM}{' ' * 4_100}, eve@evil.example"]],
        [[RESULTS, FORGED], ["From", f'"{"x" * 1_000}" <{VICTIM}>, eve@evil.example']],
        [[RESULTS, FORGED], ["From", f"{VICTIM}{',' * 1_000} eve@evil.example"]],
    ],
)
def test_headers_that_were_cut_prove_nothing(headers: JsonValue) -> None:
    """The missing part may contain a second From."""
    assert is_authenticated({"headers": [[RESULTS, FORGED], ["From", VICTIM]]})
    assert not is_authenticated({"headers": headers})


OWN: Final[list[JsonValue]] = [["From", VICTIM], [RESULTS, FAILED], [RESULTS, FORGED]]


@pytest.mark.parametrize(
    "payload",
    [
        # An email header named "Headers", in a form with each header as a field.
        {"message-headers": OWN, "Headers": f"{RESULTS}: {FORGED}"},
        {"message-headers": OWN, "Headers": {RESULTS: FORGED}},
        {"headers": {RESULTS: FORGED}, "message": {"headers": OWN}},
        {"Headers": {RESULTS: FORGED}, "headers": OWN},
        {"headers": [["Subject", "x"]], RESULTS: FORGED},
        {"headers": [], "message_headers": {RESULTS: FORGED}},
        {"headers": 7, "message_headers": {RESULTS: FORGED}},
        {RESULTS: FORGED, "Authentication_Results": FAILED},
        {"headers": {RESULTS: FORGED}, RESULTS: FAILED},
        {RESULTS: FORGED, "From": "eve@evil.example"},
        {"headers": {RESULTS.upper(): FORGED, RESULTS: FAILED}},
        {"headers": {f"{RESULTS} ": FORGED, RESULTS: FAILED}},
    ],
)
def test_headers_that_come_twice_and_differ_prove_nothing(payload: dict[str, JsonValue]) -> None:
    """PostgreSQL stores an object's keys in its own order, capital letters first."""
    assert not is_authenticated(payload)
    assert not is_authenticated(dict(reversed(payload.items())))


def test_headers_that_come_twice_and_agree_prove_as_before() -> None:
    headers: dict[str, JsonValue] = {RESULTS: FORGED, "From": VICTIM}
    pairs: list[JsonValue] = [[name, value] for name, value in headers.items()]
    agreeing: tuple[dict[str, JsonValue], ...] = (
        {"headers": headers, "message-headers": pairs, "From": f"Jean <{VICTIM}>"},
        {"headers": [[RESULTS, FORGED], [RESULTS, FAILED]], "Authentication_Results": FAILED},
        {RESULTS: FORGED, "authentication_results": FORGED},
        {"headers": [[f"{RESULTS} ", f"{MX};\r\n\tdmarc=pass"]]},
    )
    for payload in agreeing:
        assert is_authenticated(payload)
