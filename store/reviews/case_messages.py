"""Messages in conversations that human agents handle. They join the conversation's open review (the
case), and the AI agent does not answer them.

Lock order: the run of the case, the run of a joined message, the conversation, the review.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.agent.escalation_reason import EscalationReason
from domain.agent.safety.sensitive import SensitiveMatter
from domain.core.contracts import RunRef
from domain.reviews.errors import EscalationNotFound
from domain.reviews.escalation import OPEN_STATUSES, Decision
from domain.runs.contracts import ReopenedRun
from domain.runs.run import RunStatus
from store.core.repository import TenantRepository
from store.runs.threads import ThreadRepository

_OPEN: Final = ", ".join(f"'{status}'" for status in sorted(OPEN_STATUSES))
_HANDED_OVER: Final = ", ".join(
    f"'{decision.status}'" for decision in sorted(Decision) if not decision.executes
)

# The query selects the reviews of the conversation's other messages. All open reviews are included
# because their reviewers have not seen this message.
_REVIEWS_OF_CONVERSATION: Final = """
    FROM engine_messages AS inbound
    JOIN engine_runs AS run
      ON run.client_id = inbound.client_id AND run.event_id = inbound.event_id
    JOIN escalation_tickets AS review
      ON review.client_id = run.client_id AND review.run_id = run.id
    WHERE inbound.client_id = :client_id AND inbound.conversation_id = :conversation_id
      AND inbound.direction = 'inbound' AND inbound.event_id <> :event_id
"""
# Most conversations have no open review and are not handed off to a human agent. One query checks
# both conditions.
_STANDING: Final = sa.text(f"""
    SELECT mine.joined_review, mine.sensitive,
           conversation.handed_over_at IS NOT NULL AND conversation.taken_at IS NULL
               AS is_handed_over,
           EXISTS (SELECT {_REVIEWS_OF_CONVERSATION} AND review.status IN ({_OPEN})) AS is_reviewed
    FROM engine_runs AS mine
    JOIN ai_conversations AS conversation
      ON conversation.client_id = mine.client_id AND conversation.id = :conversation_id
    WHERE mine.client_id = :client_id AND mine.event_id = :event_id
""")  # noqa: S608 - our own names
_LOCK_OPEN: Final = sa.text(f"""
    SELECT review.id {_REVIEWS_OF_CONVERSATION} AND review.status IN ({_OPEN})
    ORDER BY review.created_at, review.id
    FOR NO KEY UPDATE OF review
""")
_HANDED_OVER_BY: Final = sa.text(f"""
    SELECT review.id {_REVIEWS_OF_CONVERSATION}
      AND (review.status IN ({_HANDED_OVER})
           OR (review.decision IS NOT NULL AND run.status = '{RunStatus.FAILED}'))
    ORDER BY review.decided_at DESC, review.id DESC
    LIMIT 1
""")
# The text of the first of two approvals is kept as the draft, but the approval itself is voided. A
# decided review keeps its approvals.
_ADD: Final = sa.text(f"""
    UPDATE escalation_tickets
    SET latest_event_id = :event_id,
        first_approved_by = CASE WHEN status NOT IN ({_OPEN}) THEN first_approved_by END,
        first_approved_at = CASE WHEN status NOT IN ({_OPEN}) THEN first_approved_at END,
        urgent = urgent OR CAST(:sensitive AS text) IS NOT NULL,
        sensitive = coalesce(sensitive, :sensitive)
    WHERE client_id = :client_id AND id = ANY(:reviews)
""")  # noqa: S608 - our own names
_JOIN: Final = sa.text("""
    UPDATE engine_runs SET joined_review = :review_id
    WHERE client_id = :client_id AND event_id = :event_id
""")

_MARK_RUN: Final = sa.text("""
    UPDATE engine_runs SET sensitive = :matter
    WHERE client_id = :client_id AND event_id = :event_id
""")
_MARK_REVIEW: Final = sa.text("""
    UPDATE escalation_tickets SET urgent = true, sensitive = coalesce(sensitive, :matter)
    WHERE client_id = :client_id AND id = :review_id
""")

_HOLD_CASE: Final = sa.text("""
    SELECT review.reason FROM engine_runs AS run
    JOIN escalation_tickets AS review
      ON review.client_id = run.client_id AND review.run_id = run.id
    WHERE review.client_id = :client_id AND review.id = :review_id
    FOR SHARE OF run
