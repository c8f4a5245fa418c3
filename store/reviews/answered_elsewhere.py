"""Reviews of conversations that a human agent has answered, in the helpdesk or with a reply from
the dashboard. The reviews are closed, so that the AI agent does not send a second answer."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import StepOutcome
from domain.agent.policy_decision import left_to_people
from domain.core.contracts import RunRef
from domain.integrations.providers import Provider
from domain.reviews.errors import EscalationDecided, EscalationNotFound
from domain.reviews.escalation import OPEN_STATUSES, Choice, Decision
from store.reviews.escalations import UNCLAIMED, EscalationRepository

BY: Final = "helpdesk"
"""The name recorded as the decider when a review is closed because a human agent answered in the
helpdesk."""

REPLIED: Final = "answered with a reply"
"""The note on a review that was closed because a member replied."""

_NOTE: Final = "answered in the helpdesk"
_OPEN: Final = ", ".join(f"'{status}'" for status in sorted(OPEN_STATUSES))
# The query finds the ticket's reviews by their events because some threads do not have the ticket's
# key. It is fast because a client has few open reviews.
_OF_TICKET: Final = sa.text(f"""
    SELECT review.id FROM escalation_tickets AS review
    JOIN engine_runs AS run ON run.client_id = review.client_id AND run.id = review.run_id
    JOIN engine_events AS event ON event.client_id = run.client_id AND event.id = run.event_id
    WHERE review.client_id = :client_id AND review.status IN ({_OPEN})
      AND event.unified ->> 'platform' = :platform AND event.unified ->> 'ticket_id' = :ticket_id
      AND event.unified -> 'ticket_named' = 'true'
      AND event.unified -> 'may_name_tickets' IS DISTINCT FROM 'false'
    ORDER BY review.created_at, review.id
""")  # noqa: S608 - our own names
# A review with a message later than `answered` stays open, because the reply's author has not seen
# that message.
_OF_CONVERSATION: Final = sa.text(f"""
    SELECT review.id FROM escalation_tickets AS review
    JOIN engine_runs AS run ON run.client_id = review.client_id AND run.id = review.run_id
    JOIN engine_messages AS latest
      ON latest.client_id = run.client_id AND latest.direction = 'inbound'
     AND latest.event_id = coalesce(review.latest_event_id, run.event_id)
    JOIN engine_messages AS answered
      ON answered.client_id = latest.client_id AND answered.direction = 'inbound'
     AND answered.event_id = :event_id AND latest.created_at <= answered.created_at
    WHERE review.client_id = :client_id AND review.status IN ({_OPEN})
      AND latest.conversation_id = :conversation_id
    ORDER BY review.created_at, review.id
""")  # noqa: S608 - our own names
_OF_ROUND: Final = sa.text(f"""
    SELECT id FROM escalation_tickets
    WHERE client_id = :client_id AND run_id = :run_id AND round = :round AND status IN ({_OPEN})
""")  # noqa: S608 - our own names
_GIVE_BACK: Final = sa.text("""
    UPDATE ai_conversations SET handed_over_at = NULL, taken_by = NULL, taken_at = NULL
    WHERE client_id = :client_id AND key = :key AND handed_over_at IS NOT NULL
""")


class AnsweredElsewhere(EscalationRepository):
    async def ask(
        self,
        ref: RunRef,
        *,
        escalation_id: str,
        round_: int,
        reason: EscalationReason,
        expires_at: datetime,
        now: datetime,
        steps: tuple[StepOutcome, ...],
    ) -> None:
        """Open a review for a run. Close it immediately if a human agent is already answering the
        ticket in the helpdesk."""
        await self.open(
            ref,
            escalation_id=escalation_id,
            round_=round_,
            reason=reason,
            expires_at=expires_at,
            now=now,
        )
        if left_to_people(steps):
            await self._close_round(ref.run_id, round_, now)

    async def close_all(
        self, platform: Provider, ticket_id: str, now: datetime
    ) -> Sequence[tuple[RunRef, str]]:
        """Reject every open review of a ticket, claimed or not. Return the runs to notify, each
        with its review id. Idempotent."""
        values = {"client_id": self._tenant, "platform": platform, "ticket_id": ticket_id}
        found = (await self._connection.scalars(_OF_TICKET, values)).all()
        return await self._close_each(found, Choice(Decision.REJECT, BY, note=_NOTE), now)

    async def close_in(
        self, conversation_id: str, by: str, now: datetime, *, answered: str
    ) -> Sequence[tuple[RunRef, str]]:
        """Reject the open reviews of a conversation, claimed or not, because the member `by`
        replies. Return the runs to notify, as `close_all` does. Idempotent.

        `answered` is the event with the answered message. A review that a later message opened or
        joined stays open.
        """
        values = {
            "client_id": self._tenant,
            "conversation_id": conversation_id,
            "event_id": answered,
        }
        found = (await self._connection.scalars(_OF_CONVERSATION, values)).all()
        return await self._close_each(found, Choice(Decision.REJECT, by, note=REPLIED), now)

    async def _close_each(
        self, review_ids: Sequence[str], choice: Choice, now: datetime
    ) -> Sequence[tuple[RunRef, str]]:
        closed: list[tuple[RunRef, str]] = []
        for review_id in review_ids:
            # The review may have been decided, or its customer erased, in the meantime.
            with suppress(EscalationDecided, EscalationNotFound):
                ref = await self._close(review_id, choice, now)
                closed += [(ref, review_id)] if ref else []
        return closed

    async def _close_round(self, run_id: str, round_: int, now: datetime) -> None:
        values = {"client_id": self._tenant, "run_id": run_id, "round": round_}
        review_id = await self._connection.scalar(_OF_ROUND, values)
        if review_id is not None:
            await self._close(review_id, Choice(Decision.REJECT, BY, note=_NOTE), now)

    async def _close(self, review_id: str, choice: Choice, now: datetime) -> RunRef | None:
        """Reject an open review, and return the run to notify. Raises EscalationDecided,
        EscalationNotFound."""
        # Lock the conversation before the review. All code uses this order, which prevents
        # deadlocks.
        await self.lock_conversation_of(review_id)
        standing, _ = await self._lock(review_id)
        standing.check_open()
        await self._set(review_id, **UNCLAIMED)
        return (await self.decide(review_id, choice, now)).ref

    async def give_back(self, platform: Provider, ticket_id: str) -> None:
        """End the handoff to human agents in the ticket's thread, so that the agent can answer
        again. Idempotent."""
        key = f"ticket:{platform.value}:{ticket_id}"
        await self._connection.execute(_GIVE_BACK, {"client_id": self._tenant, "key": key})
