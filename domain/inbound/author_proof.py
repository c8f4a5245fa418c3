"""The author proof: the webhook field that can verify the address of a ticket's author.

All other author data is only a claim. A valid signature shows which platform sent the webhook, but
the platform passes on the visitor's input.
"""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum

from domain.inbound.mapping import GATEWAY_MAPPING
from domain.inbound.meaning import InboundTicket
from domain.intake.event import Channel, channel_of
from domain.intake.proved_address import CUSTOMER_VERIFIED, claims_proof


class AuthorProof(StrEnum):
    """The way in which a provider's webhooks can prove an author's address.

    - `nothing`: no field proves it.
    - `mail`: the receiving mail server authenticated the email.
    - `signed_in`: the shop's module reports that the customer is signed in and has a confirmed
      address.
    - `mapped`: the merchant's system reports it as verified, in the field mapped to
      `customer_verified`.
    """

    NOTHING = "nothing"
    MAIL = "mail"
    SIGNED_IN = "signed_in"
    MAPPED = "mapped"


def may_vouch(proof: AuthorProof, mapping: Mapping[str, str] | None) -> bool:
    """Return True if webhooks to the endpoint can verify a customer's address. Any holder of its
    secret can then do so. `mapping` exists only for the generic form."""
    if proof is AuthorProof.MAPPED:
        return CUSTOMER_VERIFIED in (mapping or GATEWAY_MAPPING)
    return proof is not AuthorProof.NOTHING


def with_standing(ticket: InboundTicket, proof: AuthorProof) -> InboundTicket:
    """Return the ticket with its author marked as verified or unverified. The author counts as
    verified only if the provider can prove addresses and the webhook states such a proof."""
    event = ticket.event
    proved = proof is not AuthorProof.NOTHING and claims_proof(event.payload)
    if not proved and channel_of(event.event_type, event.source) is Channel.EMAIL:
        # Remove the field instead of setting it to False. An unverified email is still answered at
        # its claimed address if the field is missing, but not if it is False.
        payload = {name: one for name, one in event.payload.items() if name != CUSTOMER_VERIFIED}
    else:
        payload = {**event.payload, CUSTOMER_VERIFIED: proved}
    return replace(ticket, event=event.model_copy(update={"payload": payload}))
