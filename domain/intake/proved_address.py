"""The proved address: the only proof that gives a message access to a customer's orders and memory.

An address in an event is a claim until a method of `ProofKind` has proved it. Just as a `TenantId`
is created only by authentication, a `ProvedAddress` is created only in the modules that
`tests/test_proved_addresses.py` lists.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, JsonValue

from domain.intake.customer_email import customer_key

CUSTOMER_VERIFIED: Final = "customer_verified"
"""The payload field in which a trusted caller states whether the customer is proved."""
CALLER_VOUCHES: Final = "caller_vouches"
"""The payload field that is false for an event of an untrusted caller."""


class ProofKind(StrEnum):
    """The proof of an address. `vouched`: an `ak_` key, the engine secret or a field that the
    platform's descriptor names. `mail`: the mail's authentication. `code`: a code that was mailed
    to the address and typed by the author in the thread."""

    VOUCHED = "vouched"
    MAIL = "mail"
    CODE = "code"


class ProvedAddress(BaseModel):
    """The address of a message's author, who holds it. `address`: as `customer_key` spells it."""

    model_config = ConfigDict(frozen=True)

    address: str
    by: ProofKind

    def is_of(self, address: str | None) -> bool:
        return customer_key(address) == self.address


def unvouched(payload: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the payload of an untrusted caller: its customer is a claim, and it joins no ticket's
    thread."""
    return {**payload, CUSTOMER_VERIFIED: False, CALLER_VOUCHES: False}


def claims_proof(payload: Mapping[str, JsonValue]) -> bool:
    """Return whether the payload declares its customer as proved."""
    return payload.get(CUSTOMER_VERIFIED) is True


def is_trusted(payload: Mapping[str, JsonValue]) -> bool:
    """Return whether the caller may name tickets and vouch for customers."""
    return payload.get(CALLER_VOUCHES) is not False
