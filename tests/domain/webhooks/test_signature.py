"""Third-party verifiers accept our signatures for any content."""

import re
import time
from collections.abc import Mapping, Sequence
from typing import Final

import pytest
import standardwebhooks
import stripe
from hypothesis import given
from hypothesis import strategies as st

from domain.core.service_name import ServiceName
from domain.webhooks.delivery import Trigger
from domain.webhooks.signature import (
    MASK,
    SECRET_BYTES,
    SIGNATURE,
    SIGNATURE_NEXT,
    STANDARD_SIGNATURE,
    TIMESTAMP,
    masked,
    secret_of,
    service_signature,
    signed_headers,
    standard_signature,
)

SECRETS: Final = st.binary(min_size=SECRET_BYTES, max_size=SECRET_BYTES).map(secret_of)
# Both libraries treat a body as UTF-8, which ours is.
BODIES: Final = st.text().map(str.encode)
ONE: Final = secret_of(bytes(range(24)))
TWO: Final = secret_of(bytes(range(24, 48)))


def signed(body: bytes, *secrets: str, timestamp: int | None = None) -> dict[str, str]:
    return signed_headers(
        event="ticket.resolved",
        event_id="01KAK8Z3V6Q2M9T4B7C1D5E8F0",
        delivery_id="01KAK8Z7H2W5X9Y3Z6A0B4C8D2",
        attempt=2,
        trigger=Trigger.EVENT,
        timestamp=int(time.time()) if timestamp is None else timestamp,
        body=body,
        service=ServiceName(),
        secrets=secrets,
    )


def stripe_accepts(
    body: bytes, headers: Mapping[str, str], secret: str, name: str = SIGNATURE
) -> bool:
    header = f"t={headers[TIMESTAMP]},{headers[name]}"
    try:
        stripe.WebhookSignature.verify_header(body, header, secret, tolerance=300)
    except stripe.SignatureVerificationError:
        return False
    return True


def standard_accepts(body: bytes, headers: Mapping[str, str], secret: str) -> bool:
    webhook = standardwebhooks.Webhook(secret)
    try:
        webhook.verify(body, dict(headers), json_parse=False)
    except standardwebhooks.WebhookVerificationError:
        return False
    return True


@given(body=BODIES, secret=SECRETS, other=SECRETS)
def test_two_libraries_accept_it(body: bytes, secret: str, other: str) -> None:
    headers = signed(body, secret)

    assert stripe_accepts(body, headers, secret)
    assert standard_accepts(body, headers, secret)
    assert stripe_accepts(body, headers, other) == (other == secret)
    assert standard_accepts(body, headers, other) == (other == secret)
    assert not stripe_accepts(body + b" ", headers, secret)
    assert not standard_accepts(body + b" ", headers, secret)


@given(body=BODIES, new=SECRETS, old=SECRETS)
def test_rotation(body: bytes, new: str, old: str) -> None:
    """In the overlap, a receiver can verify with either secret, in any of the headers."""
    headers = signed(body, new, old)

    assert stripe_accepts(body, headers, old)
    assert stripe_accepts(body, headers, new, SIGNATURE_NEXT)
    assert stripe_accepts(body, headers, new) == (new == old)
    assert standard_accepts(body, headers, old)
    assert standard_accepts(body, headers, new)


@pytest.mark.parametrize(("age", "accepted"), [(0, True), (290, True), (310, False)])
def test_old_timestamps_are_refused(age: int, accepted: bool) -> None:
    headers = signed(b"{}", ONE, timestamp=int(time.time()) - age)

    assert stripe_accepts(b"{}", headers, ONE) is accepted
    assert standard_accepts(b"{}", headers, ONE) is accepted


@pytest.mark.parametrize("secrets", [(ONE,), (TWO, ONE)])
def test_headers_as_specified(secrets: Sequence[str]) -> None:
    headers = signed(b'{"a":1}', *secrets, timestamp=1_764_000_000)

    # Receivers may compare the whole header: it has one value, which uses the older secret during a
    # rotation.
    assert re.fullmatch(r"v1=[0-9a-f]{64}", headers[SIGNATURE])
    assert headers[SIGNATURE] == service_signature(ONE, 1_764_000_000, b'{"a":1}')
    assert len(headers[STANDARD_SIGNATURE].split(" ")) == len(secrets)
    assert (SIGNATURE_NEXT in headers) == (len(secrets) == 2)
    rest = {name: value for name, value in headers.items() if "ignature" not in name}
    assert rest == {
        "Content-Type": "application/json",
        "User-Agent": "Service-Webhooks/1.0",
        "X-Service-Event": "ticket.resolved",
        "X-Service-Timestamp": "1764000000",
        "X-Service-Delivery": "01KAK8Z7H2W5X9Y3Z6A0B4C8D2",
        "X-Service-Attempt": "2",
        "X-Service-Trigger": "event",
        "webhook-id": "01KAK8Z3V6Q2M9T4B7C1D5E8F0",
        "webhook-timestamp": "1764000000",
    }


def test_masked() -> None:
    """No signature is stored: with one and its body, an attacker could deceive a receiver for 300
    s."""
    headers = signed(b"{}", TWO, ONE)

    hidden = {name for name, value in masked(headers).items() if value == MASK}
    assert hidden == {SIGNATURE, SIGNATURE_NEXT, STANDARD_SIGNATURE}
    assert {**headers, **dict.fromkeys(hidden, MASK)} == masked(headers)


def test_secrets() -> None:
    assert re.fullmatch(r"whsec_[0-9a-f]{48}", secret_of(bytes(range(24))))
    with pytest.raises(ValueError, match="24 bytes"):
        secret_of(bytes(16))
    with pytest.raises(ValueError, match="no secret"):
        standard_signature("whsec_$", "E1", 0, b"")
