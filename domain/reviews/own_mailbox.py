"""Prevent members from approving refunds that they requested as customers."""

from collections.abc import Set

from domain.intake.customer_email import customer_key
from domain.reviews.errors import OwnRequest
from domain.tenants.actor import Actor
from domain.tenants.four_eyes import MemberStanding, mailbox


def check_not_customer(
    review_id: str, actor: Actor, customers: Set[str], members: tuple[MemberStanding, ...]
) -> None:
    """Raise OwnRequest if the actor's mailbox belongs to one of the review's customers. Addresses
    that differ only in a `+` suffix are one mailbox."""
    own = {_mailbox(one.email) for one in members if one.user_id == actor.name}
    if not own.isdisjoint({_mailbox(address) for address in customers}):
        raise OwnRequest(review_id)


def _mailbox(address: str) -> str:
    return mailbox(customer_key(address) or address)
