"""Verify ID tokens from an OpenID Connect provider, and extract the user's email address."""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from typing import Final

import jwt

from adapters.identity.jwks import ProviderKeys
from adapters.identity.signed_claims import signed_claims
from domain.identity.address import sign_in_address
from domain.identity.errors import InvalidAddress
from domain.tenants.actor import is_operator
from domain.tenants.user import is_user_id

# The hash function for an access token, by the last three characters of the signing algorithm's
# name.
_HASHES: Final = {"256": "sha256", "384": "sha384", "512": "sha512", "DSA": "sha512"}


async def id_token_claims(
    token: str,
    keys: ProviderKeys,
    *,
    issuer: str,
    client_id: str,
    algorithms: tuple[str, ...],
    nonce: str,
    access_token: str,
) -> Mapping[str, object]:
    """Verify that the ID token belongs to this sign-in (OpenID Connect Core, 3.1.3.7), and return
    its claims. Raises jwt.PyJWTError for any invalid token."""
    claims = await signed_claims(
        token,
        keys,
        issuer=issuer,
        audience=client_id,
        algorithms=algorithms,
        unnamed=await keys.only(),
    )
    party = claims.get("azp")
    if party is None and isinstance(claims["aud"], list) and len(claims["aud"]) > 1:
        raise jwt.MissingRequiredClaimError("azp")
    if party not in (None, client_id):
        raise jwt.InvalidAudienceError("made for another client")
    if not _is(nonce, claims.get("nonce")):
        raise jwt.InvalidTokenError("not the answer to this sign-in")
    bound_to = claims.get("at_hash")
    if bound_to is not None:
        algorithm = str(jwt.get_unverified_header(token)["alg"])
        if not _is(_half_digest(access_token, algorithm), bound_to):
            raise jwt.InvalidTokenError("of another access token")
    subject = claims["sub"]
    if not isinstance(subject, str) or not is_user_id(subject) or is_operator(subject):
        raise jwt.InvalidTokenError("no id that a user can have")
    return claims


def proved_address(claims: Mapping[str, object]) -> str | None:
    """Return the email address if the provider has verified it, otherwise None. The address is
    verified only if `email_verified` is `true`."""
    email = claims.get("email")
    if claims.get("email_verified") is not True or not isinstance(email, str):
        return None
    try:
        return sign_in_address(email)
    except InvalidAddress:
        return None


def _is(expected: str, said: object) -> bool:
    return isinstance(said, str) and hmac.compare_digest(expected.encode(), said.encode())


def _half_digest(access_token: str, algorithm: str) -> str:
    digest = hashlib.new(_HASHES[algorithm[-3:]], access_token.encode()).digest()
    return base64.urlsafe_b64encode(digest[: len(digest) // 2]).rstrip(b"=").decode()
