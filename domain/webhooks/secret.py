"""Encrypt a webhook's secret for storage, together with the webhook's id, so that the secret cannot
be used for another webhook."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from domain.core.ports import Sealer
from domain.webhooks.explanation import Origin
from domain.webhooks.signature_verdict import KnownSecret


@dataclass(frozen=True, slots=True)
class SealedSecret:
    """An encrypted webhook secret with which a pasted signature is compared."""

    sealed: str = field(repr=False)
    origin: Origin
    webhook_id: str


def seal_secret(sealer: Sealer, client_id: str, webhook_id: str, secret: str) -> str:
    """Return the encrypted secret. It can be decrypted only for the same webhook of the same
    client."""
    return sealer.seal(f"{client_id}/{webhook_id}/{secret}")


def unseal_secret(sealer: Sealer, client_id: str, webhook_id: str, sealed: str) -> str:
    """Return the decrypted secret. Raises ValueError if the secret was encrypted with another key
    or for another webhook."""
    owner, _, secret = sealer.unseal(sealed).rpartition("/")
    if owner != f"{client_id}/{webhook_id}":
        raise ValueError("another webhook's secret")
    return secret


def known_secrets(
    sealer: Sealer, client_id: str, secrets: Iterable[SealedSecret]
) -> tuple[KnownSecret, ...]:
    """Return the decrypted secrets, for explaining a signature.

    Raises ValueError if one of the webhook's own secrets cannot be decrypted. Other webhooks'
    secrets are only guesses, and are then skipped.
    """
    known: list[KnownSecret] = []
    for one in secrets:
        try:
            secret = unseal_secret(sealer, client_id, one.webhook_id, one.sealed)
        except ValueError:
            if one.origin is not Origin.OTHER_WEBHOOK:
                raise
        else:
            known.append(KnownSecret(secret, one.origin, one.webhook_id))
    return tuple(known)
