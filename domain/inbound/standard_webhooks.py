"""Standard Webhooks: verify the signatures and identify the deliveries of generic and PrestaShop
webhooks.

Source: the Standard Webhooks specification, version 1.
"""

import base64
import binascii
from datetime import datetime
from typing import Final

from domain.inbound.errors import InboundRefused, RefusalReason, WebhookUnreadable
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.webhook_signature import (
    check_age,
    hmac_sha256_base64,
    require_match,
    signature_header,
    signed_seconds,
)

# Header name prefixes: the specification's prefix, and the older prefix that Svix still sends.
_NAMES: Final = ("webhook-", "svix-")
_PREFIX: Final = "whsec_"
_SCHEME: Final = "v1,"
_MAX_ID: Final = 256


def verify_standard(request: InboundRequest, secrets: tuple[str, ...], now: datetime) -> None:
    """Verify that one of the secrets signed the id, timestamp and body, at most 300 s before or
    after `now`.

    If there are several signatures, only those with the scheme `v1` count. Raises InboundRefused.
    """
    names = _names_in(request)
    given = signature_header(request, f"{names}signature")
    stamp = signature_header(request, f"{names}timestamp", RefusalReason.TIMESTAMP_MISSING)
    name = signature_header(request, f"{names}id")
    check_age(signed_seconds(stamp), now, both_ways=True)
    signed = f"{name}.{stamp}.".encode() + request.body
    expected = [hmac_sha256_base64(key_of(secret), signed) for secret in secrets]
    require_match(
        expected,
        [one.removeprefix(_SCHEME) for one in given.split(" ") if one.startswith(_SCHEME)],
    )


def delivery_id(request: InboundRequest) -> str:
    """Return the id of a delivery, which is the same in each retry. Raises WebhookUnreadable."""
    name = request.headers.get(f"{_names_in(request)}id", "").strip()
    if not name or len(name) > _MAX_ID:
        raise WebhookUnreadable("no_delivery_id")
    return name


def _names_in(request: InboundRequest) -> str:
    """Return the prefix of the request's header names. All headers are read with this prefix, never
    with a mixture of prefixes."""
    return next((one for one in _NAMES if f"{one}id" in request.headers), _NAMES[0])


def key_of(secret: str) -> bytes:
    """Return the key in a `whsec_…` secret, decoded from base64. Raises InboundRefused if the
    secret is invalid."""
    try:
        return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise InboundRefused(RefusalReason.SIGNATURE_WRONG) from None