""")
_LOCK_CONVERSATION: Final = """
    SELECT conversation.id FROM ai_conversations AS conversation
    JOIN engine_messages AS inbound
      ON inbound.client_id = conversation.client_id AND inbound.conversation_id = conversation.id
     AND inbound.direction = 'inbound'
    JOIN engine_runs AS run
      ON run.client_id = inbound.client_id AND run.event_id = inbound.event_id
    JOIN escalation_tickets AS review
      ON review.client_id = run.client_id AND review.run_id = run.id
    WHERE review.client_id = :client_id AND {which}
    FOR NO KEY UPDATE OF conversation
"""
_LOCK_OF_REVIEW: Final = sa.text(_LOCK_CONVERSATION.format(which="review.id = :review_id"))
_LOCK_OF_ROUND: Final = sa.text(
    _LOCK_CONVERSATION.format(which="review.run_id = :run_id AND review.round = :round")
)
_LOCK_OF_RUN: Final = sa.text(_LOCK_CONVERSATION.format(which="review.run_id = :run_id"))
_HAND_OVER: Final = sa.text("""
    UPDATE ai_conversations SET handed_over_at = coalesce(handed_over_at, :now)
    WHERE client_id = :client_id AND id = :conversation_id
""")
_REVIEWS_OF_RUN: Final = sa.text("""
    SELECT id FROM escalation_tickets WHERE client_id = :client_id AND run_id = :run_id
""")
_OF_ANSWERED: Final = f"""(joined.id = :run_id OR joined.joined_review = ANY(:reviews))
      AND review.client_id = :client_id AND review.id = joined.joined_review
      AND answered.status = '{RunStatus.COMPLETED}'"""
_CLOSE: Final = sa.text(f"""
    UPDATE engine_runs AS joined
    SET status = '{RunStatus.COMPLETED}', finished_at = :now
    FROM escalation_tickets AS review
    JOIN engine_runs AS answered
      ON answered.client_id = review.client_id AND answered.id = review.run_id
    WHERE joined.client_id = :client_id AND joined.status = '{RunStatus.NEEDS_REVIEW}'
      AND joined.covered AND {_OF_ANSWERED}
""")  # noqa: S608 - our own names
# The statement resets the runs to their state at admission. It keeps the caller's answer, and the
# model, which determines how the ticket is counted.
_REOPEN: Final = sa.text(f"""
    UPDATE engine_runs AS joined
    SET status = '{RunStatus.RECEIVED}', joined_review = NULL, in_draft = false,
        classification = NULL, draft = NULL, doubt = NULL, hold = NULL, plan = '[]',
        verdicts = '[]', guard_findings = '[]', lookup = NULL, thread_after = NULL
    FROM escalation_tickets AS review
    JOIN engine_runs AS answered
      ON answered.client_id = review.client_id AND answered.id = review.run_id
    WHERE joined.client_id = :client_id AND joined.status = '{RunStatus.NEEDS_REVIEW}'
      AND NOT joined.covered AND {_OF_ANSWERED}
    RETURNING joined.id, joined.event_id, (
        SELECT version.threshold FROM playbook_versions AS version
        WHERE version.client_id = joined.client_id AND version.playbook_id = joined.playbook_id
          AND version.version = joined.playbook_version
    ) AS threshold
""")  # noqa: S608 - our own names
_COVER: Final = sa.text("""
    UPDATE engine_runs AS joined SET covered = true
    FROM escalation_tickets AS review
    WHERE joined.client_id = :client_id AND joined.joined_review = review.id
      AND review.client_id = :client_id AND review.run_id = :run_id
""")
_FAIL: Final = sa.text(f"""
    UPDATE engine_runs AS joined
    SET status = '{RunStatus.FAILED}', error_code = :error_code, finished_at = :now
    FROM escalation_tickets AS review
    WHERE joined.client_id = :client_id AND joined.status = '{RunStatus.NEEDS_REVIEW}'
      AND review.client_id = :client_id AND review.id = joined.joined_review
      AND review.run_id = :run_id
    RETURNING joined.id, joined.event_id
