"""Messages that arrive while a review is open: whether they concern its topic, and how they change
it.

Locks follow the order in `case_messages.py`, except that a review's messages are locked after the
review.
"""

from collections.abc import Set
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.agent.brain import SETTLED_BY, Category
from domain.agent.intent import Intent
from domain.agent.plan import ON_ORDERS, ActionKind
from domain.agent.size_limits import READ_CHARS
from domain.agent.thinking_result import ThinkingResult
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Lookup
from domain.reviews.escalation import CLAIM_LASTS, OPEN_STATUSES
from domain.runs.later_turn import MOST_MERGED, LaterMessage, WaitingMatter
from domain.runs.teammate_reply import FIRST_STEP
from store.core.repository import TenantRepository
from store.runs.runs import RunRepository
from store.runs.threads import ThreadRepository

_OPEN: Final = ", ".join(f"'{status}'" for status in sorted(OPEN_STATUSES))
_IS_CONSIDERED: Final = sa.text(f"""
    SELECT EXISTS (
        SELECT FROM escalation_tickets AS review
        JOIN engine_runs AS waiting
          ON waiting.client_id = review.client_id AND waiting.id = review.run_id
        JOIN engine_runs AS mine
          ON mine.client_id = review.client_id AND mine.event_id = :event_id
        JOIN playbook_versions AS version
          ON version.client_id = mine.client_id AND version.playbook_id = mine.playbook_id
         AND version.version = mine.playbook_version
        WHERE review.client_id = :client_id AND review.id = :review_id
          AND review.status IN ({_OPEN}) AND waiting.sensitive IS NULL
          AND (version.rulebook ->> 'shadow')::boolean IS NOT TRUE
    )
""")  # noqa: S608 - our own names
_MATTER: Final = sa.text(f"""
    SELECT run.classification, run.intent, run.plan, run.sensitive,
           review.sensitive AS marked, review.status IN ({_OPEN}) AS is_open,
           coalesce(review.status = 'claimed' AND review.claimed_at > :claimed_since, false)
               OR talk.taken_at IS NOT NULL OR talk.handed_over_at IS NOT NULL AS is_held,
           ARRAY(
               SELECT joined.intent FROM engine_runs AS joined
               WHERE joined.client_id = review.client_id AND joined.joined_review = review.id
                 AND joined.event_id <> :event_id AND joined.intent IS NOT NULL
           ) AS intents
    FROM escalation_tickets AS review
    JOIN engine_runs AS run ON run.client_id = review.client_id AND run.id = review.run_id
    JOIN engine_messages AS inbound
      ON inbound.client_id = run.client_id AND inbound.event_id = run.event_id
     AND inbound.direction = 'inbound'
    JOIN ai_conversations AS talk
      ON talk.client_id = inbound.client_id AND talk.id = inbound.conversation_id
    WHERE review.client_id = :client_id AND review.id = :review_id
""")  # noqa: S608 - our own names
_LOCK_REVIEW: Final = sa.text("""
    SELECT id FROM escalation_tickets WHERE client_id = :client_id AND id = :review_id
    FOR NO KEY UPDATE
""")
_TURN_ASIDE: Final = sa.text("""
    UPDATE engine_runs SET joined_review = NULL
    WHERE client_id = :client_id AND id = :run_id AND aside_of = :review_id
""")
_STAY_JOINED: Final = sa.text("""
    UPDATE engine_runs SET aside_of = NULL, joined_review = :review_id
    WHERE client_id = :client_id AND id = :run_id
""")
_WAITING: Final = sa.text(f"""
    SELECT review.run_id, run.event_id, review.edited_text IS NOT NULL AS has_words, review.revision
    FROM escalation_tickets AS review
    JOIN engine_runs AS run ON run.client_id = review.client_id AND run.id = review.run_id
    WHERE review.client_id = :client_id AND review.id = :review_id AND review.status IN ({_OPEN})
      AND NOT EXISTS (
          SELECT FROM action_ledger AS step
          WHERE step.client_id = review.client_id AND step.run_id = review.run_id
            AND step.step < {FIRST_STEP}
      )
""")  # noqa: S608 - our own names
# Fetch one message and one character beyond the limits of `merge_messages`, so that the caller can
# detect that they are exceeded.
_LATER: Final = sa.text(f"""
    SELECT run.id AS run_id, run.event_id, run.lookup, run.in_draft, event.unified, event.subject,
           left(event.text, {READ_CHARS + 1}) AS text
    FROM engine_runs AS run
    JOIN engine_events AS event ON event.client_id = run.client_id AND event.id = run.event_id
    WHERE run.client_id = :client_id AND run.joined_review = :review_id
      AND run.aside_of IS NULL AND event.unified IS NOT NULL AND event.erased_at IS NULL
    ORDER BY run.received_at DESC, run.event_id DESC LIMIT {MOST_MERGED + 1}
""")  # noqa: S608 - our own names
_LOCK_CASE: Final = sa.text("""
    SELECT run.id FROM escalation_tickets AS review
    JOIN engine_runs AS run ON run.client_id = review.client_id AND run.id = review.run_id
    WHERE review.client_id = :client_id AND review.id = :review_id
    FOR NO KEY UPDATE OF run
""")
_REVISE: Final = sa.text("""
    UPDATE escalation_tickets AS review
    SET revision = review.revision + 1, draft = coalesce(run.draft, ''), plan = run.plan,
        edited_text = NULL, first_approved_by = NULL, first_approved_at = NULL,
        needs_second = :needs_second, amount = :amount, currency = :currency
    FROM engine_runs AS run
    WHERE review.client_id = :client_id AND review.id = :review_id
      AND run.client_id = review.client_id AND run.id = review.run_id
""")
_REVISED_PLAN: Final = sa.text("""
    SELECT run.plan FROM escalation_tickets AS review
    JOIN engine_runs AS run ON run.client_id = review.client_id AND run.id = review.run_id
    WHERE review.client_id = :client_id AND review.run_id = :run_id AND review.round = :round
      AND review.revision > 0
""")
_MARK_USED: Final = sa.text("""
    UPDATE engine_runs
    SET in_draft = event_id = ANY(:used), covered = event_id = ANY(:covered)
    WHERE client_id = :client_id AND joined_review = :review_id
""")
_COUNT_BRAIN: Final = sa.text("""
    UPDATE engine_runs SET model = :model,
        cost_micros = cost_micros + :cost, tokens_in = tokens_in + :tokens_in,
        tokens_out = tokens_out + :tokens_out
    WHERE client_id = :client_id AND id = :run_id
""")


