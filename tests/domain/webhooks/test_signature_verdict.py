"""Every common mistake with a signature is found and named; what is right is called right."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.webhooks.envelope import render
from domain.webhooks.explanation import Explanation, Origin, WebhookVerdict
from domain.webhooks.mistake import WORDS, Mistake, Scheme
from domain.webhooks.samples import sample
from domain.webhooks.signature import secret_of, service_signature, standard_signature
from domain.webhooks.signature_verdict import KnownSecret, Pasted, Sent, explain

SECRET: Final = secret_of(bytes(range(24)))
OLD: Final = secret_of(bytes(range(1, 25)))
OTHERS: Final = secret_of(bytes(range(2, 26)))
UNKNOWN: Final = secret_of(bytes(24))
SECRETS: Final = (
    KnownSecret(SECRET, Origin.NEWEST, "W1"),
    KnownSecret(OLD, Origin.PREVIOUS, "W1"),
    KnownSecret(OTHERS, Origin.OTHER_WEBHOOK, "W2"),
)
AT: Final = 1_764_000_000
NOW: Final = datetime.fromtimestamp(AT + 10, UTC)
BODY: Final = render(sample("ticket.resolved"), "01KAK8Z3V6Q2M9T4B7C1D5E8F0", NOW)
SENT: Final = Sent("D1", "E1", AT, BODY)
EARLIER: Final = Sent("D0", "E1", AT - 400, BODY)


def service(secret: str = SECRET, timestamp: int = AT, body: bytes = BODY) -> Pasted:
    return Pasted(service_signature(secret, timestamp, body), str(timestamp), body)


def standard(secret: str = SECRET, timestamp: int = AT, body: bytes = BODY) -> Pasted:
    signature = standard_signature(secret, "E1", timestamp, body)
    return Pasted(signature, str(timestamp), body, "E1")


def explained(
    pasted: Pasted,
    sent: tuple[Sent, ...] = (),
    now: datetime = NOW,
    secrets: tuple[KnownSecret, ...] = SECRETS,
) -> Explanation:
    found = explain(pasted, secrets=secrets, sent=sent, now=now)
    for secret in (SECRET, OLD, OTHERS):
        assert secret[6:] not in found.model_dump_json()
    return found


def hexed(key: bytes, signed: bytes) -> str:
    return "v1=" + hmac.new(key, signed, hashlib.sha256).hexdigest()


def based(key: bytes, signed: bytes) -> str:
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


@pytest.mark.parametrize("pasted", [service(), standard(), service(OLD), standard(OLD)])
def test_right(pasted: Pasted) -> None:
    found = explained(pasted, (SENT,))

    assert found.verdict is WebhookVerdict.MATCHES
    assert (found.mistakes, found.difference) == ((), None)
    assert (found.delivery_id, found.age_s) == ("D1", 10)
    assert found.scheme is (Scheme.STANDARD if pasted.message_id else Scheme.SERVICE)
    assert found.secret_ends is not None
    assert SECRETS[found.secret is Origin.PREVIOUS].value.endswith(found.secret_ends)


def test_any_of_several_signatures() -> None:
    """During a rotation, and with a version that is not ours among them."""
    both = " ".join(["v1a,AAAA", standard_signature(UNKNOWN, "E1", AT, BODY), standard().signature])
    assert explained(replace(standard(), signature=both)).verdict is WebhookVerdict.MATCHES


@pytest.mark.parametrize(
    ("age", "verdict"),
    [
        (300, WebhookVerdict.MATCHES),
        (301, WebhookVerdict.TOO_OLD),
        (-300, WebhookVerdict.MATCHES),
        (-301, WebhookVerdict.TOO_NEW),
    ],
)
@pytest.mark.parametrize("pasted", [service(), standard()])
def test_time(pasted: Pasted, age: int, verdict: WebhookVerdict) -> None:
    found = explained(pasted, (SENT,), datetime.fromtimestamp(AT + age, UTC))
    assert (found.verdict, found.age_s) == (verdict, age)


@pytest.mark.parametrize("sign", [service, standard])
def test_which_secret(sign: Callable[..., Pasted]) -> None:
    def verdict(secret: str, *secrets: KnownSecret) -> Explanation:
        return explained(sign(secret), (SENT,), secrets=secrets or SECRETS)

    assert verdict(OLD).secret is Origin.PREVIOUS
    retired = KnownSecret(OLD, Origin.RETIRED, "W1")
    assert verdict(OLD, SECRETS[0], retired).verdict is WebhookVerdict.RETIRED_SECRET
    other = verdict(OTHERS)
    assert other.verdict is WebhookVerdict.OTHER_WEBHOOKS_SECRET
    assert other.secret_webhook_id == "W2"
    unknown = verdict(UNKNOWN)
    assert unknown.verdict is WebhookVerdict.UNKNOWN_SECRET
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


LATIN: Final = BODY.decode().encode().decode("latin-1").encode()


@pytest.mark.parametrize(
    ("body", "mistakes"),
    [
        (BODY + b"\n", (Mistake.TRAILING_SPACE,)),
        (BODY + b"\r\n", (Mistake.LINE_ENDS, Mistake.TRAILING_SPACE)),
        (b"\xef\xbb\xbf" + BODY, (Mistake.BYTE_ORDER_MARK,)),
        (LATIN, (Mistake.WRONG_CHARSET,)),
        (json.dumps(json.loads(BODY)).encode(), (Mistake.JSON_RENDERED_AGAIN,)),
        (
            b"\xef\xbb\xbf" + json.dumps(json.loads(BODY), indent=1).encode() + b"\n",
            (Mistake.BYTE_ORDER_MARK, Mistake.TRAILING_SPACE, Mistake.JSON_RENDERED_AGAIN),
        ),
    ],
)
@pytest.mark.parametrize("sent", [(), (SENT,)])
@pytest.mark.parametrize("sign", [service, standard])
def test_a_changed_body_that_can_be_undone(
    sign: Callable[..., Pasted], sent: tuple[Sent, ...], body: bytes, mistakes: tuple[Mistake, ...]
) -> None:
    """Also without a delivery to hold it against."""
    found = explained(replace(sign(), body=body), sent)

    assert (found.verdict, found.mistakes) == (WebhookVerdict.CHANGED_BODY, mistakes)
    assert found.difference is not None
    assert BODY[: found.difference.at] == body[: found.difference.at]
    assert BODY[found.difference.at :][:1] != body[found.difference.at :][:1]


def test_a_body_that_only_its_delivery_can_tell() -> None:
    """Keys in another order; other words."""
    turned = json.dumps(json.loads(BODY), sort_keys=True, separators=(",", ":")).encode()
    other = BODY.replace(b"0.93", b"0.94")
    assert explained(replace(service(), body=turned)).verdict is WebhookVerdict.NO_MATCH

    found = explained(replace(service(), body=turned), (EARLIER, SENT))
    assert found.verdict is WebhookVerdict.CHANGED_BODY
    assert (found.mistakes, found.delivery_id) == ((Mistake.JSON_RENDERED_AGAIN,), "D1")
    found = explained(replace(standard(), body=other), (EARLIER, SENT))
    assert found.verdict is WebhookVerdict.CHANGED_BODY
    assert (found.mistakes, found.delivery_id) == ((), "D1")
    assert found.difference is not None
    assert found.difference.at == BODY.index(b"0.93") + 3
    assert (found.difference.sent[8], found.difference.pasted[8]) == ("3", "4")


def test_a_receiver_that_signs_what_it_has_parsed() -> None:
    """What it computes is right for what it has, and still not what came."""
    parsed = json.dumps(json.loads(BODY)).encode()

    found = explained(service(body=parsed), (SENT,))
    assert found.verdict is WebhookVerdict.CHANGED_BODY
    assert (found.mistakes, found.delivery_id) == ((Mistake.JSON_RENDERED_AGAIN,), "D1")
    # A delivery of that very body in the same second: then nothing is wrong.
    other = Sent("D2", "E2", AT, parsed)
    assert explained(service(body=parsed), (SENT, other)).verdict is WebhookVerdict.MATCHES


def test_altered_headers() -> None:
    later = str(AT + 1)
    for pasted in (service(), standard()):
        found = explained(replace(pasted, timestamp=later), (EARLIER, SENT))
        assert found.verdict is WebhookVerdict.ALTERED_TIMESTAMP
        assert found.delivery_id == "D1"
        nothing_kept = explained(replace(pasted, timestamp=later))
        assert nothing_kept.verdict is WebhookVerdict.NO_MATCH
    for other in ("", "E2"):
        found = explained(replace(standard(), message_id=other), (SENT,))
        assert found.verdict is WebhookVerdict.ALTERED_ID


@pytest.mark.parametrize("timestamp", ["", "now", "2026-11-21T19:00:00Z", f"{AT}000", f"{AT}.5"])
def test_no_timestamp(timestamp: str) -> None:
    pasted = Pasted(service().signature, timestamp, BODY)
    assert explained(pasted).verdict is WebhookVerdict.MALFORMED_TIMESTAMP
    # Even where the receiver signed it: no such header was sent.
    signed = hexed(SECRET.encode(), timestamp.encode() + b"." + BODY)
    found = explained(Pasted(signed, timestamp, BODY))
    assert found.verdict is WebhookVerdict.MALFORMED_TIMESTAMP


@pytest.mark.parametrize(
    "signature", ["", "***", "v1=", "v1=xyz", "v1=" + "0" * 65, "v1=" + "ab" * 7, "v1,AAAA", "é=ü"]
)
def test_no_signature(signature: str) -> None:
    found = explained(replace(service(), signature=signature), (SENT,))
    assert found.verdict is WebhookVerdict.MALFORMED_SIGNATURE


def test_as_it_was_copied() -> None:
    """With the header's name, with spaces or quotes, or as one library wants it."""
    signature = service().signature
    for copied in (
        f"X-Service-Signature: {signature}",
        f' "{signature}"\n',
        f"t={AT},{signature}",
        f"webhook-signature: {standard().signature}",
    ):
        pasted = Pasted(copied, f" {AT}\n", BODY, "E1 ")
        assert explained(pasted).verdict is WebhookVerdict.MATCHES


def test_nothing_fits() -> None:
    found = explained(replace(service(UNKNOWN), body=b"{}"), (EARLIER, SENT))
    assert found.verdict is WebhookVerdict.NO_MATCH
    assert found.delivery_id == "D1"
    assert found.difference is not None
    assert found.difference.at == 1
    assert explained(service(UNKNOWN)) == Explanation(
        verdict=WebhookVerdict.NO_MATCH, sentence=found.sentence, scheme=Scheme.SERVICE
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
    assert found.verdict is not WebhookVerdict.MATCHES


def test_a_body_is_read_as_often_however_many_were_sent_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Reading may take a tenth of a second, and the API's other callers wait."""
    pasted = service(body=json.dumps({"of": "another event"}).encode())
    read = 0

    def loads(body: bytes) -> object:
        nonlocal read
        read += body == pasted.body
        return json.JSONDecoder().decode(body.decode())

    monkeypatch.setattr("domain.webhooks.mistake.json.loads", loads)
    counts = []
    for number in (1, 50):
        read = 0
        sent = tuple(replace(SENT, delivery_id=f"D{one}") for one in range(number))
        explain(pasted, secrets=SECRETS, sent=sent, now=NOW)
        counts.append(read)
    assert counts[0] == counts[1] > 0