""")  # noqa: S608 - our own names


@dataclass(frozen=True, slots=True)
class FailedMessage:
    """A message that joined a case and was still unanswered when the case failed."""

    run_id: str
    event_id: str


class CaseMessages(TenantRepository):
    async def join(self, conversation_id: str, *, event_id: str) -> str | None:
        """Add a message to a review and return its id, or None if the agent may answer the message.
        Idempotent by event.

        An open review loses its approvals. Without one, the message joins the review of the
        handoff. After a takeover in the dashboard, the first message opens a review. The caller
        must have locked the conversation and stored the message.
        """
        this = {"client_id": self._tenant, "event_id": event_id}
        here = {**this, "conversation_id": conversation_id}
        standing = (await self._connection.execute(_STANDING, here)).one()
        if standing.joined_review is not None:
            return str(standing.joined_review)
        reviews: list[str] = []
        if standing.is_reviewed:
            reviews = list((await self._connection.scalars(_LOCK_OPEN, here)).all())
        if not reviews and standing.is_handed_over:
            reviews = list((await self._connection.scalars(_HANDED_OVER_BY, here)).all())
        if not reviews:
            return None
        await self._connection.execute(
            _ADD, {**this, "reviews": reviews, "sensitive": standing.sensitive}
        )
        review_id = reviews[-1]
        await self._connection.execute(_JOIN, {**this, "review_id": review_id})
        return review_id

    async def mark_sensitive(
        self, review_id: str, *, event_id: str, matter: SensitiveMatter
    ) -> None:
        """Mark a joined message and its review as sensitive and urgent. Idempotent."""
        given = {"client_id": self._tenant, "event_id": event_id, "matter": matter}
        await self._connection.execute(_MARK_RUN, given)
        await self._connection.execute(_MARK_REVIEW, {**given, "review_id": review_id})

    async def join_late(self, event_id: str) -> str | None:
        """Add a message to a review as `join` does, but after the agent has already drafted an
        answer to the message. The conversation is locked until the transaction ends."""
        thread = await ThreadRepository(self._connection, self._tenant).lock(event_id)
        return None if thread is None else await self.join(thread, event_id=event_id)

    async def hold_case(self, review_id: str) -> EscalationReason:
        """Lock the run of a case and return the escalation reason. Raises EscalationNotFound.

        The run cannot end before this transaction. Otherwise, a joined message's outcome could be
        written while the case is being closed.
        """
        row = await self._one(
            _HOLD_CASE,
            {"client_id": self._tenant, "review_id": review_id},
            EscalationNotFound(review_id),
        )
        return EscalationReason(row.reason)

    async def close_joined(self, run_id: str, now: datetime) -> Sequence[ReopenedRun]:
        """Complete the runs of the joined messages that the case's answer covers, and reopen the
        others. Return the reopened runs, oldest first.

        Idempotent. `run_id` is the completed case's run, or the run of a message that joined it.
        """
        this = {"client_id": self._tenant, "run_id": run_id}
        reviews = list((await self._connection.scalars(_REVIEWS_OF_RUN, this)).all())
        await self._connection.execute(_CLOSE, {**this, "reviews": reviews, "now": now})
        reopened = await self._connection.execute(_REOPEN, {**this, "reviews": reviews})
        runs = [
            ReopenedRun(
                ref=RunRef(client_id=self._tenant, event_id=row.event_id, run_id=row.id),
                threshold=row.threshold,
            )
            for row in reopened
        ]
        return sorted(runs, key=lambda run: run.ref.event_id)

    async def _cover(self, run_id: str) -> None:
        """Mark the messages that have joined a case as covered by a human answer. The caller must
        have locked the review, so that no message can join it."""
        await self._connection.execute(_COVER, {"client_id": self._tenant, "run_id": run_id})

    async def fail_case(
        self, run_id: str, error_code: str, now: datetime
    ) -> Sequence[FailedMessage]:
        """Fail the joined messages of a case whose approved plan failed, and hand off the
        conversation to human agents. Return the failed messages in order.

        Idempotent. A joined message without an outcome is held for review, like later ones. The
        caller must have locked the run of the case.
        """
        this = {"client_id": self._tenant, "run_id": run_id}
        failed = await self._connection.execute(
            _FAIL, {**this, "error_code": error_code, "now": now}
        )
        messages = [FailedMessage(row.id, row.event_id) for row in failed]
        await self._hand_over(await self._connection.scalar(_LOCK_OF_RUN, this), now)
        return sorted(messages, key=lambda message: message.event_id)

    async def lock_conversation_of(self, review_id: str) -> str | None:
        """Lock the conversation of a review and return its id, or None if it was deleted. To
        prevent deadlocks, all code takes this lock before the lock on the review."""
        values = {"client_id": self._tenant, "review_id": review_id}
        locked: str | None = await self._connection.scalar(_LOCK_OF_REVIEW, values)
        return locked

    async def _lock_conversation_in(self, run_id: str, round_: int) -> str | None:
        """Lock the conversation of the review that belongs to this round of a run, and return the
        conversation's id. Return None if the conversation was deleted."""
        values = {"client_id": self._tenant, "run_id": run_id, "round": round_}
        locked: str | None = await self._connection.scalar(_LOCK_OF_ROUND, values)
        return locked

    async def _hand_over(self, conversation_id: str | None, now: datetime) -> None:
        """Hand off the conversation to human agents, who answer from now on instead of the AI
        agent. Idempotent."""
        if conversation_id is not None:
            await self._connection.execute(
                _HAND_OVER,
                {"client_id": self._tenant, "conversation_id": conversation_id, "now": now},
            )
