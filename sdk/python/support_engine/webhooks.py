"""Verification of webhook requests."""

import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

TOLERANCE_S: Final = 300
_SIGNATURES: Final = ("x-service-signature", "x-service-signature-next")


class WebhookInvalid(Exception):
    """The request is not a genuine webhook of the service. Answer it with status 400."""


@dataclass(frozen=True, slots=True)
class WebhookEvent:
    """A verified event. `id`: the same for each delivery of the event, so ignore an id that you
    have processed. `data`: fields may be added without notice."""

    id: str
    event: str
    timestamp: str
    client_id: str
    data: Mapping[str, Any]


def verify_webhook(
    secret: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance_s: int = TOLERANCE_S,
    now: float | None = None,
) -> WebhookEvent:
    """Return the event in a request. Raises WebhookInvalid.

    `secret`: the webhook's secret, including `whsec_`. `headers`: the request's headers. `body`:
    the raw body, before any parsing. `tolerance_s`: the greatest age of a request. `now`: the
    current Unix time, for tests.
    """
    given = {name.lower(): value for name, value in headers.items()}
    timestamp = given.get("x-service-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdecimal()):
        raise WebhookInvalid("the X-Service-Timestamp header is missing or not a number")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance_s:
        raise WebhookInvalid("the timestamp is too old, or the clock is wrong")
    signed = timestamp.encode() + b"." + body
    expected = b"v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
    if not any(hmac.compare_digest(expected, given.get(one, "").encode()) for one in _SIGNATURES):
        raise WebhookInvalid("the signature does not match")
    event = json.loads(body)
    return WebhookEvent(
        id=given.get("webhook-id", ""),
        event=event["event"],
        timestamp=event["timestamp"],
        client_id=event["client_id"],
        data=event["data"],
    )
