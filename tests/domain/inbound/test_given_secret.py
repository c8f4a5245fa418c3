"""Platform secrets that users paste: typing errors are reported before storage."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from domain.inbound.endpoint import SECRET_BYTES, made_secret
from domain.inbound.errors import InvalidEndpoint
from domain.inbound.given_secret import check_given_secret
from domain.integrations.providers import Provider
from tests.support.core.each import each
from tests.support.inbound.mails import sendgrid_key


def shown(key: ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey) -> str:
    return base64.b64encode(
        key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    ).decode()


P384 = shown(ec.generate_private_key(ec.SECP384R1()).public_key())
EDWARDS = shown(ed25519.Ed25519PrivateKey.generate().public_key())
STANDARD = made_secret(bytes(SECRET_BYTES))


@each(
    [
        ((Provider.SENDGRID, sendgrid_key().public), True),
        ((Provider.SENDGRID, sendgrid_key().public[:-8]), False),
        ((Provider.SENDGRID, P384), False),
        ((Provider.SENDGRID, EDWARDS), False),
        ((Provider.SENDGRID, "SG.an-api-key"), False),
        ((Provider.STRIPE, "whsec_5f1c0a9b7d3e8246"), True),
        ((Provider.STRIPE, "sk_live_5f1c0a9b7d3e8246"), False),
        ((Provider.GENERIC, STANDARD), True),
        ((Provider.GENERIC, "whsec_of_ours"), False),
        ((Provider.PRESTASHOP, "whsec_no-base64!"), False),
        # They document no format.
        ((Provider.SHOPIFY, "shpss_0a1b2c3d4e5f"), True),
        ((Provider.MAILGUN, "key-3ax6xnjp29jd6fds4gc373sgvjxteol0"), True),
        ((Provider.ZENDESK, "HRkRd4BeOAoUkfZr-mhauJT64rvBASlJRoIyPsd3zeA="), True),
        ((Provider.SHOPIFY, "short"), False),
    ]
)  # fmt: skip
def test_shape(given: tuple[Provider, str], is_taken: bool) -> None:
    if is_taken:
        check_given_secret(*given)
        return
    with pytest.raises(InvalidEndpoint) as refused:
        check_given_secret(*given)
    assert refused.value.reason == "secret"
    assert given[1] not in str(refused.value)
