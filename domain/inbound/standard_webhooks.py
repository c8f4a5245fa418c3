"""Standard Webhooks: how the generic form and PrestaShop's requests are signed and named.

Source: the specification of Standard Webhooks, version 1.
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

# The names of the specification, and those that Svix, from which it comes, goes on to send.
_NAMES: Final = ("webhook-", "svix-")
_PREFIX: Final = "whsec_"
_SCHEME: Final = "v1,"
_MAX_ID: Final = 256


def verify_standard(request: InboundRequest, secrets: tuple[str, ...], now: datetime) -> None:
    """That one of the secrets signed id, time and body, at most 300 s ago or ahead. The header may
    hold several signatures; those of other schemes than `v1` are passed over.

    Raises InboundRefused.
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
    """What names the delivery, the same in each retry. Raises WebhookUnreadable."""
    name = request.headers.get(f"{_names_in(request)}id", "").strip()
    if not name or len(name) > _MAX_ID:
        raise WebhookUnreadable("no_delivery_id")
    return name


def _names_in(request: InboundRequest) -> str:
    """What the names of the headers begin with. One family is looked at, never a mixture."""
    return next((one for one in _NAMES if f"{one}id" in request.headers), _NAMES[0])


def key_of(secret: str) -> bytes:
    """The key of a secret `whsec_…`: what follows is base64. Raises InboundRefused for a secret
    that is none, with which nothing can be signed."""
    try:
        return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise InboundRefused(RefusalReason.SIGNATURE_WRONG) from None
