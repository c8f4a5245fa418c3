"""The proved address: the only thing that entitles a message to a customer's orders and memory.

An address in an event is a claim until one of the ways of `ProofKind` has proved it. As a
`TenantId` is made by authentication, a `ProvedAddress` is made only in the modules that
`tests/test_proved_addresses.py` lists.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, JsonValue

from domain.intake.customer_email import customer_key

CUSTOMER_VERIFIED: Final = "customer_verified"
"""The payload's field in which a trusted caller says whether the customer is proved."""
CALLER_VOUCHES: Final = "caller_vouches"
"""The payload's field that is false for an event of a caller whose word proves nothing."""


class ProofKind(StrEnum):
    """How an address was proved. `vouched`: an `ak_` key, the engine secret or a field that the
    platform's descriptor names. `mail`: the mail's authentication. `code`: a code that was mailed
    to the address and typed by the author in the thread."""

    VOUCHED = "vouched"
    MAIL = "mail"
    CODE = "code"


class ProvedAddress(BaseModel):
    """An address whose holder wrote the message. `address`: as `customer_key` spells it."""

    model_config = ConfigDict(frozen=True)

    address: str
    by: ProofKind

    def is_of(self, address: str | None) -> bool:
        return customer_key(address) == self.address


def unvouched(payload: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The payload as a caller sends it whose word proves nothing: its customer is a claim, and it
    enters no ticket's thread."""
    return {**payload, CUSTOMER_VERIFIED: False, CALLER_VOUCHES: False}


def claims_proof(payload: Mapping[str, JsonValue]) -> bool:
    """Whether the payload asks for its customer to be taken as proved."""
    return payload.get(CUSTOMER_VERIFIED) is True


def is_trusted(payload: Mapping[str, JsonValue]) -> bool:
    """Whether the caller may name tickets and vouch for customers."""
    return payload.get(CALLER_VOUCHES) is not False
