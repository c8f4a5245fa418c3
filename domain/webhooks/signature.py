"""Signatures of webhook deliveries. The service's own scheme and Standard Webhooks use the same
secret."""

import base64
import binascii
import hmac
from collections.abc import Mapping, Sequence
from typing import Final

from domain.core.service_name import ServiceName
from domain.webhooks.delivery import Trigger

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - the prefix of secrets, not a secret
SECRET_BYTES: Final = 24

SIGNATURE: Final = "X-Service-Signature"
SIGNATURE_NEXT: Final = "X-Service-Signature-Next"
TIMESTAMP: Final = "X-Service-Timestamp"
EVENT: Final = "X-Service-Event"
STANDARD_ID: Final = "webhook-id"
STANDARD_TIMESTAMP: Final = "webhook-timestamp"
STANDARD_SIGNATURE: Final = "webhook-signature"
MASK: Final = "***"

_SECRETS: Final = (SIGNATURE, SIGNATURE_NEXT, STANDARD_SIGNATURE)


def secret_of(random: bytes) -> str:
    """Return a webhook secret generated from SECRET_BYTES random bytes: `whsec_` and 48 hexadecimal
    characters."""
    if len(random) != SECRET_BYTES:
        raise ValueError("24 bytes expected")
    return SECRET_PREFIX + random.hex()


def service_signature(secret: str, timestamp: int, body: bytes) -> str:
    """Return "v1=" and the hexadecimal HMAC-SHA256 of `<timestamp>.<body>`. The key is the whole
    secret."""
    signed = f"{timestamp}.".encode() + body
    return "v1=" + hmac.digest(secret.encode(), signed, "sha256").hex()


def standard_signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Return "v1," and the base64 HMAC-SHA256 of `<id>.<timestamp>.<body>`.

    As in Standard Webhooks, the key is the base64-decoded secret without its prefix. Raises
    ValueError for invalid base64.
    """
    try:
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except binascii.Error as error:
        raise ValueError("no secret of a webhook") from error
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


def signed_headers(
    *,
    event: str,
    event_id: str,
    delivery_id: str,
    attempt: int,
    trigger: Trigger,
    timestamp: int,
    body: bytes,
    secrets: Sequence[str],
    service: ServiceName,
) -> dict[str, str]:
    """Return all HTTP headers for a delivery, including the signatures.

    `secrets` are newest first. During the overlap after a rotation, the older secret signs
    X-Service-Signature, for receivers that do not know the new secret yet. `timestamp` is in Unix
    seconds.
    """
    newest, *older = secrets
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"{service.token}-Webhooks/1.0",
        EVENT: event,
        TIMESTAMP: str(timestamp),
        SIGNATURE: service_signature(older[0] if older else newest, timestamp, body),
        "X-Service-Delivery": delivery_id,
        "X-Service-Attempt": str(attempt),
        "X-Service-Trigger": trigger.value,
        STANDARD_ID: event_id,
        STANDARD_TIMESTAMP: str(timestamp),
        STANDARD_SIGNATURE: " ".join(
            standard_signature(secret, event_id, timestamp, body) for secret in secrets
        ),
    }
    if older:
        headers[SIGNATURE_NEXT] = service_signature(newest, timestamp, body)
    return headers


def masked(headers: Mapping[str, str]) -> dict[str, str]:
    """Return a delivery's headers with masked signatures, for storage and display."""
    return {name: MASK if name in _SECRETS else value for name, value in headers.items()}
