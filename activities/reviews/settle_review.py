"""The activity that applies a reviewer's decision on a waiting run."""

from temporalio import activity

from activities.runs.ticket_return import is_unused
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, NewId
from domain.reviews.contracts import SettleReviewInput, SettleReviewResult
from store.billing.usage_ledger import UsageLedger
from store.core.database import Database
from store.learning.shadow_drafts import ShadowDrafts
from store.reviews.escalations import EscalationRepository
from store.reviews.later_turns import LaterTurns
from store.runs.conversations import ConversationRepository


class SettleReview:
    def __init__(self, database: Database, now: Clock, new_id: NewId) -> None:
        self._database = database
        self._now = now
        self._new_id = new_id

    @activity.defn(name=names.SETTLE_REVIEW)
    async def settle(self, step: SettleReviewInput) -> SettleReviewResult:
        """Apply the decision stored in PostgreSQL, or expire a review without a decision.

        Idempotency key: (run_id, round). If the run ends here, the customer's memory records the
        handoff, and shadow mode compares the human's actions with the plan. The ticket of a
        rejected or expired run that no brain processed is credited back.
        """
        tenant, now = TenantId(step.ref.client_id), self._now()
        async with self._database.tenant(tenant) as connection:
            # Lock the account before the review. All code uses this order, to prevent deadlocks.
            unused = await is_unused(connection, tenant, step.ref.run_id)
            decision = await EscalationRepository(connection, tenant).settle(
                step.ref.run_id, step.round, expired=step.expired, now=now
            )
            if decision is not None:
                await ShadowDrafts(connection, tenant).settle(step.ref.run_id, decision, now)
            if decision is not None and not decision.executes:
                if unused:
                    await UsageLedger(connection, tenant).give_back(
                        step.ref.event_id, entry_id=self._new_id(), now=now
                    )
                await ConversationRepository(connection, tenant).remember(step.ref.event_id, now)
            actions = None
            if decision is not None and decision.executes:
                turns = LaterTurns(connection, tenant)
                actions = await turns.revised_actions(step.ref.run_id, step.round)
        return SettleReviewResult(decision=decision, actions=actions)
