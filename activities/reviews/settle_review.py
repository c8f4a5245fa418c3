"""Review: what a human decided about a parked run."""

from temporalio import activity

from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.reviews.contracts import SettleReviewInput, SettleReviewResult
from store.core.database import Database
from store.learning.shadow_drafts import ShadowDrafts
from store.reviews.escalations import EscalationRepository
from store.runs.conversations import ConversationRepository


class SettleReview:
    def __init__(self, database: Database, now: Clock) -> None:
        self._database = database
        self._now = now

    @activity.defn(name=names.SETTLE_REVIEW)
    async def settle(self, step: SettleReviewInput) -> SettleReviewResult:
        """Take up the decision that stands in PostgreSQL, or expire what nobody decided.

        Idempotency key: (run_id, round). Whoever decided first is returned every time. A run that
        ends here is remembered as handed over. What people did is compared with what a playbook in
        shadow mode would have done.
        """
        tenant, now = TenantId(step.ref.client_id), self._now()
        async with self._database.tenant(tenant) as connection:
            decision = await EscalationRepository(connection, tenant).settle(
                step.ref.run_id, step.round, expired=step.expired, now=now
            )
            if decision is not None:
                await ShadowDrafts(connection, tenant).settle(step.ref.run_id, decision, now)
            if decision is not None and not decision.executes:
                await ConversationRepository(connection, tenant).remember(step.ref.event_id, now)
        return SettleReviewResult(decision=decision)
