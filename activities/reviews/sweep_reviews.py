"""The sweep that expires overdue reviews. Normally, a review's run expires the review."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from temporalio import activity

from activities.reviews.settle_review import SettleReview
from activities.runtime.one_by_one import one_by_one
from domain.core import names
from domain.core.ports import Clock, NewId
from domain.reviews.contracts import SettleReviewInput
from domain.reviews.escalation import Decision
from domain.runs.contracts import SweepInput, SweepResult
from store.core.database import Database
from store.core.place import Place
from store.reviews.decision_sweep import OverdueEscalation, overdue_escalations

BATCH: Final = 200


class SweepReviews:
    def __init__(self, database: Database, now: Clock, new_id: NewId) -> None:
        self._database = database
        self._now = now
        self._reviews = SettleReview(database, now, new_id)

    @activity.defn(name=names.SWEEP_REVIEWS)
    async def expire_overdue(self, step: SweepInput) -> SweepResult:
        """Expire the overdue reviews of all clients, for runs whose workflow is lost or suspended.

        Idempotency key: (run_id, round), as in the run's own activity.
        """
        before = self._now() - timedelta(seconds=step.older_than_s)

        async def next_page(after: Place | None) -> Sequence[OverdueEscalation]:
            async with self._database.service() as connection:
                return await overdue_escalations(
                    connection, before=before, after=after, limit=BATCH
                )

        return await one_by_one(next_page, self._expire, what="review not expired")

    async def _expire(self, overdue: OverdueEscalation) -> bool:
        """Expire the review. Return False if this call did not expire it, because a reviewer
        decided it at the last moment."""
        settled = await self._reviews.settle(
            SettleReviewInput(ref=overdue.ref, round=overdue.round, expired=True)
        )
        return settled.decision is Decision.EXPIRE
