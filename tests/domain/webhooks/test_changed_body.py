"""A modified body: the modification is detected and named."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pytest

from domain.webhooks.explanation import SignatureResult
from domain.webhooks.mistake import Mistake
from domain.webhooks.signature_verdict import Pasted, Sent, explain
from tests.support.webhooks.pasted import (
    AT,
    BODY,
    EARLIER,
    NOW,
    SECRETS,
    SENT,
    explained,
    service,
    standard,
)

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
    """Even without a delivery to compare it with."""
    found = explained(replace(sign(), body=body), sent)

    assert (found.verdict, found.mistakes) == (SignatureResult.CHANGED_BODY, mistakes)
    assert found.difference is not None
    assert BODY[: found.difference.at] == body[: found.difference.at]
    assert BODY[found.difference.at :][:1] != body[found.difference.at :][:1]


def test_a_body_that_only_its_delivery_can_tell() -> None:
    """Keys in another order; other values."""
    turned = json.dumps(json.loads(BODY), sort_keys=True, separators=(",", ":")).encode()
    other = BODY.replace(b"0.93", b"0.94")
    assert explained(replace(service(), body=turned)).verdict is SignatureResult.NO_MATCH

    found = explained(replace(service(), body=turned), (EARLIER, SENT))
    assert found.verdict is SignatureResult.CHANGED_BODY
    assert (found.mistakes, found.delivery_id) == ((Mistake.JSON_RENDERED_AGAIN,), "D1")
    found = explained(replace(standard(), body=other), (EARLIER, SENT))
    assert found.verdict is SignatureResult.CHANGED_BODY
    assert (found.mistakes, found.delivery_id) == ((), "D1")
    assert found.difference is not None
    assert found.difference.at == BODY.index(b"0.93") + 3
    assert (found.difference.sent[8], found.difference.pasted[8]) == ("3", "4")


def test_a_receiver_that_signs_what_it_has_parsed() -> None:
    """Its signature is correct for its own body, but not for the received one."""
    parsed = json.dumps(json.loads(BODY)).encode()

    found = explained(service(body=parsed), (SENT,))
    assert found.verdict is SignatureResult.CHANGED_BODY
    assert (found.mistakes, found.delivery_id) == ((Mistake.JSON_RENDERED_AGAIN,), "D1")
    # A delivery of the same body in the same second: then nothing is wrong.
    other = Sent("D2", "E2", AT, parsed)
    assert explained(service(body=parsed), (SENT, other)).verdict is SignatureResult.MATCHES


def test_a_body_is_read_as_often_however_many_were_sent_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Parsing may take a tenth of a second, and the API's other callers wait."""
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
