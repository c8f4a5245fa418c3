"""A webhook secret that the platform issued and a user enters. A malformed secret is rejected at
once because every webhook would fail verification."""

import re
from typing import Final

from domain.inbound.errors import InboundRefused, InvalidEndpoint
from domain.inbound.platforms.sendgrid import public_key
from domain.inbound.standard_webhooks import key_of
from domain.integrations.providers import Provider

_SECRET: Final = re.compile(r"[!-~]{8,1000}")
_STRIPE: Final = "whsec_"


def check_given_secret(provider: Provider, secret: str) -> None:
    """Raise InvalidEndpoint, without quoting the secret, unless the secret matches the platform's
    format.

    Mailgun, Shopify, Zendesk and Intercom document no format, so their secrets only need 8 to 1000
    visible characters.
    """
    if not _SECRET.fullmatch(secret):
        raise InvalidEndpoint("8 to 1000 visible characters expected", "secret")
    match provider:
        case Provider.STRIPE if not secret.startswith(_STRIPE):
            raise InvalidEndpoint("the signing secret whsec_… expected", "secret")
        case Provider.SENDGRID if public_key(secret) is None:
            raise InvalidEndpoint("a public key of P-256 expected, base64 of DER", "secret")
        case Provider.GENERIC | Provider.PRESTASHOP if not _is_key(secret):
            raise InvalidEndpoint("whsec_ and base64 expected", "secret")
        case _:
            pass


def _is_key(secret: str) -> bool:
    try:
        return bool(key_of(secret))
    except InboundRefused:
        return False
