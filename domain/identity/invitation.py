"""Invitations to join a client's team, sent by email."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain.tenants.client import Role
from domain.tenants.errors import OwnerStays

INVITED_FOR: Final = timedelta(days=7)
INVITATIONS_A_DAY: Final = 20
"""Maximum number of invitation emails per client and day, including resent emails. The limit exists
because the recipients did not ask for these emails."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation to join a client's team. `email` is the result of `sign_in_address`.
    `invited_by` is a user id. `inviter_role` is the inviting member's role, or None for an operator
    or internal admin."""

    id: str
    email: str
    role: Role
    invited_by: str
    language: str
    created_at: datetime
    expires_at: datetime
    inviter_role: Role | None = None


@dataclass(frozen=True, slots=True)
class ReceivedInvitation:
    """An open invitation as displayed to the invitee.

    `inviter_email` is the inviter's verified address, or None for an operator of the service.
    """

    id: str
    client_id: str
    brand_name: str
    role: Role
    inviter_email: str | None
    created_at: datetime
    expires_at: datetime


def check_invited_role(role: Role) -> None:
    """Raise OwnerStays if an invitation's role is the owner role. A client has one owner, and an
    invitation cannot add another."""
    if role is Role.OWNER:
        raise OwnerStays("a client has one owner: no member becomes it")
