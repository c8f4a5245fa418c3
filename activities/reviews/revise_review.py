"""The activity that updates a review's draft and plan after the customer has written again."""

import time
from dataclasses import replace
from typing import Final

from temporalio import activity

from activities.agent.think import Think
from domain.agent.thinking_result import ThinkingResult
from domain.core import names
from domain.core.contracts import RunRef
from domain.core.errors import OverBudget
from domain.core.ids import TenantId
from domain.reviews.contracts import ReviseReviewInput, ReviseReviewResult
from domain.runs.later_turn import MergedMessages, improves, is_carried_out, merge_messages
from domain.runs.run import RunDraft
from services.core.cpu_guard import limited
from store.core.database import Database
from store.reviews.later_turns import LaterTurns, ReviewAsRead, Revision
from store.runs.cases import Case, CaseRepository

# Maximum number of attempts. An attempt is repeated only if another message or a decision arrives
# while the brain is working.
_TRIES: Final = 3


class ReviseReview:
    def __init__(self, database: Database, think: Think) -> None:
        self._database = database
        self._think = think

    @activity.defn(name=names.REVISE_REVIEW)
    async def revise(self, step: ReviseReviewInput) -> ReviseReviewResult:
        """Compute a review's draft and plan from all its messages. A changed draft or plan
        invalidates the review's approvals. Idempotent.

        A review decided meanwhile stays unchanged, and its approved plan is executed. No
        transaction is open while the brain works. If the messages are too expensive to merge, the
        draft stays unchanged. Raises OverBudget, BrainFailed.
        """
        started, revised = time.monotonic(), False
        tenant = TenantId(step.ref.client_id)
        for _ in range(_TRIES):
            outcome = await self._try(tenant, step)
            if outcome is not None:
                revised = outcome
                break
        return ReviseReviewResult(revised=revised, elapsed_ms=(time.monotonic() - started) * 1000)

    async def _try(self, tenant: TenantId, step: ReviseReviewInput) -> bool | None:
        """Return whether the review was revised. Return None if the review changed while the brain
        was working."""
        async with self._database.tenant(tenant) as connection:
            waiting = await LaterTurns(connection, tenant).waiting(step.review_id)
            if waiting is None:
                return False
            case = await CaseRepository(connection, tenant).read(waiting.run_id)
        if case.draft is None or case.rulebook.shadow:
            return False
        made = _merged(case, case.draft, waiting)
        if made is None or (waiting.has_words and not made.corrections):
            return False
        about = replace(case, event=made.event, lookup=made.lookup)
        ref = RunRef(client_id=tenant, event_id=waiting.event_id, run_id=waiting.run_id)
        thought = await self._think.about(tenant, about, ref)
        carried_out = _carried_out(waiting, made, thought)
        async with self._database.tenant(tenant) as connection:
            turns = LaterTurns(connection, tenant)
            await turns.count_brain(step.ref.run_id, thought)
            if not improves(made, thought, case.draft):
                return False
            is_new = (thought.plan, thought.text) != (case.draft.plan, case.draft.text)
            done = await turns.revise(
                step.review_id,
                waiting,
                Revision(
                    thought if is_new else None,
                    made.lookup,
                    used=made.used,
                    covered=made.corrections | carried_out,
                ),
            )
        return is_new if done else None


def _merged(case: Case, draft: RunDraft, waiting: ReviewAsRead) -> MergedMessages | None:
    """Return the review's messages, merged into one event. Return None if they cannot be merged, or
    if merging them is too expensive."""
    try:
        return limited(lambda: merge_messages(case.event, case.lookup, draft.plan, waiting.later))
    except OverBudget:
        return None


def _carried_out(
    waiting: ReviewAsRead, made: MergedMessages, thought: ThinkingResult
) -> frozenset[str]:
    """Return the ids of the merged messages that the plan carries out, or none if that is too
    expensive to determine. Humans then read them."""
    used = [one for one in waiting.later if one.event_id in made.used]
    try:
        return limited(
            lambda: frozenset(one.event_id for one in used if is_carried_out(one, thought.plan))
        )
    except OverBudget:
        return frozenset()
