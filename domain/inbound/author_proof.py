"""The author proof: the field of a provider's webhook that can prove a ticket author's address.

Everything else in a webhook is a claim, even under a valid signature. The signature only proves the
platform, and the platform passes on what a visitor typed.
"""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum

from domain.inbound.mapping import GATEWAY_MAPPING
from domain.inbound.meaning import InboundTicket
from domain.intake.event import Channel, channel_of
from domain.intake.proved_address import CUSTOMER_VERIFIED, claims_proof


class AuthorProof(StrEnum):
    """A provider's means of proving an author's address.

    `nothing`: the provider's webhooks have no such field. `mail`: the receiving server's
    authentication of the mail. `signed_in`: the shop's own module states that the customer was
    signed in with an address that the shop has confirmed. `mapped`: the merchant's own system
    states it, in the field that its mapping assigns to `customer_verified`.
    """

    NOTHING = "nothing"
    MAIL = "mail"
    SIGNED_IN = "signed_in"
    MAPPED = "mapped"


def may_vouch(proof: AuthorProof, mapping: Mapping[str, str] | None) -> bool:
    """Return whether the holder of an endpoint's secret can have an address accepted as proved.

    `mapping`: the mapping of the generic form.
    """
    if proof is AuthorProof.MAPPED:
        return CUSTOMER_VERIFIED in (mapping or GATEWAY_MAPPING)
    return proof is not AuthorProof.NOTHING


def with_standing(ticket: InboundTicket, proof: AuthorProof) -> InboundTicket:
    """Return the ticket with its author marked as proved or unproved, by the provider's rule
    alone."""
    event = ticket.event
    proved = proof is not AuthorProof.NOTHING and claims_proof(event.payload)
    if not proved and channel_of(event.event_type, event.source) is Channel.EMAIL:
        # Without this field, an unproved mail is answered by mail, to the claimed address.
        payload = {name: one for name, one in event.payload.items() if name != CUSTOMER_VERIFIED}
    else:
        payload = {**event.payload, CUSTOMER_VERIFIED: proved}
    return replace(ticket, event=event.model_copy(update={"payload": payload}))
