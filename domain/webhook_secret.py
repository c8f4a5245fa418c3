"""A webhook's secret at rest: sealed together with whose it is, so that none can be moved."""

from domain.ports import Sealer


def seal_secret(sealer: Sealer, client_id: str, webhook_id: str, secret: str) -> str:
    return sealer.seal(f"{client_id}/{webhook_id}/{secret}")


def unseal_secret(sealer: Sealer, client_id: str, webhook_id: str, sealed: str) -> str:
    """Raises ValueError if it was sealed with another key, or is another webhook's."""
    owner, _, secret = sealer.unseal(sealed).rpartition("/")
    if owner != f"{client_id}/{webhook_id}":
        raise ValueError("another webhook's secret")
    return secret
