"""The pseudonym that replaces an erased customer's address on the customer's refunds.

Because of the pseudonym, refunds before the erasure still count toward the limit per customer.
"""

import re
from typing import Final

from domain.core.ports import Sealer

_PREFIX: Final = "erased:"
_PSEUDONYM: Final = re.compile(rf"{_PREFIX}[0-9a-f]{{64}}")


def pseudonyms(sealer: Sealer, client_id: str, customer: str) -> tuple[str, ...]:
    """Return the pseudonyms of a customer, newest key first. Computing them takes both the address
    and the key. `customer` is a result of `customer_key`."""
    digests = sealer.digests(f"refunds to an erased customer/{client_id}/{customer}")
    return tuple(f"{_PREFIX}{digest.hex()}" for digest in digests)


def is_pseudonym(customer: str) -> bool:
    """Return True if the customer of a refund has already been replaced by a pseudonym."""
    return _PSEUDONYM.fullmatch(customer) is not None


def refunded_as(sealer: Sealer, client_id: str, customer: str | None) -> tuple[str, ...]:
    """Return the values that identify a customer on their refunds: the address and its
    pseudonyms."""
    if customer is None:
        return ()
    return (customer, *pseudonyms(sealer, client_id, customer))
