"""Notices of tickets that newly need a member. Each notice is stored in the transaction of the
change that it reports, for the members who chose an email for each ticket."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.reviews.escalation import OPEN_STATUSES
from store.core.repository import TenantRepository

_OPEN: Final = ", ".join(f"'{status}'" for status in sorted(OPEN_STATUSES))
_REVIEW_OPENED: Final = sa.text(f"""
    INSERT INTO member_notices (client_id, user_id, kind, subject, created_at)
    SELECT review.client_id, choice.user_id, 'review', review.id, :now
    FROM escalation_tickets AS review
    JOIN member_notifications AS choice
      ON choice.client_id = review.client_id AND choice.mode = 'at_once'
    WHERE review.client_id = :client_id AND review.run_id = :run_id AND review.round = :round
      AND review.status IN ({_OPEN})
    ON CONFLICT DO NOTHING
""")  # noqa: S608 - our own names
# A conversation can be assigned to the same member again, after another member had it.
_ASSIGNED: Final = sa.text("""
    INSERT INTO member_notices (client_id, user_id, kind, subject, created_at)
    SELECT choice.client_id, choice.user_id, 'assigned', conversation.id, :now
    FROM member_notifications AS choice, unnest(CAST(:chosen AS text[])) AS conversation (id)
    WHERE choice.client_id = :client_id AND choice.user_id = :user_id AND choice.mode = 'at_once'
    ON CONFLICT (client_id, user_id, kind, subject)
    DO UPDATE SET created_at = excluded.created_at, mail_id = NULL
""")


class MemberNoticeRepository(TenantRepository):
    async def review_opened(self, run_id: str, round_: int, now: datetime) -> None:
        """Store a notice of the review that this round of a run opened, for each member who chose
        one. Idempotent by review and member."""
        await self._connection.execute(
            _REVIEW_OPENED,
            {"client_id": self._tenant, "run_id": run_id, "round": round_, "now": now},
        )

    async def assigned(self, conversation_ids: Sequence[str], user_id: str, now: datetime) -> None:
        """Store a notice of each conversation that was assigned to the member, if the member chose
        one."""
        values = {"client_id": self._tenant, "user_id": user_id, "now": now}
        await self._connection.execute(_ASSIGNED, {**values, "chosen": list(conversation_ids)})
