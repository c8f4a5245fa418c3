"""Verify a JWT before any of its claims is trusted."""

from collections.abc import Mapping
from typing import Final, Protocol

import jwt

_LEEWAY_S: Final = 10
_REQUIRED: Final = ("exp", "iat", "sub", "aud", "iss")


class KeySource(Protocol):
    async def find(self, kid: str) -> Mapping[str, jwt.PyJWK] | None:
        """Return the provider's public key with that name, bound to each of its algorithms. Return
        None if the provider currently has no such key."""

    async def close(self) -> None: ...


async def signed_claims(
    token: str,
    keys: KeySource,
    *,
    issuer: str,
    audience: str,
    algorithms: tuple[str, ...],
    unnamed: str | None = None,
) -> dict[str, object]:
    """Return the claims of a verified token. `unnamed` is the key name for a token that names no
    key. Raises jwt.PyJWTError for any invalid token."""
    # Only the header's `kid` is used, as the name of a known key. With `jwk`, `jku` or `x5u`, the
    # token could supply its own key.
    header = jwt.get_unverified_header(token)
    if "crit" in header:
        raise jwt.InvalidTokenError("an extension that must be understood")
    # `alg` selects one of the algorithms that are allowed and suitable for the key.
    kid, algorithm = header.get("kid", unnamed), header.get("alg")
    if not isinstance(kid, str) or algorithm not in algorithms:
        raise jwt.InvalidTokenError("no name of a key, or an algorithm that is not allowed")
    found = await keys.find(kid)
    key = found.get(algorithm) if found else None
    if key is None:
        raise jwt.InvalidKeyError("no key of that name for that algorithm")
    claims: dict[str, object] = jwt.decode(
        token,
        key,
        algorithms=algorithms,
        audience=audience,
        issuer=issuer,
        leeway=_LEEWAY_S,
        options={"require": list(_REQUIRED), "enforce_minimum_key_length": True},
    )
    return claims