@dataclass(frozen=True, slots=True)
class ReviewAsRead:
    """A snapshot of an open review, with its first run and event. `later` are its latest unanswered
    messages, oldest first, with cut texts: one more than can be merged. `has_words` means that a
    reviewer has edited the reply."""

    run_id: str
    event_id: str
    has_words: bool
    revision: int
    later: tuple[LaterMessage, ...]

    @property
    def state(self) -> tuple[int, frozenset[str]]:
        """Return the revision of the review, and the event ids of the later messages. Both must be
        unchanged when a new draft is applied."""
        return self.revision, frozenset(one.event_id for one in self.later)


@dataclass(frozen=True, slots=True)
class Revision:
    """A change to a review. `thought` is the new draft and plan, or None to keep both. `lookup` is
    the order lookup for the plan. `used` are the messages behind the draft, and `covered` those
    that an approval answers."""

    thought: ThinkingResult | None
    lookup: Lookup | None
    used: Set[str]
    covered: Set[str]


class LaterTurns(TenantRepository):
    async def is_considered(self, review_id: str, event_id: str) -> bool:
        """Return True if the agent takes a message that joined a review into account. The review
        must be open and must not be sensitive. The message's playbook must not be in shadow
        mode."""
        return bool(
            await self._connection.scalar(
                _IS_CONSIDERED, {**self._key(review_id), "event_id": event_id}
            )
        )

    async def matter(self, review_id: str, event_id: str, now: datetime) -> WaitingMatter | None:
        """Return the topic of an open review, disregarding the message `event_id`. Return None if
        the review is not open."""
        values = {
            **self._key(review_id),
            "event_id": event_id,
            "claimed_since": now - CLAIM_LASTS,
        }
        row = (await self._connection.execute(_MATTER, values)).one_or_none()
        if row is None or not row.is_open:
            return None
        acts = [step for step in row.plan if step["kind"] in ON_ORDERS]
        named = [row.intent, *row.intents, *(step["kind"] for step in acts)]
        return WaitingMatter(
            intents=frozenset(Intent(one) for one in named if one is not None),
            category=Category(row.classification or Category.OTHER),
            orders=frozenset(str(step["order_number"]) for step in acts if step["order_number"]),
            is_sensitive=(row.sensitive or row.marked) is not None,
            is_held=row.is_held,
        )

    async def turn_aside(self, run_id: str, event_id: str, review_id: str, now: datetime) -> bool:
        """Remove a message from a review, so that the agent can answer it separately. Return
        whether the agent may do so. Idempotent.

        The message stays if the review is decided, sensitive or claimed, or if human agents have
        taken over. The conversation and the review are locked until the transaction ends.
        """
        await ThreadRepository(self._connection, self._tenant).lock(event_id)
        await self._connection.execute(_LOCK_REVIEW, self._key(review_id))
        matter = await self.matter(review_id, event_id, now)
        may = matter is not None and not (matter.is_held or matter.is_sensitive)
        values = {**self._key(review_id), "run_id": run_id}
        await self._connection.execute(_TURN_ASIDE if may else _STAY_JOINED, values)
        return may

    async def waiting(self, review_id: str) -> ReviewAsRead | None:
        """Return an open review, or None if it is closed or a step of its plan has started.

        The action ledger identifies a step by its position, so a started plan must not change.
        """
        row = (await self._connection.execute(_WAITING, self._key(review_id))).one_or_none()
        if row is None:
            return None
        later = (await self._connection.execute(_LATER, self._key(review_id))).all()
        return ReviewAsRead(
            run_id=row.run_id,
            event_id=row.event_id,
            has_words=row.has_words,
            revision=row.revision,
            later=tuple(
                LaterMessage(
                    event_id=one.event_id,
                    event=UnifiedEvent.model_validate(
                        {**one.unified, "subject": one.subject, "text": one.text}
                    ),
                    lookup=Lookup.model_validate(one.lookup) if one.lookup else None,
                    is_in_draft=one.in_draft,
                )
                for one in reversed(later)
            ),
        )

    async def revised_actions(self, run_id: str, round_: int) -> tuple[ActionKind, ...] | None:
        """Return the actions in the plan for a run's round if later messages changed this plan.
        Otherwise return None."""
        values = {"client_id": self._tenant, "run_id": run_id, "round": round_}
        plan = await self._connection.scalar(_REVISED_PLAN, values)
        return None if plan is None else tuple(ActionKind(step["kind"]) for step in plan)

    async def revise(self, review_id: str, before: ReviewAsRead, to: Revision) -> bool:
        """Apply a new draft and plan to a review, and void its approvals. Return False and change
        nothing if it has changed since `before`.

        A decision, a revision, a started step or another message changes it. The run, the review
        and its messages are locked.
        """
        this = self._key(review_id)
        await self._connection.execute(_LOCK_CASE, this)
        await self._connection.execute(_LOCK_REVIEW, this)
        now = await self.waiting(review_id)
        if now is None or now.state != before.state:
            return False
        if to.thought is not None:
            await self._replace(review_id, before.run_id, to.thought, to.lookup)
        marks = {"used": sorted(to.used), "covered": sorted(to.covered)}
        await self._connection.execute(_MARK_USED, {**this, **marks})
        return True

    async def _replace(
        self, review_id: str, run_id: str, thought: ThinkingResult, lookup: Lookup | None
    ) -> None:
        await RunRepository(self._connection, self._tenant).replace_thought(run_id, thought, lookup)
        sums = [step.amount for step in thought.plan if step.amount is not None]
        largest = max(sums, key=lambda money: money.minor, default=None)
        await self._connection.execute(
            _REVISE,
            {
                **self._key(review_id),
                "needs_second": thought.judgement.needs_second,
                "amount": largest.minor if largest else None,
                "currency": largest.currency if largest else None,
            },
        )

    async def count_brain(self, run_id: str, thought: ThinkingResult) -> None:
        """Add the brain's usage to the run of a message that was processed together with its
        review. Do nothing if no brain was called."""
        answer = thought.answer
        if answer.model == SETTLED_BY:
            return
        await self._connection.execute(
            _COUNT_BRAIN,
            {
                "client_id": self._tenant,
                "run_id": run_id,
                "model": answer.model,
                "cost": answer.cost_micros,
                "tokens_in": answer.tokens_in,
                "tokens_out": answer.tokens_out,
            },
        )

    def _key(self, review_id: str) -> dict[str, str]:
        return {"client_id": self._tenant, "review_id": review_id}
