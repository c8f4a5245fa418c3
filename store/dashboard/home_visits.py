"""Members' visits to Home, one row per member and client."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.dashboard.home import MemberVisit
from store.core.repository import TenantRepository
from store.dashboard.tables import home_visits


class HomeVisits(TenantRepository):
    async def read(self, user_id: str) -> MemberVisit | None:
        """Return the member's latest visit, or None if the member has never opened Home."""
        visit = home_visits.c
        rows = await self._connection.execute(
            sa.select(visit.seen_at, visit.away_since).where(
                visit.client_id == self._tenant, visit.user_id == user_id
            )
        )
        row = rows.one_or_none()
        return None if row is None else MemberVisit(row.seen_at, row.away_since)

    async def keep(self, user_id: str, visit: MemberVisit) -> None:
        """Store the member's visit, replacing the earlier one."""
        values = {"seen_at": visit.seen_at, "away_since": visit.away_since}
        await self._connection.execute(
            insert(home_visits)
            .values(client_id=self._tenant, user_id=user_id, **values)
            .on_conflict_do_update(index_elements=["client_id", "user_id"], set_=values)
        )
