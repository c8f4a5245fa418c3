"""The author's proof: what a provider's webhook says that proves the address of a ticket's author.

Everything else in a webhook is a claim, also where its signature is right: the signature proves the
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
    """What proves an author at a provider.

    `nothing`: no field of its webhooks does. `mail`: the authentication of a mail by its receiving
    server. `signed_in`: the shop's own module states that the customer was signed in, with an
    address that the shop has confirmed. `mapped`: the merchant's own system says so, in the field
    that its mapping names for `customer_verified`.
    """

    NOTHING = "nothing"
    MAIL = "mail"
    SIGNED_IN = "signed_in"
    MAPPED = "mapped"


def may_vouch(proof: AuthorProof, mapping: Mapping[str, str] | None) -> bool:
    """Return whether a holder of an endpoint's secret can have an address taken as proved.
    `mapping`: of the generic form."""
    if proof is AuthorProof.MAPPED:
        return CUSTOMER_VERIFIED in (mapping or GATEWAY_MAPPING)
    return proof is not AuthorProof.NOTHING


def with_standing(ticket: InboundTicket, proof: AuthorProof) -> InboundTicket:
    """The ticket, its author proved or explicitly not, by the provider's rule alone."""
    event = ticket.event
    proved = proof is not AuthorProof.NOTHING and claims_proof(event.payload)
    if not proved and channel_of(event.event_type, event.source) is Channel.EMAIL:
        # A mail without a proof is answered by mail, to the address that it claims.
        payload = {name: one for name, one in event.payload.items() if name != CUSTOMER_VERIFIED}
    else:
        payload = {**event.payload, CUSTOMER_VERIFIED: proved}
    return replace(ticket, event=event.model_copy(update={"payload": payload}))
