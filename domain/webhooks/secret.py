"""A webhook's secret at rest, sealed together with its owner so that it works for no other
webhook."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from domain.core.ports import Sealer
from domain.webhooks.explanation import Origin
from domain.webhooks.signature_verdict import KnownSecret


@dataclass(frozen=True, slots=True)
class SealedSecret:
    """A sealed secret with which a pasted signature is compared."""

    sealed: str = field(repr=False)
    origin: Origin
    webhook_id: str


def seal_secret(sealer: Sealer, client_id: str, webhook_id: str, secret: str) -> str:
    return sealer.seal(f"{client_id}/{webhook_id}/{secret}")


def unseal_secret(sealer: Sealer, client_id: str, webhook_id: str, sealed: str) -> str:
    """Unseal a secret. Raises ValueError if it was sealed with another key or for another
    webhook."""
    owner, _, secret = sealer.unseal(sealed).rpartition("/")
    if owner != f"{client_id}/{webhook_id}":
        raise ValueError("another webhook's secret")
    return secret


def known_secrets(
    sealer: Sealer, client_id: str, secrets: Iterable[SealedSecret]
) -> tuple[KnownSecret, ...]:
    """Unseal the secrets.

    Raises ValueError as `unseal_secret` does, except for another webhook's secret: this is only an
    additional guess, and is skipped.
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
