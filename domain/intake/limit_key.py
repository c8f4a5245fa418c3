"""The limit key: identifies the customer whose rate limit a message counts toward."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from domain.intake.customer_email import customer_key
from domain.intake.event import Channel, InboundEvent, channel_of
from domain.intake.event_sender import claimed_customer, event_sender
from domain.intake.mail_headers import MailHeaders
from domain.intake.normalization import is_verified, names_verified
from domain.intake.payload_view import PayloadView
from domain.intake.proved_address import claims_proof


@dataclass(frozen=True, slots=True)
class LimitKey:
    """The customer whose rate limit a message counts toward.

    `customer` is the result of `claimed_customer`. Messages with a claimed address are counted
    separately from verified messages. Otherwise a stranger could use up the limit of the address's
    holder.
    """

    customer: str
    is_claim: bool

    def digest(self) -> bytes:
        """Return a fixed-size digest of the key. The digest does not reveal the address."""
        name = f"claim:{self.customer}" if self.is_claim else self.customer
        return hashlib.sha256(name.encode()).digest()


def limit_key(event: InboundEvent, authserv_ids: Iterable[str] = ()) -> LimitKey | None:
    """Return the key of the rate limit that the message counts toward, or None if the message
    identifies no customer.

    `authserv_ids` are the mail servers that the client trusts to authenticate senders.
    """
    customer = claimed_customer(event)
    if customer is None:
        return None
    channel = channel_of(event.event_type, event.source)
    if not is_verified(event, channel):
        return LimitKey(customer, is_claim=True)
    # Pass an empty text because the text is parsed only later, when the event is normalized.
    headers = MailHeaders(PayloadView(event.payload))
    who = event_sender(event, channel, headers, "", authserv_ids)
    is_proved = (
        who.is_authenticated
        and names_verified(event, channel, who)
        and customer_key(who.box.address) == customer
    )
    return LimitKey(customer, is_claim=not is_proved)


def needs_mail_servers(event: InboundEvent) -> bool:
    """Return True if `limit_key` depends on the mail servers that the client trusts."""
    channel = channel_of(event.event_type, event.source)
    return (
        channel is Channel.EMAIL
        and is_verified(event, channel)
        and not claims_proof(event.payload)
        and claimed_customer(event) is not None
    )
