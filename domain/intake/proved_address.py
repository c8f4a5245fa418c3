"""The verified address of a message's author, required for access to a customer's orders and
memory.

An address is a claim until a method in `ProofKind` has verified it. Only the modules listed in
`tests/test_proved_addresses.py` create a `ProvedAddress`.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, JsonValue

from domain.intake.customer_email import customer_key

CUSTOMER_VERIFIED: Final = "customer_verified"
"""The payload field in which a trusted caller states whether the customer is verified."""
CALLER_VOUCHES: Final = "caller_vouches"
"""The payload field that is false for events from an untrusted caller."""

TICKET_BY_PLATFORM: Final = "ticket_by_platform"
"""The payload field that is true if the helpdesk itself reported the message in its ticket."""


class ProofKind(StrEnum):
    """The method by which an address was verified.

    - `vouched`: a trusted caller, or a field listed in the platform's descriptor, states that the
      address is verified.
    - `mail`: the email is authenticated.
    - `code`: the author typed a code that was emailed to the address.
    """

    VOUCHED = "vouched"
    MAIL = "mail"
    CODE = "code"


class ProvedAddress(BaseModel):
    """The verified address of a message's author. `address`: in the canonical form of
    `customer_key`."""

    model_config = ConfigDict(frozen=True)

    address: str
    by: ProofKind

    def is_of(self, address: str | None) -> bool:
        return customer_key(address) == self.address


def unvouched(payload: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the payload marked as coming from an untrusted caller. The customer's address becomes
    a claim, and the message is not added to a ticket's thread."""
    return {**payload, CUSTOMER_VERIFIED: False, CALLER_VOUCHES: False}


def claims_proof(payload: Mapping[str, JsonValue]) -> bool:
    """Return True if the payload states that the customer is verified."""
    return payload.get(CUSTOMER_VERIFIED) is True


def is_trusted(payload: Mapping[str, JsonValue]) -> bool:
    """Return True if the caller that sent the payload may specify ticket ids and vouch for
    customers."""
    return payload.get(CALLER_VOUCHES) is not False


def is_by_platform(payload: Mapping[str, JsonValue]) -> bool:
    """Return True if the helpdesk itself reported the message. The message then certainly belongs
    to its ticket."""
    return is_trusted(payload) and payload.get(TICKET_BY_PLATFORM) is True
