"""Select the webhook headers that are read, and the webhook headers that are stored."""

from collections.abc import Iterable, Mapping
from typing import Final

from domain.inbound.errors import InboundRefused, RefusalReason

# Prefixes of the platforms' own headers. Other headers are not needed, and a proxy may have added
# them.
_PLATFORMS: Final = (
    "x-shopify-",
    "shopify-",
    "stripe-",
    "x-wc-",
    "x-prestashop-",
    "x-zendesk-",
    "x-gorgias-",
    "x-hub-",
    "x-intercom-",
    "x-freshdesk-",
    "x-mailgun-",
    "x-postmark-",
    "x-twilio-",
    "x-sendgrid-",
    "x-inbound-",
    "webhook-",
    "svix-",
)
_OF_THE_BODY: Final = "content-type"
# A header is not stored if its name contains one of these words, because its value may be a
# credential. A stored credential could be used to forge another request.
_PROOF: Final = ("signature", "hmac", "secret")


def headers_of_platform(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the headers needed to verify and interpret a request, keyed by lower-case name.

    Raises InboundRefused if one of these headers is repeated, because two parsers could use
    different values.
    """
    found: dict[str, str] = {}
    for name, value in headers:
        lower = name.lower()
        if lower != _OF_THE_BODY and not lower.startswith(_PLATFORMS):
            continue
        if lower in found:
            raise InboundRefused(RefusalReason.SIGNATURE_WRONG)
        found[lower] = value
    return found


def kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers to store with the webhook's body: all except those that may authenticate
    the sender."""
    return {
        name: value for name, value in headers.items() if not any(proof in name for proof in _PROOF)
    }
