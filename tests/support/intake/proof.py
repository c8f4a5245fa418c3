"""Verified addresses, as the normalizer creates them."""

from domain.intake.customer_email import customer_key
from domain.intake.proved_address import ProofKind, ProvedAddress


def proved(address: str | None, by: ProofKind = ProofKind.VOUCHED) -> ProvedAddress | None:
    key = customer_key(address)
    return None if key is None else ProvedAddress(address=key, by=by)
