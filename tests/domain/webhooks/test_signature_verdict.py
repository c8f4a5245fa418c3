"""Every common signature mistake is detected and named; a valid signature is accepted."""

import base64
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.webhooks.explanation import Explanation, Origin, SignatureResult
from domain.webhooks.mistake import WORDS, Mistake, Scheme
from domain.webhooks.signature import standard_signature
from domain.webhooks.signature_verdict import KnownSecret, Pasted
from tests.support.webhooks.pasted import (
    AT,
    BODY,
    EARLIER,
    OLD,
    OTHERS,
    SECRET,
    SECRETS,
    SENT,
    UNKNOWN,
    based,
    explained,
    hexed,
    service,
    standard,
)


@pytest.mark.parametrize("pasted", [service(), standard(), service(OLD), standard(OLD)])
def test_right(pasted: Pasted) -> None:
    found = explained(pasted, (SENT,))

    assert found.verdict is SignatureResult.MATCHES
    assert (found.mistakes, found.difference) == ((), None)
    assert (found.delivery_id, found.age_s) == ("D1", 10)
    assert found.scheme is (Scheme.STANDARD if pasted.message_id else Scheme.SERVICE)
    assert found.secret_ends is not None
    assert SECRETS[found.secret is Origin.PREVIOUS].value.endswith(found.secret_ends)


def test_any_of_several_signatures() -> None:
    """During a rotation, and with an unknown version among them."""
    both = " ".join(["v1a,AAAA", standard_signature(UNKNOWN, "E1", AT, BODY), standard().signature])
    assert explained(replace(standard(), signature=both)).verdict is SignatureResult.MATCHES


@pytest.mark.parametrize(
    ("age", "verdict"),
    [
        (300, SignatureResult.MATCHES),
        (301, SignatureResult.TOO_OLD),
        (-300, SignatureResult.MATCHES),
        (-301, SignatureResult.TOO_NEW),
    ],
)
@pytest.mark.parametrize("pasted", [service(), standard()])
def test_time(pasted: Pasted, age: int, verdict: SignatureResult) -> None:
    found = explained(pasted, (SENT,), datetime.fromtimestamp(AT + age, UTC))
    assert (found.verdict, found.age_s) == (verdict, age)


@pytest.mark.parametrize("sign", [service, standard])
def test_which_secret(sign: Callable[..., Pasted]) -> None:
    def verdict(secret: str, *secrets: KnownSecret) -> Explanation:
        return explained(sign(secret), (SENT,), secrets=secrets or SECRETS)

    assert verdict(OLD).secret is Origin.PREVIOUS
    retired = KnownSecret(OLD, Origin.RETIRED, "W1")
    assert verdict(OLD, SECRETS[0], retired).verdict is SignatureResult.RETIRED_SECRET
    other = verdict(OTHERS)
    assert other.verdict is SignatureResult.OTHER_WEBHOOKS_SECRET
    assert other.secret_webhook_id == "W2"
    unknown = verdict(UNKNOWN)
    assert unknown.verdict is SignatureResult.UNKNOWN_SECRET
    assert (unknown.secret, unknown.secret_ends, unknown.delivery_id) == (None, None, "D1")


REST: Final = SECRET.removeprefix("whsec_")
PLAIN: Final = f"{AT}.".encode() + BODY
WITH_ID: Final = b"E1." + PLAIN
DECODED: Final = base64.b64decode(REST)


