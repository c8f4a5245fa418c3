"""The first of two approvals that a review needs, while the second is pending."""

import sqlalchemy as sa

from domain.reviews.escalation import OPEN_STATUSES
from store.core.repository import TenantRepository
from store.reviews.tables import escalation_tickets

_TICKETS = escalation_tickets.c


class FirstApprovals(TenantRepository):
    async def lock(self, review_id: str) -> str | None:
        """Lock an open review. Return the reviewer who gave the first of two approvals, or None."""
        first: str | None = await self._connection.scalar(
            sa.select(_TICKETS.first_approved_by)
            .where(*self._open(review_id), _TICKETS.first_approved_by.is_not(None))
            .with_for_update(key_share=True)
        )
        return first

    async def void(self, review_id: str) -> None:
        """Void the first approval of a review, so that two approvals are needed again. The first
        approver's edited text is kept."""
        await self._connection.execute(
            sa.update(escalation_tickets)
            .where(*self._open(review_id))
            .values(first_approved_by=None, first_approved_at=None)
        )

    def _open(self, review_id: str) -> tuple[sa.ColumnElement[bool], ...]:
        return (
            _TICKETS.client_id == self._tenant,
            _TICKETS.id == review_id,
            _TICKETS.status.in_(OPEN_STATUSES),
        )
