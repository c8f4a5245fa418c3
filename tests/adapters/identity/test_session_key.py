"""Our own identity provider: formats of its keys, its tokens, its published keys."""

import base64
from datetime import datetime

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from adapters.identity.session_key import AUDIENCE, ISSUER, SessionKeys, new_session_key, thumbprint
from adapters.system import utc_now
from domain.tenants.user import User


def _now() -> datetime:
    """Computed in the test, because the import can be an hour older in a long run."""
    return utc_now().replace(microsecond=0)


def test_thumbprint_of_the_example_in_rfc_9449() -> None:
    jwk = {
        "kty": "EC",
        "x": "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
        "y": "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
        "crv": "P-256",
    }

    assert thumbprint(jwk) == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"


def test_token_lives_one_hour_and_says_who() -> None:
    keys = SessionKeys(new_session_key())
    token = keys.sign(User("user-1", is_admin=False), _now())

    (published,) = keys.published["keys"]
    claims = jwt.decode(
        token, jwt.PyJWK(published), algorithms=["ES256"], audience=AUDIENCE, issuer=ISSUER
    )

    assert claims.pop("exp") - claims.pop("iat") == 3600
    assert claims == {"iss": ISSUER, "aud": AUDIENCE, "sub": "user-1"}
    assert jwt.get_unverified_header(token)["kid"] == published["kid"]


def test_published_part_is_public() -> None:
    (published,) = SessionKeys(new_session_key()).published["keys"]

    assert set(published) == {"kty", "crv", "x", "y", "kid", "use", "alg"}


async def test_rotation() -> None:
    old, new = new_session_key(), new_session_key()
    token = SessionKeys(old).sign(User("user-1", is_admin=False), _now())
    kid = jwt.get_unverified_header(token)["kid"]
    rotating = SessionKeys(f"{new}, {old}")

    assert await rotating.find(kid) is not None
    assert jwt.get_unverified_header(rotating.sign(User("u", is_admin=False), _now()))["kid"] != kid
    assert len(rotating.published["keys"]) == 2
    assert await SessionKeys(new).find(kid) is None


@pytest.mark.parametrize("encoding", [Encoding.DER, Encoding.PEM])
@pytest.mark.parametrize("form", [PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL])
def test_every_spelling_of_a_key(encoding: Encoding, form: PrivateFormat) -> None:
    assert SessionKeys(spelled(ec.SECP256R1(), encoding, form)).published["keys"]


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", "AAAA", ",", new_session_key() + ",", new_session_key()[:-8]],
)
def test_what_is_no_key(text: str) -> None:
    with pytest.raises(ValueError, match="no private key"):
        SessionKeys(text)


def test_key_of_another_curve() -> None:
    with pytest.raises(ValueError, match="P-256"):
        SessionKeys(spelled(ec.SECP384R1(), Encoding.DER, PrivateFormat.PKCS8))


def spelled(curve: ec.EllipticCurve, encoding: Encoding, form: PrivateFormat) -> str:
    raw = ec.generate_private_key(curve).private_bytes(encoding, form, NoEncryption())
    return raw.decode() if encoding is Encoding.PEM else base64.b64encode(raw).decode()
