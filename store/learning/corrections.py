"""Corrections for one client: reviews in which a reviewer edited or rejected the draft. A
correction stays open until a member decides what the agent learns from it."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.learning.correction import (
    CorrectionKind,
    CorrectionRecord,
    CorrectionState,
    CorrectionSummary,
)
from domain.learning.errors import CorrectionDecided, CorrectionNotFound
from store.core.repository import TenantRepository, owner_of
from store.learning.tables import corrections

PREVIEW_CHARS: Final = 280

# The query selects the text that a reviewer sent instead of the draft. This text is the edited
# reply or, after a rejection, the first answer that a human agent wrote in the conversation.
_SENT: Final = """
    CASE WHEN correction.kind = 'edited' THEN review.edited_text ELSE (
        SELECT said.body
        FROM engine_messages AS asked
        JOIN engine_messages AS said
          ON said.client_id = asked.client_id AND said.conversation_id = asked.conversation_id
        WHERE asked.client_id = run.client_id AND asked.event_id = run.event_id
          AND asked.direction = 'inbound' AND said.author = 'human' AND said.body <> ''
          AND said.created_at > review.decided_at
        ORDER BY said.created_at, said.id LIMIT 1) END"""
_SUMMARY: Final = f"""
    correction.id, correction.review_id, correction.run_id, correction.kind, correction.state,
    coalesce(run.classification, '') AS classification,
    left(coalesce(event.text, ''), {PREVIEW_CHARS}) AS preview,
    left(coalesce({_SENT}, ''), {PREVIEW_CHARS}) AS sent_preview,
    correction.decided_by, correction.decided_at, correction.case_id, correction.content_kind,
    correction.content_id, correction.created_at"""
_FROM: Final = """
    FROM corrections AS correction
    JOIN escalation_tickets AS review
      ON review.client_id = correction.client_id AND review.id = correction.review_id
    JOIN engine_runs AS run
      ON run.client_id = correction.client_id AND run.id = correction.run_id
    JOIN engine_events AS event ON event.client_id = run.client_id AND event.id = run.event_id
    WHERE correction.client_id = :client_id"""
_PAGE: Final = sa.text(f"""
    SELECT {_SUMMARY} {_FROM}
      AND correction.id > :after
      AND (:state ::text IS NULL OR correction.state = :state)
    ORDER BY correction.id LIMIT :limit
""")
_ONE: Final = sa.text(f"""
    SELECT {_SUMMARY},
           event.subject, coalesce(event.text, '') AS text, review.draft, {_SENT} AS sent,
           review.note, coalesce(run.language, '') AS language, run.intent,
           coalesce(run.confidence, 0) AS confidence, run.citations
    {_FROM} AND correction.id = :correction_id
""")

# The lock serializes this transaction with an erasure of the customer. The erasure either finishes
# before this transaction, or finds the content that it created.
_HELD: Final = sa.text("""
    SELECT correction.id
    FROM corrections AS correction
    JOIN engine_runs AS run
      ON run.client_id = correction.client_id AND run.id = correction.run_id
    JOIN engine_events AS event ON event.client_id = run.client_id AND event.id = run.event_id
    WHERE correction.client_id = :client_id AND correction.id = :correction_id
      AND event.erased_at IS NULL
    FOR SHARE OF event
""")

# An approval is a correction if the sent text differs from the draft, apart from whitespace. The
# second approver may have approved the first approver's edit. In shadow mode, human agents do not
# see the draft, so their reply is not a correction.
_NOTE: Final = sa.text("""
    INSERT INTO corrections (client_id, id, review_id, run_id, kind, state, created_at)
    SELECT client_id, :id, id, run_id,
           CASE decision WHEN 'reject' THEN 'rejected' ELSE 'edited' END, 'open', :now
    FROM escalation_tickets
    WHERE client_id = :client_id AND id = :review_id
      AND (decision = 'reject' OR (
        decision IN ('approve', 'edit')
        AND btrim(edited_text, E' \\t\\r\\n') <> btrim(draft, E' \\t\\r\\n')))
      AND NOT EXISTS (
        SELECT FROM shadow_drafts AS shadow
        WHERE shadow.client_id = :client_id AND shadow.run_id = escalation_tickets.run_id)
    ON CONFLICT (client_id, review_id) DO NOTHING
""")


class CorrectionRepository(TenantRepository):
    async def note(self, correction_id: str, review_id: str, now: datetime) -> bool:
        """Store a decided review as an open correction if the draft was rejected or changed. Return
        whether one was added. Idempotent by review."""
        noted = await self._connection.execute(
            _NOTE,
            {
                "client_id": self._tenant,
                "id": correction_id,
                "review_id": review_id,
                "now": now,
            },
        )
        return noted.rowcount == 1

    async def page(
        self, *, state: CorrectionState | None, after: str | None, limit: int
    ) -> tuple[CorrectionSummary, ...]:
        """Return a page of corrections, oldest first. `after` is the last id on the previous
        page."""
        rows = await self._connection.execute(
            _PAGE,
            {"client_id": self._tenant, "state": state, "after": after or "", "limit": limit},
        )
        return tuple(CorrectionSummary.model_validate(row, from_attributes=True) for row in rows)

    async def read(self, correction_id: str) -> CorrectionRecord:
        """Return a correction. Raises CorrectionNotFound."""
        row = await self._one(
            _ONE,
            {"client_id": self._tenant, "correction_id": correction_id},
            CorrectionNotFound(correction_id),
        )
        return CorrectionRecord.model_validate(row, from_attributes=True)

    async def hold(self, correction_id: str) -> None:
        """Block the erasure of the correction's customer until the transaction ends. Raises
        CorrectionNotFound if the correction does not exist or the erasure has already started."""
        asked = {"client_id": self._tenant, "correction_id": correction_id}
        await self._one(_HELD, asked, CorrectionNotFound(correction_id))

    async def decide(
        self, correction_id: str, state: CorrectionState, decided_by: str, now: datetime
    ) -> CorrectionKind:
        """Close a correction with this state, and return its kind. Only one of two concurrent calls
        succeeds. Raises CorrectionNotFound, CorrectionDecided."""
        this = (
            corrections.c.client_id == self._tenant,
            corrections.c.id == correction_id,
        )
        kind = await self._connection.scalar(
            sa.update(corrections)
            .where(*this, corrections.c.state == CorrectionState.OPEN)
            .values(state=state, decided_by=decided_by, decided_at=now)
            .returning(corrections.c.kind)
        )
        if kind is not None:
            return CorrectionKind(kind)
        if await self._connection.scalar(sa.select(sa.exists().where(*this))):
            raise CorrectionDecided(correction_id)
        raise CorrectionNotFound(correction_id)

    async def made(
        self,
        correction_id: str,
        *,
        case_id: str | None,
        content_kind: str | None,
        content_id: str | None,
    ) -> None:
        """Record which case and which content were created from a correction."""
        await self._connection.execute(
            sa.update(corrections)
            .where(corrections.c.client_id == self._tenant, corrections.c.id == correction_id)
            .values(case_id=case_id, content_kind=content_kind, content_id=content_id)
        )


client_of_correction: Final = owner_of(corrections, CorrectionNotFound)