@pytest.mark.parametrize(
    ("signature", "mistake", "verdict"),
    [
        (hexed(REST.encode(), PLAIN), Mistake.SECRET_WITHOUT_PREFIX, "misused_secret"),
        (hexed(DECODED, PLAIN), Mistake.SECRET_DECODED, "misused_secret"),
        (hexed(bytes.fromhex(REST), PLAIN), Mistake.SECRET_FROM_HEX, "misused_secret"),
        (based(SECRET.encode(), WITH_ID), Mistake.SECRET_NOT_DECODED, "misused_secret"),
        (based(REST.encode(), WITH_ID), Mistake.SECRET_WITHOUT_PREFIX, "misused_secret"),
        (based(bytes.fromhex(REST), WITH_ID), Mistake.SECRET_FROM_HEX, "misused_secret"),
        (hexed(SECRET.encode(), BODY), Mistake.TIMESTAMP_NOT_SIGNED, "wrong_string"),
        (hexed(SECRET.encode(), f"{AT}".encode() + BODY), Mistake.NO_DOT, "wrong_string"),
        (hexed(SECRET.encode(), WITH_ID), Mistake.ID_SIGNED, "wrong_string"),
        (based(DECODED, PLAIN), Mistake.ID_NOT_SIGNED, "wrong_string"),
        (based(DECODED, BODY), Mistake.TIMESTAMP_NOT_SIGNED, "wrong_string"),
        (service().signature[3:], Mistake.NO_VERSION, "malformed_signature"),
        (f"sha256={service().signature[3:]}", Mistake.NO_VERSION, "malformed_signature"),
        (standard().signature[3:], Mistake.NO_VERSION, "malformed_signature"),
        ("v1=" + service().signature[3:].upper(), Mistake.UPPER_CASE, "malformed_signature"),
        (service().signature[:-1], Mistake.TRUNCATED, "malformed_signature"),
        (service().signature[:40], Mistake.TRUNCATED, "malformed_signature"),
        (
            based(SECRET.encode(), PLAIN).replace(",", "="),
            Mistake.BASE64_FOR_HEX,
            "malformed_signature",
        ),
        (
            hexed(DECODED, WITH_ID).replace("=", ","),
            Mistake.HEX_FOR_BASE64,
            "malformed_signature",
        ),
    ],
)
def test_one_mistake(signature: str, mistake: Mistake, verdict: str) -> None:
    found = explained(Pasted(signature, str(AT), BODY, "E1"), (SENT,))

    assert (found.verdict.value, found.mistakes) == (verdict, (mistake,))
    assert WORDS[mistake] in found.sentence


def test_altered_headers() -> None:
    later = str(AT + 1)
    for pasted in (service(), standard()):
        found = explained(replace(pasted, timestamp=later), (EARLIER, SENT))
        assert found.verdict is SignatureResult.ALTERED_TIMESTAMP
        assert found.delivery_id == "D1"
        nothing_kept = explained(replace(pasted, timestamp=later))
        assert nothing_kept.verdict is SignatureResult.NO_MATCH
    for other in ("", "E2"):
        found = explained(replace(standard(), message_id=other), (SENT,))
        assert found.verdict is SignatureResult.ALTERED_ID


@pytest.mark.parametrize("timestamp", ["", "now", "2026-11-21T19:00:00Z", f"{AT}000", f"{AT}.5"])
def test_no_timestamp(timestamp: str) -> None:
    pasted = Pasted(service().signature, timestamp, BODY)
    assert explained(pasted).verdict is SignatureResult.MALFORMED_TIMESTAMP
    # Even if the receiver signed it: no such header was sent.
    signed = hexed(SECRET.encode(), timestamp.encode() + b"." + BODY)
    found = explained(Pasted(signed, timestamp, BODY))
    assert found.verdict is SignatureResult.MALFORMED_TIMESTAMP


@pytest.mark.parametrize(
    "signature", ["", "***", "v1=", "v1=xyz", "v1=" + "0" * 65, "v1=" + "ab" * 7, "v1,AAAA", "é=ü"]
)
def test_no_signature(signature: str) -> None:
    found = explained(replace(service(), signature=signature), (SENT,))
    assert found.verdict is SignatureResult.MALFORMED_SIGNATURE


def test_as_it_was_copied() -> None:
    """With the header's name, with spaces or quotes, or in one library's format."""
    signature = service().signature
    for copied in (
        f"X-Service-Signature: {signature}",
        f' "{signature}"\n',
        f"t={AT},{signature}",
        f"webhook-signature: {standard().signature}",
    ):
        pasted = Pasted(copied, f" {AT}\n", BODY, "E1 ")
        assert explained(pasted).verdict is SignatureResult.MATCHES


def test_nothing_fits() -> None:
    found = explained(replace(service(UNKNOWN), body=b"{}"), (EARLIER, SENT))
    assert found.verdict is SignatureResult.NO_MATCH
    assert found.delivery_id == "D1"
    assert found.difference is not None
    assert found.difference.at == 1
    assert explained(service(UNKNOWN)) == Explanation(
        verdict=SignatureResult.NO_MATCH, sentence=found.sentence, scheme=Scheme.SERVICE
    )


@given(
    signature=st.text(max_size=80) | st.just(service().signature),
    timestamp=st.text(max_size=12) | st.just(str(AT)),
    body=st.binary(max_size=40) | st.just(b"[" * 100_000),
    message_id=st.text(max_size=3),
)
def test_anything_may_be_pasted(
    signature: str, timestamp: str, body: bytes, message_id: str
) -> None:
    found = explained(Pasted(signature, timestamp, body, message_id), (SENT,))
    assert found.verdict is not SignatureResult.MATCHES
