"""Input for the signature checker: the received data, and the sent data."""

import base64
import hashlib
import hmac
from datetime import UTC, datetime
from typing import Final

from domain.webhooks.envelope import render
from domain.webhooks.explanation import Explanation, Origin
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
