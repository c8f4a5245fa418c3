"""Prevent users from approving requests that their own API keys sent."""

from collections.abc import Set
from datetime import datetime

from domain.reviews.errors import OwnRequest
from domain.tenants.actor import REVIEWERS, Actor, without_address
from domain.tenants.four_eyes import MEMBER_FOR, MemberStanding, is_staff, mailbox
from domain.tenants.loosening import WAITS


def check_key_maker(
    review_id: str,
    actor: Actor,
    makers: Set[str],
    members: tuple[MemberStanding, ...],
    now: datetime,
    *,
    manager_left_at: datetime | None,
    needs_second: bool,
) -> None:
    """Check that `actor` may approve a review that moves money or needs two approvals. Raises
    OwnRequest.

    `makers` created the API keys that sent the review's messages. Neither a maker nor a member who
    may be one under a second address may approve.

    If one approval is enough, a maker may approve without a colleague who could decide. A manager
    who left within the last day counts as a colleague. Otherwise a maker could remove all
    colleagues first.
    """
    if is_staff(actor):
        return
    selves = {one.user_id for one in members if _may_be_maker(one, makers, members, now)}
    if actor.known_as not in makers:
        if actor.name in selves:
            raise OwnRequest(review_id)
        return
    has_colleague = any(one.role in REVIEWERS and one.user_id not in selves for one in members)
    had_one = manager_left_at is not None and now - manager_left_at < WAITS
    if needs_second or has_colleague or had_one:
        raise OwnRequest(review_id)


def _may_be_maker(
    one: MemberStanding, makers: Set[str], members: tuple[MemberStanding, ...], now: datetime
) -> bool:
    """Return True if the member is a maker of the keys, or may be one under a second address.

    That is assumed if both addresses belong to one mailbox, or if a maker invited the member, who
    joined within the last day.
    """
    is_guest = _is_of(one.invited_by, makers) and now - one.joined_at < MEMBER_FOR
    mailboxes = {mailbox(maker.email) for maker in members if _is_of(maker.user_id, makers)}
    return is_guest or mailbox(one.email) in mailboxes


def _is_of(user_id: str | None, makers: Set[str]) -> bool:
    return user_id is not None and without_address(user_id) in makers
