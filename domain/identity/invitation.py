"""The invitation of a member, by mail."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain.tenants.client import Role
from domain.tenants.errors import OwnerStays

INVITED_FOR: Final = timedelta(days=7)
INVITATIONS_A_DAY: Final = 20
"""Of one client, those that were sent again included: its mails go to people who asked for none."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """`email`: as `sign_in_address` writes it. `invited_by`: the user who invites. `language`: of
    its mail."""

    id: str
    email: str
    role: Role
    invited_by: str
    language: str
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class ReceivedInvitation:
    """An open invitation as the invited person sees it.

    `inviter_email`: the address that the inviter has verified; None for an operator of the service.
    """

    id: str
    client_id: str
    brand_name: str
    role: Role
    inviter_email: str | None
    created_at: datetime
    expires_at: datetime


def check_invited_role(role: Role) -> None:
    """Raises OwnerStays: a client has one owner, and nobody is invited to become it."""
    if role is Role.OWNER:
        raise OwnerStays("a client has one owner: no member becomes it")
