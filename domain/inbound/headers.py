"""The headers of a webhook: which of them anybody looks at, and which are kept."""

from collections.abc import Iterable, Mapping
from typing import Final

from domain.inbound.errors import InboundRefused, RefusalReason

# What the platforms' own headers begin with. All others say nothing here, and may be a proxy's.
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
# What proves who sent it, or would let somebody send another.
_PROOF: Final = ("signature", "hmac", "secret")


def headers_of_platform(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Those that reading and believing may need, by their names in lower case.

    Raises InboundRefused where one comes twice: two readers might not take the same one.
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
    """Those that are kept beside the body."""
    return {
        name: value for name, value in headers.items() if not any(proof in name for proof in _PROOF)
    }
