"""The four-eyes rule: two members must approve, and one person with two addresses counts only once.

A minimum membership period prevents members from inviting their own second address for this
purpose.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from domain.tenants.actor import MANAGERS, REVIEWERS, Actor, ActorKind, is_operator
from domain.tenants.client import Role
from domain.tenants.errors import SecondPersonUnfit

MEMBER_FOR: Final = timedelta(hours=24)
"""Minimum membership period before a member qualifies for the four-eyes rule."""

_DOTLESS: Final = frozenset({"gmail.com", "googlemail.com"})


class Unfit(StrEnum):
    """The reason why a user does not qualify for the four-eyes rule."""

    NOT_A_MEMBER = "not_a_member"
    ADDRESS_NOT_VERIFIED = "address_not_verified"
    JOINED_RECENTLY = "joined_recently"
    SAME_ADDRESS = "same_address"
    SAME_PERSON = "same_person"


@dataclass(frozen=True, slots=True)
class MemberStanding:
    """The member data that the four-eyes rule checks. `verified_at` is when the member verified the
    email address. `invited_by` is the inviting user's id, if any."""

    user_id: str
    email: str
    role: Role
    verified_at: datetime | None
    joined_at: datetime
    invited_by: str | None = None

    @property
    def manages(self) -> bool:
        """Return True if the member is an owner or admin."""
        return self.role in MANAGERS

    def unfit(self, now: datetime) -> Unfit | None:
        """Return the reason why the member does not qualify for the four-eyes rule, or None if the
        member qualifies."""
        if self.verified_at is None:
            return Unfit.ADDRESS_NOT_VERIFIED
        return Unfit.JOINED_RECENTLY if now - self.joined_at < MEMBER_FOR else None

    @property
    def approves_from(self) -> datetime | None:
        """Return the time from which the member qualifies for the four-eyes rule in reviews. Return
        None for a viewer or a member with an unverified address."""
        if self.role not in REVIEWERS or self.verified_at is None:
            return None
        return self.joined_at + MEMBER_FOR


def mailbox(email: str) -> str:
    """Return the mailbox to which an address most likely belongs: the address without a `+` suffix,
    and without the dots that Gmail ignores."""
    local, _, domain = email.strip().lower().rpartition("@")
    local = local.partition("+")[0]
    return f"{local.replace('.', '')}@gmail.com" if domain in _DOTLESS else f"{local}@{domain}"


def two_approve_from(members: tuple[MemberStanding, ...]) -> datetime | None:
    """Return the time from which two of the members qualify to approve a review together. Return
    None if the client does not have two such members."""
    first: dict[str, datetime] = {}
    for member in members:
        if (start := member.approves_from) is not None:
            box = mailbox(member.email)
            first[box] = min(start, first.get(box, start))
    starts = sorted(first.values())
    return starts[1] if len(starts) > 1 else None


def still_counts(first: str, members: tuple[MemberStanding, ...], now: datetime) -> bool:
    """Return True if the first person's approval is still valid, from an operator or a member who
    still qualifies. An internal admin's approval is not valid."""
    member = next((one for one in members if one.user_id == first), None)
    if member is None:
        return is_operator(first)
    return member.role in REVIEWERS and member.unfit(now) is None


def is_staff(actor: Actor) -> bool:
    """Return True if the actor acts for the installation and not as a member. Such actors are
    operators, internal admins and the system."""
    if actor.kind is ActorKind.PERSON:
        return actor.role is None
    return actor.kind is not ActorKind.KEY and actor.login is None


def check_four_eyes(
    actor: Actor, first: str | None, members: tuple[MemberStanding, ...], now: datetime
) -> None:
    """Check that `actor` may approve under the four-eyes rule. `first` is the earlier approver's
    id, or None. Raises SecondPersonUnfit."""
    by_id = {one.user_id: one for one in members}
    member = by_id.get(actor.name)
    if actor.name == first:
        raise SecondPersonUnfit(Unfit.SAME_PERSON)
    if is_staff(actor):
        return
    if member is None:
        raise SecondPersonUnfit(Unfit.NOT_A_MEMBER)
    if (reason := member.unfit(now)) is not None:
        raise SecondPersonUnfit(reason)
    other = by_id.get(first) if first is not None else None
    if other is not None and mailbox(other.email) == mailbox(member.email):
        raise SecondPersonUnfit(Unfit.SAME_ADDRESS)
