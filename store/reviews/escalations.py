"""The escalations (reviews) of one client: opened, claimed, decided, and taken up by their runs.

A decision locks the row and applies the rules of `domain/reviews/escalation.py`. If two decisions,
or a decision and the expiry, are concurrent, the second one fails.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.agent.escalation_reason import EscalationReason
from domain.core.contracts import RunRef
from domain.reviews.errors import EscalationNotFound
from domain.reviews.escalation import (
    OPEN_STATUSES,
    Choice,
    Claim,
    Decision,
    EscalationStatus,
    ReviewStanding,
)
from store.core.repository import owner_of
from store.reviews.case_messages import CaseMessages
from store.reviews.member_notices import MemberNoticeRepository
from store.reviews.opening import standing_of_run
from store.reviews.request_authors import AUTHORS
from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_runs

_TICKETS: Final = escalation_tickets.c
EXECUTED: Final = frozenset(decision for decision in Decision if decision.executes)


@dataclass(frozen=True, slots=True)
class DecisionOutcome:
    """The result of a request to decide. `ref` is the run to notify, or None while a second
    approval is pending. If `needs_second` is true, two reviewers must approve. `agreed_before` is
    the first reviewer who approved."""

    status: EscalationStatus
    ref: RunRef | None
    needs_second: bool = False
    agreed_before: str | None = None

    @property
    def awaits_second(self) -> bool:
        return self.ref is None


class EscalationRepository(CaseMessages):
    async def open(
        self,
        ref: RunRef,
        *,
        escalation_id: str,
        round_: int,
        reason: EscalationReason,
        expires_at: datetime,
        now: datetime,
    ) -> None:
        """Open a review for a run, with its current draft, plan and amount. Idempotent by round.

        It needs a second approver if the policy requires one for an action. A later round starts
        with the messages of earlier ones. Members who chose an email for each review are notified.
        """
        standing = standing_of_run(
            client_id=self._tenant,
            id=escalation_id,
            round=round_,
            status=EscalationStatus.PENDING.value,
            reason=reason.value,
            expires_at=expires_at,
            created_at=now,
        ).where(engine_runs.c.client_id == self._tenant, engine_runs.c.id == ref.run_id)
        await self._connection.execute(
            insert(escalation_tickets)
            .from_select([column.name for column in standing.selected_columns], standing)
            .on_conflict_do_nothing(index_elements=["client_id", "run_id", "round"])
        )
        notices = MemberNoticeRepository(self._connection, self._tenant)
        await notices.review_opened(ref.run_id, round_, now)

    async def of_round(self, run_id: str, round_: int) -> str:
        """Return the id of the review that a round of a run opened."""
        found = await self._connection.scalars(
            sa.select(_TICKETS.id).where(
                _TICKETS.client_id == self._tenant,
                _TICKETS.run_id == run_id,
                _TICKETS.round == round_,
            )
        )
        return str(found.one())

    async def claim(
        self, escalation_id: str, actor: str, now: datetime, *, force: bool = False
    ) -> Claim:
        """Claim a review for a limited time, or renew the reviewer's claim. If `force` is true,
        another reviewer's claim is taken over.

        Raises EscalationNotFound, EscalationDecided, EscalationClaimed.
        """
        standing, _ = await self._lock(escalation_id)
        if force:
            standing.check_open()
        else:
            standing.check_open_to(actor, now)
        await self._set(
            escalation_id, status=EscalationStatus.CLAIMED, claimed_by=actor, claimed_at=now
        )
        return Claim(by=actor, at=now)

    async def release(self, escalation_id: str, actor: str, now: datetime) -> None:
        """Release the reviewer's own or an expired claim on a review, if there is one. Raises the
        errors of `claim`."""
        standing, _ = await self._lock(escalation_id)
        standing.check_open_to(actor, now)
        await self._set(escalation_id, **UNCLAIMED)

    async def decide(self, escalation_id: str, choice: Choice, now: datetime) -> DecisionOutcome:
        """Record a decision on a review once, or record the first of two approvals. Raises
        EscalationNotFound, and the errors raised by `ReviewStanding.check`."""
        # Sending a member's reply takes the same lock, so that only one of the two answers is sent.
        conversation_id = await self.lock_conversation_of(escalation_id)
        standing, ref = await self._lock(escalation_id)
        standing.check(choice, now)
        words = {} if choice.text is None else {"edited_text": choice.text}
        if words:
            await self._cover(ref.run_id)
        if standing.is_first_of_two(choice.decision):
            # The claim is released, so that the second reviewer can continue immediately.
            await self._set(
                escalation_id,
                **UNCLAIMED,
                first_approved_by=choice.actor,
                first_approved_at=now,
                **words,
            )
            return DecisionOutcome(EscalationStatus.PENDING, None, needs_second=True)
        await self._set(
            escalation_id,
            status=choice.decision.status,
            decision=choice.decision,
            decided_by=choice.actor,
            decided_at=now,
            note=choice.note,
            **words,
        )
        if not choice.decision.executes:
            await self._hand_over(conversation_id, now)
        return DecisionOutcome(
            choice.decision.status,
            ref,
            needs_second=standing.needs_second,
            agreed_before=standing.first_approved_by,
        )

    async def settle(
        self, run_id: str, round_: int, *, expired: bool, now: datetime
    ) -> Decision | None:
        """Mark the decision on a run's round as taken up, and return it, or None if there is none.

        If `expired` is true, an undecided escalation is closed first. A human decision takes
        precedence.
        """
        conversation_id = await self._lock_conversation_in(run_id, round_)
        this = sa.and_(
            _TICKETS.client_id == self._tenant, _TICKETS.run_id == run_id, _TICKETS.round == round_
        )
        if expired:
            await self._connection.execute(
                sa.update(escalation_tickets)
                .where(this, _TICKETS.status.in_(OPEN_STATUSES))
                .values(status=EscalationStatus.EXPIRED, decision=Decision.EXPIRE, decided_at=now)
            )
        decision = await self._connection.scalar(
            sa.update(escalation_tickets)
            .where(this, _TICKETS.decision.is_not(None))
            .values(taken_up_at=sa.func.coalesce(_TICKETS.taken_up_at, now))
            .returning(_TICKETS.decision)
        )
        if decision is None:
            # If the escalation has expired but its row no longer exists, the client has been
            # erased. No decision can follow.
            return Decision.EXPIRE if expired else None
        settled = Decision(decision)
        if not settled.executes:
            await self._hand_over(conversation_id, now)
        return settled

    async def approvals(self, run_id: str) -> int:
        """Return the number of reviewers who approved the run's plan in the latest decided round.
        Return 0 if no round has been decided, or if the latest decision is not an approval."""
        row = (
            await self._connection.execute(
                sa.select(_TICKETS.decision, _TICKETS.first_approved_by)
                .where(
                    _TICKETS.client_id == self._tenant,
                    _TICKETS.run_id == run_id,
                    _TICKETS.decision.is_not(None),
                )
                .order_by(_TICKETS.round.desc())
                .limit(1)
            )
        ).one_or_none()
        if row is None or row.decision not in EXECUTED:
            return 0
        return 1 if row.first_approved_by is None else 2

    async def _lock(self, escalation_id: str) -> tuple[ReviewStanding, RunRef]:
        """Lock an escalation until the transaction ends, and return its state and its run. Raises
        EscalationNotFound."""
        row = await self._one(
            _LOCK,
            {"client_id": self._tenant, "escalation_id": escalation_id},
            EscalationNotFound(escalation_id),
        )
        authors = await self._connection.scalars(
            AUTHORS, {"client_id": self._tenant, "review_id": escalation_id}
        )
        standing = ReviewStanding(
            id=escalation_id,
            status=EscalationStatus(row.status),
            draft=row.words,
            first_event=row.event_id,
            latest_event=row.latest_event_id,
            claim=Claim(by=row.claimed_by, at=row.claimed_at) if row.claimed_by else None,
            needs_second=row.needs_second,
            first_approved_by=row.first_approved_by,
            revision=row.revision,
            authors=frozenset(authors),
            is_edited=row.is_edited,
        )
        ref = RunRef(client_id=self._tenant, event_id=row.event_id, run_id=row.run_id)
        return standing, ref

    async def _set(self, escalation_id: str, **values: object) -> None:
        await self._connection.execute(
            sa.update(escalation_tickets)
            .where(_TICKETS.client_id == self._tenant, _TICKETS.id == escalation_id)
            .values(**values)
        )


client_of: Final = owner_of(escalation_tickets, EscalationNotFound)

# The text that is sent if the review is approved.
WORDS: Final = sa.func.coalesce(_TICKETS.edited_text, _TICKETS.draft)

# The latest customer message that was shown to reviewers.
LATEST_EVENT: Final = sa.func.coalesce(_TICKETS.latest_event_id, engine_runs.c.event_id).label(
    "latest_event_id"
)

RUN_OF_TICKET: Final = sa.and_(
    engine_runs.c.client_id == _TICKETS.client_id, engine_runs.c.id == _TICKETS.run_id
)

UNCLAIMED: Final = {"status": EscalationStatus.PENDING, "claimed_by": None, "claimed_at": None}

_LOCK: Final = (
    sa.select(
        _TICKETS.status,
        WORDS.label("words"),
        _TICKETS.edited_text.is_not(None).label("is_edited"),
        _TICKETS.claimed_by,
        _TICKETS.claimed_at,
        _TICKETS.needs_second,
        _TICKETS.first_approved_by,
        _TICKETS.revision,
        _TICKETS.run_id,
        engine_runs.c.event_id,
        LATEST_EVENT,
    )
    .join(engine_runs, RUN_OF_TICKET)
    .where(
        _TICKETS.client_id == sa.bindparam("client_id"),
        _TICKETS.id == sa.bindparam("escalation_id"),
    )
    .with_for_update(of=escalation_tickets, key_share=True)
)
