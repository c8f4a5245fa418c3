"""One client's members, with the data required by the four-eyes rule."""

from typing import Final

import sqlalchemy as sa

from domain.tenants.client import Role
from domain.tenants.four_eyes import MemberStanding
from store.core.repository import TenantRepository

# Users do not belong to a client. A database function therefore selects only the members of the
# transaction's client.
_MEMBERS: Final = sa.text("""
    SELECT user_id, email, role, verified_at, joined_at,
           (SELECT invited_by FROM invitations
            WHERE client_id = :tenant AND invitations.email = member.email
              AND accepted_at IS NOT NULL
            ORDER BY accepted_at DESC LIMIT 1) AS invited_by
    FROM client_members() AS member
    ORDER BY joined_at, user_id
""")


class MemberStandings(TenantRepository):
    async def all(self) -> tuple[MemberStanding, ...]:
        """Return the client's owner and members, oldest membership first. The transaction must
        belong to this client."""
        rows = await self._connection.execute(_MEMBERS, {"tenant": self._tenant})
        return tuple(
            MemberStanding(
                row.user_id,
                row.email,
                Role(row.role),
                row.verified_at,
                row.joined_at,
                row.invited_by,
            )
            for row in rows
        )
